package import Base
import CCodecs

/// Converts JPEG images: smaller, to grayscale, or with another entropy coding.
///
/// libjpeg processes a few rows at a time, so memory depends on the width, not the area.
/// Progressive images and lossless conversion need all coefficients, except for the luminance of
/// single-scan images.
package struct JPEGTranscoder: Sendable {
    package enum Method: Equatable, Sendable {
        /// The coefficients are unchanged; only the entropy coding is new.
        case lossless
        /// Decoded at `eighths`/8 of its size by libjpeg's scaled decoding, then reduced by an
        /// integer factor, then encoded at a quality of 1 to 100.
        case recoded(eighths: Int, shrink: Int, quality: Int)
        /// Decoded and reduced in the same way, but not encoded: rows of gray, or of red, green and
        /// blue. Images with four components must become gray.
        case pixels(eighths: Int, shrink: Int)
    }

    /// The properties of the output.
    package struct Outcome: Equatable, Sendable {
        package let width: Int
        package let height: Int
        package let components: Int
        /// The first tolerated defect.
        package let warning: String?
    }

    package var method: Method
    /// Whether only luminance is kept. Lossless only if it is a separate component.
    package var isGray: Bool
    /// Images with more scans are rejected: each scan may take as long as a whole image.
    package var scanLimit = 500
    /// Memory limit of libjpeg: a constant, plus a number per input byte. It suffices for 50
    /// million pixels in several scans.
    package var memoryByteLimit = 160 << 20
    package var memoryByteRatio = 8

    /// Maximum number of pixels in all scans together: a constant, plus a number per input byte.
    /// Empty scans take time too.
    package static let scanPixelLimit = 512 << 20
    package static let scanPixelRatio = 256

    package init(method: Method, isGray: Bool = false) {
        self.method = method
        self.isGray = isGray
    }

    /// Reads the image in `source` and appends the new one to `sink`.
    ///
    /// - Throws: ``CodecError``, or an error of the source or the sink. The sink then contains
    ///   partial data.
    package func run(from source: any ByteSource, to sink: any ByteSink) throws -> Outcome {
        let streams = TranscoderStreams(source: source, sink: sink)
        var options = CJPEG_options()
        options.is_gray = isGray ? 1 : 0
        options.scan_limit = Int32(clamping: scanLimit)
        options.scan_pixel_limit = Int64(
            clamping: Self.scanPixelLimit + Self.scanPixelRatio * source.byteCount)
        options.memory_limit = Int64(clamping: memoryByteLimit + memoryByteRatio * source.byteCount)
        switch method {
        case .lossless: options.is_lossless = 1
        case .recoded(let eighths, let shrink, let quality):
            options.eighths = Int32(min(max(eighths, 1), 16))
            options.shrink = Int32(min(max(shrink, 1), Self.largestShrink))
            options.quality = Int32(min(max(quality, 1), 100))
        case .pixels(let eighths, let shrink):
            options.is_raw = 1
            options.eighths = Int32(min(max(eighths, 1), 16))
            options.shrink = Int32(min(max(shrink, 1), Self.largestShrink))
        }
        var result = CJPEG_result()
        var message = [CChar](repeating: 0, count: Int(CJPEG_MESSAGE_BYTES))
        // The object outlives the call; the callbacks never take ownership of it.
        let status = withExtendedLifetime(streams) {
            var table = unsafe CJPEG_streams(
                context: Unmanaged.passUnretained(streams).toOpaque(),
                read: { context, offset, buffer, count in
                    unsafe TranscoderStreams.at(context).read(offset, into: buffer, count)
                },
                write: { context, bytes, count in
                    unsafe TranscoderStreams.at(context).write(bytes, count: count)
                })
            return unsafe message.withUnsafeMutableBufferPointer { text in
                unsafe CJPEG_transcode(&table, &options, &result, text.baseAddress)
            }
        }
        if let failure = streams.failure { throw failure }
        guard status == 0 else { throw CodecError(Self.code(status), Self.text(message)) }
        let warning = unsafe withUnsafeBytes(of: &result.warning) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return Outcome(
            width: Int(result.width), height: Int(result.height),
            components: Int(result.components),
            warning: warning.isEmpty ? nil : "libjpeg says: \(warning)")
    }

    /// Maximum factor for which the sum of a square's samples fits 32 bits.
    private static let largestShrink = 4096

    private static func code(_ status: Int32) -> CodecError.Code {
        switch Int(status) {
        case CJPEG_TRUNCATED: .truncated
        case CJPEG_TOO_LARGE: .limitExceeded
        default: .malformed
        }
    }

    private static func text(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The object used by libjpeg's callbacks. It stores errors while C code runs, because they must
/// not cross C frames.
private final class TranscoderStreams {
    private let source: any ByteSource
    private let sink: any ByteSink
    private(set) var failure: (any Error)?

    init(source: any ByteSource, sink: any ByteSink) {
        self.source = source
        self.sink = sink
    }

    static func at(_ context: UnsafeMutableRawPointer?) -> TranscoderStreams {
        guard let context = unsafe context else {
            // C passes back the pointer that it was given.
            preconditionFailure("no context")
        }
        return unsafe Unmanaged<TranscoderStreams>.fromOpaque(context).takeUnretainedValue()
    }

    func read(_ offset: UInt64, into buffer: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int64 {
        guard let position = Int(exactly: offset), position < source.byteCount else { return 0 }
        do {
            let bytes = try source.bytes(at: position, count: count)
            _ = unsafe UnsafeMutableBufferPointer(start: buffer, count: count).update(
                fromContentsOf: bytes)
            return Int64(bytes.count)
        } catch {
            failure = error
            return -1
        }
    }

    func write(_ bytes: UnsafePointer<UInt8>?, count: Int) -> Int32 {
        do {
            try unsafe sink.append(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        } catch {
            failure = error
            return -1
        }
    }
}
