import Base
import CodecBridge
import Foundation
import SignetTestSupport
import Testing

struct JPEGTranscoderTests {
    private struct SinkFailure: Error {}
    private final class FailingSink: ByteSink {
        func append(_ bytes: [UInt8]) throws { throw SinkFailure() }
    }

    private func vector(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: TestVectors.url("jpeg/\(name)")))
    }

    private func run(_ name: String, _ transcoder: JPEGTranscoder) throws
        -> (JPEGTranscoder.Outcome, JPEGMarkers)
    {
        let sink = MemorySink()
        let outcome = try transcoder.run(from: MemorySource(try vector(name)), to: sink)
        let header = try JPEGMarkers(BlockCache(MemorySource(sink.bytes)))
        #expect((header.width, header.height) == (outcome.width, outcome.height))
        #expect(!header.isArithmetic && sink.bytes.suffix(2) == [0xFF, 0xD9])
        return (outcome, header)
    }

    @Test(arguments: [(8, 1, 48, 32), (4, 1, 24, 16), (1, 1, 6, 4), (1, 4, 2, 1), (16, 1, 96, 64)])
    func scales(eighths: Int, shrink: Int, width: Int, height: Int) throws {
        for name in ["orientation-1.jpg", "progressive.jpg", "cmyk.jpg", "gray.jpg", "rgb.jpg"] {
            let method = JPEGTranscoder.Method.recoded(
                eighths: eighths, shrink: shrink, quality: 75)
            let (outcome, _) = try run(name, JPEGTranscoder(method: method))
            #expect((outcome.width, outcome.height) == (width, height), "\(name)")
            let (gray, header) = try run(name, JPEGTranscoder(method: method, isGray: true))
            #expect(gray.components == 1 && header.colorSpace == .gray, "\(name)")
        }
    }

    @Test func dropsColoursAndArithmeticCodingWithoutLoss() throws {
        let (gray, _) = try run("progressive.jpg", JPEGTranscoder(method: .lossless, isGray: true))
        #expect(gray.components == 1)
        let (color, header) = try run("arithmetic.jpg", JPEGTranscoder(method: .lossless))
        #expect(color.components == 3 && header.colorSpace == .yCbCr)
    }

    @Test(arguments: [("orientation-1", 3), ("gray", 1), ("rgb", 3), ("progressive", 3)])
    func pixelsAreThoseOfLibjpeg(name: String, components: Int) throws {
        guard let djpeg = try ExternalTool.find("djpeg") else { return }
        let sink = MemorySink()
        let method = JPEGTranscoder.Method.pixels(eighths: 8, shrink: 1)
        let outcome = try JPEGTranscoder(method: method).run(
            from: MemorySource(try vector(name + ".jpg")), to: sink)
        #expect((outcome.width, outcome.height, outcome.components) == (48, 32, components))
        let judge = try ExternalTool.run(djpeg, ["-pnm", TestVectors.url("jpeg/\(name).jpg").path])
        #expect(judge.output.suffix(48 * 32 * components).elementsEqual(sink.bytes))
    }

    @Test func fourInksBecomeGrayPixels() throws {
        let sink = MemorySink()
        let method = JPEGTranscoder.Method.pixels(eighths: 8, shrink: 5)
        let outcome = try JPEGTranscoder(method: method, isGray: true).run(
            from: MemorySource(try vector("cmyk.jpg")), to: sink)
        #expect((outcome.width, outcome.height, outcome.components) == (10, 7, 1))
        #expect(sink.byteCount == 70)
    }

    @Test func inksStayAsTheyWere() throws {
        let (_, header) = try run("cmyk.jpg", JPEGTranscoder(method: .lossless))
        let original = try JPEGMarkers(BlockCache(MemorySource(try vector("cmyk.jpg"))))
        #expect(header.colorSpace == original.colorSpace)
        #expect(header.adobeTransform == original.adobeTransform)
    }

    @Test func everyPrefixIsRefusedWithoutHarm() throws {
        let bytes = try vector("progressive.jpg")
        for method in [
            JPEGTranscoder.Method.lossless, .recoded(eighths: 4, shrink: 1, quality: 50),
        ] {
            for count in stride(from: 0, to: bytes.count, by: 3) {
                #expect(throws: CodecError.self) {
                    try JPEGTranscoder(method: method).run(
                        from: MemorySource(Array(bytes.prefix(count))), to: CountingSink())
                }
            }
        }
    }

    @Test func aSinkThatFailsEndsTheRunWithItsError() throws {
        let source = MemorySource(try vector("orientation-1.jpg"))
        #expect(throws: SinkFailure.self) {
            try JPEGTranscoder(method: .lossless).run(from: source, to: FailingSink())
        }
    }

    @Test func limitsScansAndMemory() throws {
        let source = MemorySource(try vector("progressive.jpg"))
        var transcoder = JPEGTranscoder(method: .lossless)
        transcoder.scanLimit = 2
        #expect(throws: CodecError(.limitExceeded, "")) {
            try transcoder.run(from: source, to: CountingSink())
        }
    }
}
