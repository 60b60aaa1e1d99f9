import ArgumentParser
import Base
import SignetKit

/// The signature appearance and marks, with positions.
struct StampArguments: ParsableArguments {
    // `-1:top` begins with a hyphen like an option.
    @Option(
        parsing: .unconditional,
        "Visible signature, e.g. last:bottom-right or auto",
        value: "page:position", completion: Completion.places)
    var at: String?
    /// Whether the position is from the settings: it is then ignored for an existing field and for
    /// an input without pages.
    @Flag(help: .hidden) var defaultStamp = false
    @OptionGroup var extent: StampExtentOptions
    @Option(
        parsing: .unconditional, "Position in points from the bottom left, instead of --at",
        value: "page:x1,y1,x2,y2")
    var rect: String?
    @Option(
        "Text with placeholders, **bold**, \\n line breaks and a QR code {qr:TEXT}",
        value: "template")
    var text: String?
    @Option(
        "Language of the text: \(Language.tags) or auto (default: en)", value: "tag",
        completion: .list(Language.names + ["auto"]))
    var lang: String?
    // `-03:00` begins with a hyphen like an option.
    @Option(
        parsing: .unconditional,
        "UTC, local, +02:00 or Europe/Prague (default: UTC)", value: "name")
    var timeZone: String?
    @Option(
        "light, white or none (default: light)", value: "kind",
        completion: .list(StampBackground.names))
    var background: String?
    @Flag(help: "Show no text")
    var noText = false
    @Option(
        "TrueType or OpenType font (default: system fonts)", value: "file",
        completion: .file(extensions: ["ttf", "otf", "ttc"]))
    var font: String?
    @Option(
        "Image file: \(PictureFormats.alternatives)", value: "file",
        completion: .file(extensions: PictureFormats.nameExtensions))
    var image: String?
    @Flag(
        help: "Extract the handwriting from the photo in --image")
    var inkFromPhoto = false
    @Option(
        "Handwriting: SVG (needs rsvg-convert) or pen strokes in JSON", value: "file",
        completion: .file(extensions: ["svg", "json"]))
    var ink: String?
    @Option(
        parsing: .unconditional,
        "Image or initials on pages, e.g. 2-5,last:bottom-right", value: "pages:position",
        completion: Completion.marks)
    var mark: String?
    @Option("Size of the marks (default: 25x10mm)", value: "wxh")
    var markSize: String?
    @Option("Text of the marks, as with --text; also {initials}", value: "template")
    var markText: String?

    func validate() throws {
        try extent.check(hasPlace: at != nil, hasRectangle: rect != nil)
        try Value.refuseBoth("--text", text != nil, "--no-text", noText)
        try Value.refuseBoth("--font", font != nil, "--no-text", noText)
        try Value.refuseBoth("--image", image != nil, "--ink", ink != nil)
        if inkFromPhoto && image == nil {
            throw ValidationError(
                "--ink-from-photo takes no value, and requires a photo: add --image FILE.")
        }
        if mark == nil && (markSize != nil || markText != nil) {
            throw ValidationError("--mark-size and --mark-text require --mark.")
        }
        _ = try options()
        _ = try marks()
        _ = try language()
        _ = try zone()
    }

    func language() throws -> Language { try Value.parse(lang, "--lang") ?? .english }

    func zone() throws -> ClockZone {
        guard let timeZone else { return .utc }
        do {
            return try ClockZone.named(timeZone)
        } catch let error as SignetError where error.code == .usage {
            let hint = error.hint.map { "; \($0.text)" } ?? ""
            throw ValidationError("--time-zone: \(error.message)\(hint)")
        }
    }

    var picture: SigningOptions.Picture? {
        if let ink { return .ink(.file(ink)) }
        return image.map { inkFromPhoto ? .inkFromPhoto(.file($0)) : .image(.file($0)) }
    }

    /// The mark options of the command line; nil if there are none.
    func marks() throws -> MarkOptions? {
        guard var marks: MarkOptions = try Value.parse(mark, "--mark") else { return nil }
        if let size: StampSize = try Value.parse(markSize, "--mark-size") {
            marks.width = size.width
            marks.height = size.height
        }
        marks.template = try Self.template(markText, option: "--mark-text")
        return marks
    }

    private static func template(_ text: String?, option: String) throws -> StampTemplate? {
        do throws(SignetError) {
            guard let text else { return nil }
            return try StampTemplate(text)
        } catch {
            let hint = error.hint.map { "; \($0.text)" } ?? ""
            throw ValidationError("\(option): \(error.message)\(hint)")
        }
    }

    /// The appearance options of the command line; nil if there are none.
    func options() throws -> StampOptions? {
        if at == nil && rect == nil && text == nil && !noText && font == nil && background == nil
            && (picture == nil || mark != nil)
        {
            return nil
        }
        var stamp = try extent.stamp(at: at, rectangle: rect)
        stamp.template = try Self.template(text, option: "--text")
        stamp.showsText = !noText
        stamp.background = try Value.parse(background, "--background") ?? .light
        stamp.isDefault = defaultStamp
        stamp.fontFile = font
        return stamp
    }
}

/// The size of an appearance or field, and its distance from the page's edge.
struct StampExtentOptions: ParsableArguments {
    @Option(
        "Size in mm, cm, in or pt (default: 60x20mm)", value: "wxh")
    var size: String?
    @Option("Distance to the page edge, such as 10mm (default: 15mm)", value: "length")
    var margin: String?

    /// - Parameters:
    ///   - hasPlace: whether there is an `--at`.
    ///   - hasRectangle: whether there is a `--rect`.
    func check(hasPlace: Bool, hasRectangle: Bool) throws {
        try Value.refuseBoth("--at", hasPlace, "--rect", hasRectangle)
        guard size != nil || margin != nil else { return }
        if hasRectangle {
            throw ValidationError("--rect includes the size: leave out --size and --margin.")
        }
        if !hasPlace {
            throw ValidationError("\(size == nil ? "--margin" : "--size") requires --at.")
        }
    }

    /// Warnings about sizes and positions without a unit, which are rarely intended.
    func unitRemarks(at place: String?) throws -> [String] {
        func millimetres(_ points: Double) -> Int { Length(points: points).millimetres }
        var remarks: [String] = []
        if let size, size.last?.isNumber == true,
            let read: StampSize = try Value.parse(size, "--size")
        {
            remarks.append(
                "--size \(size) has no unit: points are used (\(millimetres(read.width)) x "
                    + "\(millimetres(read.height)) mm); add a unit, such as \(size)mm")
        }
        if let place, place.last?.isNumber == true,
            let read: StampPlaceArgument = try Value.parse(place, "--at"),
            case .topLeft(let x, let y) = read.position
        {
            remarks.append(
                "--at \(place) has no unit: points are used (\(millimetres(x)) and \(millimetres(y)) mm "
                    + "from the top left); add units, such as 1:20mm,30mm")
        }
        return try remarks + [Length.unitRemark(margin, option: "--margin")].compactMap(\.self)
    }

    /// An appearance with this size.
    ///
    /// - Parameters:
    ///   - place: the value of `--at`.
    ///   - rectangle: the value of `--rect`, if given instead.
    func stamp(at place: String?, rectangle: String?) throws -> StampOptions {
        var stamp = StampOptions()
        if let place: StampPlaceArgument = try Value.parse(place, "--at") {
            (stamp.page, stamp.position) = (place.page?.number, place.position)
        } else if let rectangle: StampRectangle = try Value.parse(rectangle, "--rect") {
            (stamp.page, stamp.position) = (rectangle.page.number, rectangle.position)
        }
        if let size: StampSize = try Value.parse(size, "--size") {
            (stamp.width, stamp.height) = (size.width, size.height)
        }
        if let margin: Length = try Value.parse(margin, "--margin") { stamp.margin = margin.points }
        return stamp
    }
}
