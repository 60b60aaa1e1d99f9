package import Base
package import CodecBridge

/// The method of embedding a photo's data.
package enum PhotoMethod: Equatable, Sendable {
    /// Byte for byte, except for segments that viewers fail on; `strips` removes metadata.
    case untouched(strips: Bool)
    case transcoded(JPEGTranscoder)

    package static func == (left: PhotoMethod, right: PhotoMethod) -> Bool {
        switch (left, right) {
        case (.untouched(let one), .untouched(let other)): one == other
        case (.transcoded(let one), .transcoded(let other)):
            one.method == other.method && one.isGray == other.isGray
        default: false
        }
    }
}

extension Photo {
    /// The properties of the photo's own data.
    package var properties: ImageProperties {
        let count = markers.components.count
        return ImageProperties(
            width: width, height: height, componentCount: count,
            isInverted: count == 4 && markers.adobeTransform != nil,
            isPlainRGB: count == 3 && markers.colorSpace == .rgb && markers.adobeTransform == nil,
            profile: profile)
    }

    /// Copies or transcodes the photo's data.
    ///
    /// - Returns: The properties of the written data, and warnings.
    /// - Throws: ``PhotoError``, or an error of the source or the sink. The sink then contains
    ///   partial data.
    package func write(
        _ method: PhotoMethod, from source: any ByteSource, to sink: any ByteSink
    ) throws -> (ImageProperties, warnings: [String]) {
        switch method {
        case .untouched(let strips):
            do {
                let warnings = try copy(from: source, strips: strips, to: sink)
                return (properties, warnings)
            } catch let error as CodecError {
                throw PhotoError(error)
            }
        case .transcoded(let transcoder):
            let outcome: JPEGTranscoder.Outcome
            do {
                outcome = try transcoder.run(from: source, to: sink)
            } catch let error as CodecError {
                throw PhotoError(error)
            }
            var properties = properties
            (properties.width, properties.height) = (outcome.width, outcome.height)
            if outcome.components != properties.componentCount {
                properties.componentCount = outcome.components
                properties.profile = nil
                properties.isInverted = false
            }
            // libjpeg writes markers that state the color space.
            properties.isPlainRGB = false
            return (properties, outcome.warning.map { [$0] } ?? [])
        }
    }

    private var soundSegments: [JPEGMarkers.Segment] {
        markers.segments.filter { !unsoundSegments.contains($0.range.lowerBound) }
    }

    private static let chunkByteCount = 256 * 1024

    private func copy(
        from source: any ByteSource, strips: Bool, to sink: any ByteSink
    ) throws -> [String] {
        var walker = JPEGScanWalker()
        let end: Int
        if strips {
            end = try walk(&walker, source) { _ in }
            try writeStripped(from: source, upTo: end, leavingOut: walker.dispensable, to: sink)
        } else {
            if isSound {
                try Self.copy(0..<markers.scanOffset, from: source, to: sink)
            } else {
                try sink.append([0xFF, 0xD8])
                for segment in soundSegments {
                    try Self.copy(segment.range, from: source, to: sink)
                }
            }
            end = try walk(&walker, source) { try sink.append($0) }
        }
        try checkData(walker)
        return walker.isOutOfStep
            ? ["the image data is damaged: part of the image may be missing"] : []
    }

    /// Walks from the first scan to the end of the image and returns that position.
    private func walk(
        _ walker: inout JPEGScanWalker, _ source: any ByteSource, _ body: ([UInt8]) throws -> Void
    ) throws -> Int {
        if let end = try walker.walk(source, from: markers.scanOffset, body) { return end }
        throw PhotoError(
            .truncated,
            "the image is not complete: the file ends at byte \(source.byteCount)",
            hint: Sentence(.askForWhole))
    }

    /// Checks that the data can contain the stated number of pixels. Each data unit needs at least
    /// two bits, unless the coding is progressive or arithmetic.
    private func checkData(_ walker: JPEGScanWalker) throws(PhotoError) {
        guard markers.process != .progressive, !markers.isArithmetic,
            walker.dataByteCount * 4 < markers.dataUnitCount
        else { return }
        throw PhotoError(
            .truncated,
            "the image is cut off: \(walker.dataByteCount) bytes of data are not enough for \(width) x \(height) pixels"
        )
    }

    private static func copy(
        _ range: Range<Int>, from source: any ByteSource, to sink: any ByteSink
    ) throws {
        var position = range.lowerBound
        while position < range.upperBound {
            let part = try source.bytes(
                at: position, count: min(chunkByteCount, range.upperBound - position))
            try sink.append(part)
            position += part.count
        }
    }

    private func writeStripped(
        from source: any ByteSource, upTo end: Int, leavingOut dispensable: [Range<Int>],
        to sink: any ByteSink
    ) throws {
        try sink.append([0xFF, 0xD8])
        for segment in soundSegments {
            let head = try source.bytes(
                at: segment.range.lowerBound, count: min(18, segment.range.count))
            switch segment.marker {
            case 0xE0:
                // JFIF without its thumbnail; viewers need nothing else from APP0.
                guard head.count == 18, head[4...].starts(with: Array("JFIF\0".utf8)) else {
                    continue
                }
                try sink.append([0xFF, 0xE0, 0, 16] + head[4..<16] + [0, 0])
            case 0xE2 where head[4...].starts(with: Array("ICC_PROFILE\0".utf8)):
                try Self.copy(segment.range, from: source, to: sink)
            case 0xEE where !head[4...].starts(with: Array("Adobe".utf8)): continue
            case let marker where JPEGScanWalker.isDispensable(marker): continue
            default: try Self.copy(segment.range, from: source, to: sink)
            }
        }
        var position = markers.scanOffset
        for range in dispensable {
            let start = markers.scanOffset + range.lowerBound
            try Self.copy(position..<start, from: source, to: sink)
            position = markers.scanOffset + range.upperBound
        }
        try Self.copy(position..<end, from: source, to: sink)
    }
}
