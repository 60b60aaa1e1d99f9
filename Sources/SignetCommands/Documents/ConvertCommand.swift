import ArgumentParser
import SignetKit
import SystemBridge

struct ConvertCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert JPEG, \(PictureFormats.lossless) images to PDF.",
        discussion: """
            Writes one PDF with one page per image, in the given order; with -o FOLDER/ one PDF per \
            image. JPEG data is embedded without loss, including its metadata, unless an option \
            changes it; --strip removes metadata. Transparent pixels become white.

            Examples:
              signet convert receipt.jpg -o receipt.pdf
              signet convert scan*.jpg -o scans.pdf \\
                  --page A4 --margin 10mm --title "Contract"
              signet convert card.jpg -o card.pdf --max-size 2MB --gray
              signet convert ./*.jpg -o archive.pdf --pdfa --strip
              signet convert receipts --recursive -o pdfs/ --skip-existing
            """)

    @Argument(
        help: ArgumentHelp("Images (-: standard input)", valueName: "image"),
        completion: .file(extensions: PictureFormats.nameExtensions))
    var photos: [String] = []

    @Option(
        name: .shortAndLong,
        "Output PDF, or FOLDER/ for one PDF per image (default for one image: IMAGE.pdf)",
        value: "path",
        completion: .file(extensions: ["pdf"]))
    var output: String?
    @OptionGroup var replace: ReplaceOptions
    @Flag(help: "Skip images whose PDF exists")
    var skipExisting = false

    @OptionGroup(title: "Image size") var size: PhotoSizeArguments
    @OptionGroup(title: "Pages") var page: PhotoPageArguments

    @Flag(help: "Write PDF/A-2b")
    var pdfa = false
    @Option("Title of the document", value: "text")
    var title: String?
    @Flag(help: "Remove Exif, XMP, comments and thumbnails")
    var strip = false
    @Flag(help: "Convert the other images if one fails")
    var keepGoing = false
    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(photos)
        if output == nil && (photos.count != 1 || photos == ["-"] || batch.isBatch) {
            throw ValidationError(
                "Several images require an output: -o FILE for one PDF, or -o FOLDER/ for one PDF per image."
            )
        }
        _ = try options()
        if skipExisting && replace.force {
            throw ValidationError("--skip-existing cannot be combined with --force.")
        }
        if !isFolder && (skipExisting || batch.journal != nil || batch.shard != nil) {
            throw ValidationError(
                "--skip-existing, --journal and --shard require an output folder: -o FOLDER/.")
        }
    }

    /// Whether each photo gets its own document. A folder must end in a slash, so that it is not
    /// named by mistake.
    private var isFolder: Bool {
        output.map { FileSystem.endsInSlash($0) || FileSystem.isDirectory($0) } ?? false
    }

    func run(_ reporter: Reporter) throws {
        if let remark = try Length.unitRemark(page.margin, option: "--margin") {
            reporter.warning(remark)
        }
        let selected = try batch.selected(
            photos, patterns: PhotoSigningArguments.patterns,
            otherPatterns: PictureFormats.otherPatterns, output: output)
        guard !isFolder else { return try convertEach(selected) }
        let destination =
            try output.map { try replace.destination(pdf: $0) }
            ?? names(selected, in: nil).destination(for: photos[0])
        try convertAll(selected.map(\.path), into: destination, reporter)
    }

    /// The output names if each photo gets its own document.
    private func names(_ selected: [BatchSelection.Input], in folder: String?) -> OutputNaming {
        OutputNaming(
            output: folder, suffix: ".pdf", dropping: PictureFormats.nameExtensions,
            for: folder == nil ? [] : selected, isBatch: folder != nil
        ).replacing(replace.force)
    }

    /// Creates a document for each photo.
    private func convertEach(_ selected: [BatchSelection.Input]) throws {
        let names = self.names(selected, in: output)
        let paths = selected.map(\.path)
        var many = Batch("converted", paths, messages)
        try OutputNaming.plan(paths) { _ in names }
        try many.configure(batch, command: "convert", named: photos)
        (many.skipsExisting, many.replaces) = (skipExisting, replace.force)
        var options = try options()
        // The photos are already processed in parallel.
        options.jobs = 1
        let task = ConvertPhotos(options: options)
        try many.run { _ in
            names
        } work: { input, destination in
            return try task.run([.file(input)], into: destination)
        } report: { _, converted, reporter in
            reporter.tell(about: converted.pages)
            try reporter.made(converted.output, Self.summary(converted), json: converted)
            return .done
        }
    }

    /// Creates one document from all photos.
    private func convertAll(
        _ photos: [String], into destination: Destination, _ reporter: Reporter
    ) throws {
        let task = ConvertPhotos(options: try options())
        let converted = try reporter.showingProgress {
            try task.run(photos.map { .file($0) }, into: destination, progress: $0)
        }
        reporter.tell(about: converted.pages)
        if destination.path != "-" {
            try reporter.made(destination.path, Self.summary(converted), json: converted)
        }
        let worst = ExitStatus.worst(of: converted.failures.map { reporter.failure($0) })
        if worst != .done { throw worst }
    }

    private static func summary(_ converted: ConvertedPhotos) -> String {
        let count = converted.pages.count
        var text = "\(count) page\(count == 1 ? "" : "s"), \(ByteAmount.text(converted.byteCount))"
        if let quality = converted.quality {
            text += ", quality \(quality)"
            if let eighths = converted.eighths, eighths != 8 { text += ", scale \(eighths)/8" }
        }
        if !converted.failures.isEmpty { text += ", \(converted.failures.count) left out" }
        let sizes = Set(converted.pages.map(\.size))
        if sizes.count == 1, let size = sizes.first {
            text += "; \(count > 1 ? "each " : "")\(size)"
        } else if sizes.count > 1 {
            text += "; pages of \(sizes.count) sizes (--verbose lists them)"
        }
        return text
    }

    private func options() throws -> ConversionOptions {
        var options = try size.options()
        options.page = try Value.parse(page.page, "--page") ?? .automatic
        options.fit = try Value.parse(page.fit, "--fit") ?? .contain
        let margin: Length? = try Value.parse(page.margin, "--margin")
        if let margin, margin.points < 0 {
            throw ValidationError("The value of '--margin' must not be negative.")
        }
        options.margin = margin?.points ?? 0
        options.orientation = try Value.parse(page.orientation, "--orientation") ?? .auto
        let dots: DotsPerInch? = try Value.parse(page.dpi, "--dpi")
        options.dotsPerInch = dots?.value
        options.isArchival = pdfa
        options.title = title
        options.strips = strip
        options.keepsGoing = keepGoing
        options.jobs = try batch.givenJobCount
        return options
    }
}

/// Options that reduce the size of photos.
struct PhotoSizeArguments: ParsableArguments {
    @Option(
        "Scale to M/8 of the size, such as 4/8; also 0.5 or 50%", value: "m/8")
    var scale: String?
    @Option("Scale down to this size, after rotation", value: "wxh")
    var maxPixels: String?
    @Option(
        "JPEG quality for re-encoding, 1 to 100 (default: 85)", value: "n")
    var quality: String?
    @Flag(help: "Convert to grayscale, without re-encoding if possible")
    var gray = false
    @Option(
        "Limit the size of the PDF: 2MB, 500kB or 1MiB",
        value: "size")
    var maxSize: String?

    /// Whether an option is given.
    var isGiven: Bool { gray || (scale ?? maxPixels ?? quality ?? maxSize) != nil }

    func options() throws -> ConversionOptions {
        var options = ConversionOptions()
        let scale: PhotoScale? = try Value.parse(scale, "--scale")
        options.eighths = scale?.eighths
        let pixels: PixelBox? = try Value.parse(maxPixels, "--max-pixels")
        options.maxPixels = pixels.map { ($0.width, $0.height) }
        options.quality = try Value.number(quality, "--quality", "a number from ", in: 1...100)
        options.isGray = gray
        let most: ByteAmount? = try Value.parse(maxSize, "--max-size")
        options.maxByteCount = most?.count
        return options
    }
}

/// Options for page size, placement, margins, orientation and resolution.
struct PhotoPageArguments: ParsableArguments {
    @Option(
        """
        A3 to A6, B5, letter, legal, 10x15cm, or photo: size in the image (default; A4 if it has \
        none)
        """, value: "size", completion: Completion.papers)
    var page: String?
    @Option(
        "Placement: contain, cover or none (default: contain)", value: "kind",
        completion: .list(ConversionOptions.Fit.names))
    var fit: String?
    @Option("Distance to the page edges, such as 10mm or 1in", value: "length")
    var margin: String?
    @Option(
        "Page orientation: auto, portrait or landscape (default: auto)", value: "kind",
        completion: .list(ConversionOptions.Orientation.names))
    var orientation: String?
    @Option("Resolution (default: stored in the image)", value: "n")
    var dpi: String?
}

/// A scale: `3/8`, `1/2`, `0.5`, `50%`.
struct PhotoScale: OptionValue {
    static let expected = "a scale from 1/8 to 8/8, such as 3/8, 0.5 or 50%"
    let eighths: Int

    init?(argument: String) {
        let value: Double
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard let above = Int(parts[0]), let below = Int(parts[1]), above > 0, below > 0 else {
                return nil
            }
            value = Double(above) / Double(below)
        } else if argument.hasSuffix("%") {
            guard let percent = Double(argument.dropLast()) else { return nil }
            value = percent / 100
        } else {
            guard let number = Double(argument) else { return nil }
            value = number
        }
        guard value > 0, value <= 1 else { return nil }
        eighths = max(1, Int((value * 8 - 1e-9).rounded(.up)))
    }
}

/// A maximum size in pixels: `1600x1200`.
struct PixelBox: OptionValue {
    static let expected = "pixels such as 1600x1200"
    let width: Int
    let height: Int

    init?(argument: String) {
        let parts = argument.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
            (1...1_000_000).contains(width), (1...1_000_000).contains(height)
        else { return nil }
        self.width = width
        self.height = height
    }
}

/// A number of bytes: `2MB`, `500kB`, `1.5MiB`, `100000`.
struct ByteAmount: OptionValue {
    static let expected = "a size such as 2MB, 500kB or 1MiB"
    let count: Int
    /// No image is so small: the unit is missing.
    private static let smallestCount = 100

    static func mistake(in argument: String) -> String? {
        guard let number = Int(argument), (1..<smallestCount).contains(number) else { return nil }
        return "the unit is missing, such as \(number)MB or \(number)kB"
    }

    init?(argument: String) {
        let units: [(String, Double)] = [
            ("kib", 1024), ("mib", 1_048_576), ("gib", 1_073_741_824), ("kb", 1e3), ("mb", 1e6),
            ("gb", 1e9), ("k", 1e3), ("m", 1e6), ("g", 1e9), ("b", 1),
        ]
        let text = argument.lowercased()
        let unit = units.first { text.hasSuffix($0.0) }
        guard let number = Double(text.dropLast(unit?.0.count ?? 0)), number > 0,
            number * (unit?.1 ?? 1) < 1e15,
            number * (unit?.1 ?? 1) >= (unit == nil ? Double(Self.smallestCount) : 1)
        else { return nil }
        count = Int(number * (unit?.1 ?? 1))
    }

    /// A size as text: `1938 bytes`, `187 kB`, `5.2 MB`.
    static func text(_ count: Int) -> String {
        switch count {
        case ..<10_000: "\(count) bytes"
        case ..<1_000_000: "\((count + 500) / 1000) kB"
        default: "\((count + 50_000) / 1_000_000).\((count + 50_000) / 100_000 % 10) MB"
        }
    }
}

/// A page size: `A4`, `letter`, `10x15cm`, `photo`.
extension ConversionOptions.Page: OptionValue {
    static let expected = "a page such as A4, letter, 10x15cm or photo"

    init?(argument: String) {
        if argument.lowercased() == "photo" {
            self = .photo
        } else if let (width, height) = PaperFormat.size(argument) {
            self = .size(width: width, height: height)
        } else {
            // Numbers without a unit are points. Values below 72 points are probably a mistake.
            let least = argument.last?.isNumber == true ? 72.0 : 3
            guard let size = StampSize(argument: argument),
                (least...1_000_000).contains(size.width), (least...1_000_000).contains(size.height)
            else { return nil }
            self = .size(width: size.width, height: size.height)
        }
    }
}

/// A resolution from 1 to 100,000 dpi.
struct DotsPerInch: OptionValue {
    static let expected = "a number from 1 to 100000"
    let value: Double

    init?(argument: String) {
        guard let value = Double(argument), (1...100_000).contains(value) else { return nil }
        self.value = value
    }
}

extension ConversionOptions.Fit: OptionValue {}
extension ConversionOptions.Orientation: OptionValue {}
