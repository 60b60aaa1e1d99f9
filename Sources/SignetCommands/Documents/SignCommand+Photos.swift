import ArgumentParser
import SignetKit

/// Photos that are converted to a PDF before signing.
struct PhotoSigningArguments: ParsableArguments {
    @Flag(
        name: .customLong("as-pdf"),
        help: "Convert images to one PDF, one page each, and sign it")
    var asPDF = false
    @Option(
        "Page size: A4, letter, 10x15cm, or photo (print size in the image file)",
        value: "size", completion: Completion.papers)
    var page: String?
    @OptionGroup var imageSize: PhotoSizeArguments
    @Flag(help: "Remove metadata such as GPS position and date")
    var strip = false

    static let patterns = PictureFormats.nameExtensions.flatMap {
        ["*.\($0)", "*.\($0.uppercased())"]
    }

    func validate() throws {
        if let page, !asPDF, Int(page) != nil || page == "last" {
            throw ValidationError(
                "--page is the paper size of images: the page of a signature is in its position, such as --at \(page):bottom-right."
            )
        }
        guard asPDF || page == nil && !imageSize.isGiven && !strip else {
            throw ValidationError(
                "The image options (--page, --gray, --scale ...) require --as-pdf.")
        }
        _ = try options()
    }

    func options() throws -> ConversionOptions {
        var options = try imageSize.options()
        options.page = try Value.parse(page, "--page") ?? .automatic
        options.strips = strip
        return options
    }
}

extension SignCommand {
    func signPhotos(_ inputs: [String], with signing: SignDocument, reporter: Reporter) throws {
        let task = SignPhotos(ConvertPhotos(options: try photos.options()), signing: signing)
        let first = inputs.first ?? "-"
        let files = inputs.map { InputSource.file($0) }
        let destination = try OutputNaming(
            output: place.output, suffix: Self.suffix,
            dropping: PictureFormats.nameExtensions
        ).replacing(place.force || kind.dryRun).destination(for: first)
        let count = inputs.count == 1 ? "1 photo" : "\(inputs.count) photos"
        reporter.step("signing \(count) into \(destination.path)")
        let signed = try reporter.showingProgress { progress in
            guard kind.dryRun else {
                return try task.run(files, into: destination, progress: progress)
            }
            try destination.rehearse()
            return try task.check(files, progress: progress)
        }
        reporter.tell(about: signed.pages ?? [])
        try tell(reporter, first, signed)
    }
}
