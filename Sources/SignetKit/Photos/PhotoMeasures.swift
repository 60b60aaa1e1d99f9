import Base
import Pages

/// The size of a picture and of its page.
struct PhotoMeasures {
    let width: Int
    let height: Int
    /// Pixels per inch; nil if missing or implausible.
    let density: (x: Double, y: Double)?
    let orientation: Int
    /// The resolution in the picture, plausible or not.
    let statedDensity: (x: Double, y: Double)?

    /// Plausible pixels per inch of printed or scanned pictures, and the plausible ratio of both
    /// directions, which is 2 in a fax.
    private static let densities = 4.0...40_000
    private static let squeezes = 0.25...4

    init(_ photo: Photo) {
        self.init(photo.width, photo.height, photo.density, orientation: photo.orientation)
    }

    init(_ picture: RasterPicture) {
        self.init(picture.width, picture.height, picture.density, orientation: picture.orientation)
    }

    private init(_ width: Int, _ height: Int, _ stated: (x: Double, y: Double)?, orientation: Int) {
        (self.width, self.height, self.orientation) = (width, height, orientation)
        statedDensity = stated
        density = stated.flatMap { density in
            let isMeaningful =
                Self.densities.contains(density.x) && Self.densities.contains(density.y)
                && Self.squeezes.contains(density.x / density.y)
            return isMeaningful ? density : nil
        }
    }

    /// Resolutions that cameras and programs write without knowing the size.
    private static let meaninglessDensities = [72.0, 96.0]

    /// - Returns: the placement, and warnings about the page.
    /// - Throws: ``SignetError`` if the margins leave no space.
    func placement(
        _ options: ConversionOptions
    ) throws -> (PageLayout.Placement, notes: [Sentence]) {
        let (layout, note) = layout(options)
        guard let placement = place(layout) else {
            throw SignetError(
                .usage, "the margins are larger than the page", hint: Sentence(.useSmallerMargin))
        }
        return (placement, [densityNote(options), note].compactMap(\.self))
    }

    private func densityNote(_ options: ConversionOptions) -> Sentence? {
        guard options.dotsPerInch == nil, density == nil, let stated = statedDensity else {
            return nil
        }
        let sides = [stated.x, stated.y].map { Self.text($0) }
        return
            "the resolution of \(sides[0]) x \(sides[1]) dpi in the image is implausible and ignored"
    }

    /// Text of a resolution, which may be very large or small.
    private static func text(_ density: Double) -> String {
        density < 1 ? "less than 1" : String(Int(nearest: density))
    }

    private func place(_ layout: PageLayout) -> PageLayout.Placement? {
        layout.place(width: width, height: height, density: density, orientation: orientation)
    }

    private func layout(_ options: ConversionOptions) -> (PageLayout, note: Sentence?) {
        var layout = Self.layout(options)
        guard options.page == .automatic, options.dotsPerInch == nil,
            let natural = place(PageLayout())?.sizes.page
        else { return (layout, nil) }
        let (longest, shortest) = (
            max(natural.width, natural.height), min(natural.width, natural.height)
        )
        let note: Sentence
        if let density {
            let isMeaningful = !Self.meaninglessDensities.contains {
                abs(density.x - $0) < 0.5 && abs(density.y - $0) < 0.5
            }
            guard !isMeaningful,
                longest > PaperFormat.a3.height + 1 || shortest > PaperFormat.a3.width + 1
            else { return (layout, nil) }
            let size = PaperFormat.text(width: natural.width, height: natural.height)
            note = Sentence(.photoTooLarge, "\(Int(nearest: density.x))", size)
        } else {
            note = Sentence(.photoWithoutSize)
            // Small pictures are not enlarged.
            let room = PageLayout.Size(
                width: PaperFormat.a4.width - 2 * options.margin,
                height: PaperFormat.a4.height - 2 * options.margin)
            if options.fit == .contain, longest <= room.height, shortest <= room.width {
                layout.fit = .none
            }
        }
        layout.pageSize = PageLayout.Size(
            width: PaperFormat.a4.width, height: PaperFormat.a4.height)
        return (layout, note)
    }

    private static func layout(_ options: ConversionOptions) -> PageLayout {
        var layout = PageLayout()
        if case .size(let width, let height) = options.page {
            layout.pageSize = PageLayout.Size(width: width, height: height)
        }
        layout.fit = options.fit
        layout.orientation = options.orientation
        layout.margin = options.margin
        layout.dotsPerInch = options.dotsPerInch
        return layout
    }
}
