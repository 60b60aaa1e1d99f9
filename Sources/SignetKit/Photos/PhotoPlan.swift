import Base
import CodecBridge
import Pages

/// The processing of one photo, determined by its markers and the options.
struct PhotoPlan: Sendable {
    let photo: Photo
    let method: PhotoMethod
    let placement: PageLayout.Placement
    /// Warnings about the page.
    let notes: [Sentence]

    /// - Parameter fitting: quality and scale for a size limit; photos that would not become
    ///   smaller stay unchanged.
    init(_ photo: Photo, _ options: ConversionOptions, fitting: SizeSearch.Setting?) throws {
        self.photo = photo
        (placement, notes) = try PhotoMeasures(photo).placement(options)
        method = try Self.method(photo, options: options, fitting: fitting)
    }

    var data: ConvertedPhotos.Page.Data {
        switch method {
        case .untouched(let strips): strips ? .stripped : photo.isSound ? .untouched : .cleaned
        case .transcoded(let transcoder): transcoder.method == .lossless ? .lossless : .reencoded
        }
    }

    /// Whether the unchanged bytes may replace a larger result.
    static func mayStayUntouched(_ photo: Photo, options: ConversionOptions) -> Bool {
        (try? method(photo, options: options, fitting: nil)) == .untouched(strips: options.strips)
    }

    private static func method(
        _ photo: Photo, options: ConversionOptions, fitting: SizeSearch.Setting?
    ) throws -> PhotoMethod {
        let (eighths, shrink) = scale(photo, options: options, fitting: fitting)
        let turnsGray = options.isGray && photo.markers.components.count > 1
        let quality = options.quality ?? fitting?.quality
        guard eighths == 8, shrink == 1, quality == nil else {
            return .transcoded(
                JPEGTranscoder(
                    method: .recoded(
                        eighths: eighths, shrink: shrink,
                        quality: quality ?? ConversionOptions.defaultQuality), isGray: turnsGray))
        }
        if turnsGray {
            // Lossless conversion requires luminance as a separate component.
            let isLossless = photo.markers.hasLumaOfItsOwn
            return .transcoded(
                JPEGTranscoder(
                    method: isLossless
                        ? .lossless
                        : .recoded(
                            eighths: 8, shrink: 1, quality: ConversionOptions.defaultQuality),
                    isGray: true))
        }
        // PDF viewers do not support arithmetic coding.
        if photo.markers.isArithmetic { return .transcoded(JPEGTranscoder(method: .lossless)) }
        return .untouched(strips: options.strips)
    }

    /// The largest M/8 within all limits, and a further integer factor if 1/8 is too large.
    private static func scale(
        _ photo: Photo, options: ConversionOptions, fitting: SizeSearch.Setting?
    ) -> (eighths: Int, shrink: Int) {
        var eighths = options.eighths ?? fitting?.eighths ?? 8
        guard let limit = options.maxPixels else { return (eighths, 1) }
        let (width, height) =
            photo.isTransposed ? (photo.height, photo.width) : (photo.width, photo.height)
        func side(_ length: Int) -> Int { (length * eighths + 7) / 8 }
        while eighths > 1, side(width) > limit.width || side(height) > limit.height { eighths -= 1 }
        let shrink = max(
            (side(width) + limit.width - 1) / limit.width,
            (side(height) + limit.height - 1) / limit.height)
        return (eighths, max(1, shrink))
    }
}
