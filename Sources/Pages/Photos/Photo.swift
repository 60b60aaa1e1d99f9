package import Base
package import CodecBridge

/// A JPEG photo, parsed as far as a page requires; its pixels are not decoded.
package struct Photo: Sendable {
    /// Maximum number of pixels. Cameras do not produce more, and viewers would fail.
    package static let pixelLimit = 1 << 29

    package let markers: JPEGMarkers
    /// Exif orientation, 1 to 8.
    package let orientation: Int
    /// Pixels per inch of the stored rows and columns; `nil` if the photo does not state them.
    package let density: (x: Double, y: Double)?
    package let profile: ColorProfile?
    /// Whether the photo contains the location at which it was taken.
    package let hasLocation: Bool
    /// Positions of segments that viewers interpret differently or fail on. They are omitted from
    /// every copy.
    let unsoundSegments: Set<Int>
    /// Defects that did not prevent reading.
    package let warnings: [String]

    /// Reads the markers.
    ///
    /// - Throws: ``PhotoError``; `SourceError` if reading fails.
    package init(_ source: any ByteSource) throws {
        let cache = BlockCache(source)
        let head = try cache.bytes(at: 0, count: PictureFormat.headByteCount)
        guard PictureFormat(head: head) == .jpeg else {
            throw ForeignFormat.error(firstBytes: head)
        }
        do {
            markers = try JPEGMarkers(cache)
        } catch let error as CodecError {
            throw PhotoError(error)
        }
        try Self.checkProcess(markers)
        var exif: ExifData?
        var parts: [[UInt8]] = []
        var profileSegments: [Int] = []
        var hasLocation = false
        for segment in markers.segments {
            switch segment.marker {
            case 0xE1:
                let content = try JPEGMarkers.content(of: segment, in: cache)
                if let data = ExifData(segment: content) {
                    exif = exif ?? data
                    hasLocation = hasLocation || data.hasLocation
                } else if content.starts(with: Array("http://ns.adobe.com/x".utf8)) {
                    hasLocation =
                        hasLocation
                        || content.firstRange(of: Array("GPSLatitude".utf8), from: 0) != nil
                }
            case 0xE2:
                let head = try JPEGMarkers.head(of: segment, 12, in: cache)
                guard head == Array("ICC_PROFILE\0".utf8) else { continue }
                parts.append(try JPEGMarkers.content(of: segment, in: cache))
                profileSegments.append(segment.range.lowerBound)
            default: break
            }
        }
        var warnings: [String] = []
        let profileBytes = ColorProfile.assemble(parts)
        let componentCount = markers.components.count
        profile = profileBytes.flatMap { ColorProfile($0, componentCount: componentCount) }
        var unsound: Set<Int> = []
        if profileBytes != nil, profile == nil {
            unsound.formUnion(profileSegments)
            warnings.append("the color profile is damaged or does not match: it was removed")
        }
        if markers.strayByteCount > 0 {
            warnings.append(
                "\(markers.strayByteCount) bytes outside the JPEG segments were removed")
        }
        unsound.formUnion(try Self.misleadingMarkers(markers, in: cache))
        unsoundSegments = unsound
        orientation = exif?.orientation ?? 1
        density = Self.density(markers.density) ?? exif?.density
        self.hasLocation = hasLocation
        self.warnings = warnings
    }

    /// A JFIF image is YCbCr. Viewers that prefer the Adobe marker would show other colors.
    private static func misleadingMarkers(
        _ markers: JPEGMarkers, in cache: BlockCache
    ) throws -> [Int] {
        guard markers.components.count == 3, markers.density != nil, markers.adobeTransform == 0
        else { return [] }
        return try markers.segments.filter {
            try $0.marker == 0xEE
                && JPEGMarkers.head(of: $0, 5, in: cache) == Array("Adobe".utf8)
        }.map(\.range.lowerBound)
    }

    /// Whether a copy of all segments of the image equals the original bytes.
    package var isSound: Bool { unsoundSegments.isEmpty && markers.strayByteCount == 0 }
    package var width: Int { markers.width }
    package var height: Int { markers.height }
    /// Whether rows and columns are exchanged on the page.
    package var isTransposed: Bool { orientation >= 5 }

    private static func density(_ density: JPEGMarkers.Density?) -> (x: Double, y: Double)? {
        guard let density, density.x > 0, density.y > 0 else { return nil }
        switch density.unit {
        case .aspectRatioOnly: return nil
        case .perInch: return (Double(density.x), Double(density.y))
        case .perCentimetre: return (Double(density.x) * 2.54, Double(density.y) * 2.54)
        }
    }

    private static func checkProcess(_ markers: JPEGMarkers) throws(PhotoError) {
        switch markers.process {
        case .lossless:
            throw PhotoError(
                .unsupported, "lossless JPEG (process SOF3) is not supported",
                hint: Sentence(.makeOrdinaryJPEG)
            )
        case .hierarchical:
            throw PhotoError(
                .unsupported, "hierarchical JPEG is not supported",
                hint: Sentence(.makeOrdinaryJPEG))
        case .baseline, .extended, .progressive: break
        }
        guard markers.bitsPerSample == 8 else {
            throw PhotoError(
                .unsupported,
                "the image has \(markers.bitsPerSample) bits per sample (\(markers.bitsPerSample)-bit JPEG), only 8 are supported",
                hint: Sentence(.makeOrdinaryJPEG))
        }
        guard [1, 3, 4].contains(markers.components.count) else {
            throw PhotoError(
                .unsupported,
                "the image has \(markers.components.count) color components, not 1, 3 or 4")
        }
        guard markers.width > 0, markers.height > 0 else {
            throw PhotoError(
                .unsupported,
                "an image size after the data (DNL marker) is not supported",
                hint: Sentence(.makeOrdinaryJPEG))
        }
        guard markers.width <= 65_500, markers.height <= 65_500,
            markers.width * markers.height <= pixelLimit
        else {
            throw PhotoError(
                .tooLarge,
                "the image has \(markers.width) x \(markers.height) pixels; the limits are 65500 per side and \(pixelLimit / 1_000_000) million in total"
            )
        }
    }
}

extension PhotoError {
    /// Converts a codec's error to that of a photo.
    package init(_ error: CodecError) {
        switch error.code {
        case .truncated: self.init(.truncated, "the image is cut off: \(error.detail)")
        case .limitExceeded: self.init(.tooLarge, error.detail)
        case .unsupported, .libraryMissing: self.init(.unsupported, error.detail)
        case .malformed, .checksumMismatch:
            self.init(.malformed, "the image is damaged: \(error.detail)")
        }
    }
}
