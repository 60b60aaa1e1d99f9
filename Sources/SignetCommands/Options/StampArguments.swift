import ArgumentParser
import Base
import SignetKit

/// The signature appearance and marks, with positions.
struct StampArguments: ParsableArguments {
    // `-1:top` begins with a hyphen like an option.
    @Option(
        parsing: .unconditional,
        """
        Make the signature visible: a page (1, -1, last) and a place (top-left, top, \
        top-right, left, center, right, bottom-left, bottom, bottom-right, or X,Y of the \
        stamp's top left corner from the page's); auto for the next free place; text:WORDS, \
        above:WORDS or below:WORDS beside words of the document (text:2:WORDS for the second \
        ones).
        """, value: "page:place", completion: Completion.places)
    var at: String?
    /// The position is from the settings: an existing field, or an input without pages, ignores it.
    @Flag(help: .hidden) var defaultStamp = false
    @OptionGroup var extent: StampExtentOptions
    @Option(
        parsing: .unconditional, "The same in raw PDF user space, instead of --at.",
        value: "page:x1,y1,x2,y2")
    var rect: String?
    @Option(
        """
        The stamp's text: {name} {subject} {date} {reason} {location} are filled in, \\n \
        breaks lines, **words** are bold. {date:short} and {date:long} are days, \
        {date:d. MMMM yyyy, HH:mm} is of yyyy MMMM MM M dd d HH H mm ss z and 'other words'.
        """, value: "template")
    var text: String?
    @Option(
        """
        The language of the stamp's words and dates: \(Language.tags), or auto, \
        the environment's (default: en).
        """, value: "tag", completion: .list(Language.names + ["auto"]))
    var lang: String?
    // `-03:00` begins with a hyphen like an option.
    @Option(
        parsing: .unconditional,
        """
        Whose clocks the stamp's date is of: UTC, local, +02:00 or Europe/Prague (default: \
        UTC). The signature itself holds the moment.
        """, value: "name")
    var timeZone: String?
    @Option(
        """
        What lies under the stamp: light, through which a little of the page shows, white or \
        none (default: light).
        """, value: "kind", completion: .list(StampBackground.names))
    var background: String?
    @Flag(help: "Draw no text.")
    var noText = false
    @Option(
        """
        TrueType or OpenType font for the text, embedded as a subset (default: fonts of the \
        system that have the characters).
        """, value: "file", completion: .file(extensions: ["ttf", "otf", "ttc"]))
    var font: String?
    @Option(
        """
        A \(PictureFormats.losslessNames.joined(separator: " or ")) (transparency kept) or JPEG \
        picture in the stamp.
        """, value: "file", completion: .file(extensions: PictureFormats.nameExtensions()))
    var image: String?
    @Flag(
        help: """
            The --image is a photo of a signature on paper: take the paper away, keep the ink.
            """)
    var inkFromPhoto = false
    @Option(
        """
        Handwriting in the stamp: an SVG, drawn by rsvg-convert, or smooth curves of JSON \
        {"strokes":[[[x,y,pressure],...],...]}.
        """, value: "file", completion: .file(extensions: ["svg", "json"]))
    var ink: String?
    @Option(
        parsing: .unconditional,
        """
        Draw the picture, or the signer's initials, on pages: all (but the stamp's) or \
        2-5,last, and a place as with --at. A drawing that is signed with the rest, not a \
        signature.
        """, value: "pages:place", completion: Completion.marks)
    var mark: String?
    @Option("Size of the marks (default: 25x10mm).", value: "wxh")
    var markSize: String?
    @Option("Text of the marks, as with --text; also {initials}.", value: "template")
    var markText: String?

    func validate() throws {
        try extent.check(hasPlace: at != nil, hasRectangle: rect != nil)
        try Value.refuseBoth("--text", text != nil, "--no-text", noText)
        try Value.refuseBoth("--font", font != nil, "--no-text", noText)
        try Value.refuseBoth("--image", image != nil, "--ink", ink != nil)
        if inkFromPhoto && image == nil {
            throw ValidationError("--ink-from-photo needs --image, the photo.")
        }
        if mark == nil && (markSize != nil || markText != nil) {
            throw ValidationError("--mark-size and --mark-text need --mark.")
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

    /// Nil without options for marks.
    func marks() throws -> MarkOptions? {
        guard var marks: MarkOptions = try Value.parse(mark, "--mark") else { return nil }
        if let size: StampSize = try Value.parse(markSize, "--mark-size") {
            marks.width = size.width
            marks.height = size.height
        }
        marks.template = try Self.template(markText, "--mark-text")
        return marks
    }

    private static func template(_ text: String?, _ option: String) throws -> StampTemplate? {
        do throws(SignetError) {
            guard let text else { return nil }
            return try StampTemplate(text)
        } catch {
            let hint = error.hint.map { "; \($0.text)" } ?? ""
            throw ValidationError("\(option): \(error.message)\(hint)")
        }
    }

    /// Nil without options for an appearance.
    func options() throws -> StampOptions? {
        if at == nil && rect == nil && text == nil && !noText && font == nil && background == nil
            && (picture == nil || mark != nil)
        {
            return nil
        }
        var stamp = try extent.stamp(at: at, rectangle: rect)
        stamp.template = try Self.template(text, "--text")
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
        "Width and height of what shows (default: 60x20mm). Units: mm, cm, in, pt.", value: "wxh")
    var size: String?
    @Option("Distance from the page's edge for named places (default: 15mm).", value: "length")
    var margin: String?

    /// - Parameters:
    ///   - hasPlace: whether there is an `--at`.
    ///   - hasRectangle: whether there is a `--rect`.
    func check(hasPlace: Bool, hasRectangle: Bool) throws {
        try Value.refuseBoth("--at", hasPlace, "--rect", hasRectangle)
        guard size != nil || margin != nil else { return }
        if hasRectangle {
            throw ValidationError("--rect says the size itself; leave out --size and --margin.")
        }
        if !hasPlace { throw ValidationError("--size and --margin need --at.") }
    }

    /// Warnings about sizes and positions without a unit, which are rarely intended.
    func unitRemarks(at place: String?) throws -> [String] {
        func millimetres(_ points: Double) -> Int { Int(nearest: points * 25.4 / 72) }
        var remarks: [String] = []
        if let size, size.last?.isNumber == true,
            let read: StampSize = try Value.parse(size, "--size")
        {
            remarks.append(
                "--size \(size) is in points, \(millimetres(read.width)) x "
                    + "\(millimetres(read.height)) mm: write \(size)pt or \(size)mm")
        }
        if let place, place.last?.isNumber == true,
            let read: StampPlaceArgument = try Value.parse(place, "--at"),
            case .topLeft(let x, let y) = read.position
        {
            remarks.append(
                "--at \(place) is in points, \(millimetres(x)) and \(millimetres(y)) mm from the "
                    + "page's top left: write a unit behind each, such as 20mm or 57pt")
        }
        return remarks
    }

    /// An appearance with this size.
    ///
    /// - Parameters:
    ///   - place: the value of `--at`.
    ///   - rectangle: the value of `--rect`, instead.
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
