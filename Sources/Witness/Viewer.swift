package import SystemBridge

/// A PDF viewer that may be installed and can draw pages.
package enum Viewer: String, CaseIterable, Sendable {
    case poppler, mupdf, ghostscript

    /// The installed viewers in folders that only their owner can change.
    package static var installed: [Viewer] { allCases.filter { $0.path != nil } }

    /// The Debian package of the first viewer.
    package static let usualPackage = "poppler-utils"

    private var path: String? { ViewerProgram.path(of: programName) }

    package var programName: String {
        switch self {
        case .poppler: "pdftoppm"
        case .mupdf: "mutool"
        case .ghostscript: "gs"
        }
    }

    package var package: String {
        switch self {
        case .poppler: Self.usualPackage
        case .mupdf: "mupdf-tools"
        case .ghostscript: "ghostscript"
        }
    }

    /// Time limits for one page and for all pages, in seconds.
    private static let (pageSeconds, seconds) = (10.0, 30.0)

    private static func limits(_ seconds: Double) -> ChildProcess.Limits {
        ChildProcess.Limits(memoryByteCount: 1 << 30, outputByteCount: 256 << 20, seconds: seconds)
    }

    /// Pictures of some pages, in color. The programs open standard input by name, to read it from
    /// its beginning.
    ///
    /// - Parameters:
    ///   - pages: page numbers, from 1.
    ///   - resolution: pixels per inch.
    ///   - hidesAnnotations: whether annotations are omitted, if the viewer supports it.
    /// - Returns: a picture for each existing page.
    package func pictures(
        of pages: ClosedRange<Int>, in file: InputFile, resolution: Int,
        hidesAnnotations: Bool = false
    ) throws(WitnessError) -> [Picture] {
        let (first, last) = (pages.lowerBound, pages.upperBound)
        let arguments =
            switch self {
            case .poppler:
                ["-q", "-cropbox", "-r", "\(resolution)", "-f", "\(first)", "-l", "\(last)"]
                    + (hidesAnnotations ? ["-hide-annotations", "/dev/stdin"] : ["/dev/stdin"])
            case .mupdf:
                [
                    "draw", "-q", "-F", "ppm", "-r", "\(resolution)", "-o", "-", "/dev/stdin",
                    "\(first)-\(last)",
                ]
            case .ghostscript:
                Self.ghostscriptArguments(device: "ppmraw", resolution: resolution, pages)
            }
        let program = ViewerProgram(
            programName, package: package, arguments,
            Self.limits(min(Self.seconds, Self.pageSeconds * Double(pages.count))))
        guard let pictures = Picture.all(in: try program.output(for: file)), !pictures.isEmpty
        else { throw WitnessError(.failed, "\(rawValue) wrote no image") }
        return pictures
    }

    /// Messages go to standard error, and only pictures to standard output.
    private static func ghostscriptArguments(
        device: String, resolution: Int, _ pages: ClosedRange<Int>
    ) -> [String] {
        [
            "-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sstdout=%stderr", "-dUseCropBox",
            "-sDEVICE=\(device)", "-r\(resolution)", "-dFirstPage=\(pages.lowerBound)",
            "-dLastPage=\(pages.upperBound)", "-sOutputFile=-", "/dev/stdin",
        ]
    }

    /// Resolution in pixels per inch, because Ghostscript accepts no page size in pixels.
    private static let ghostscriptResolution = 120

    /// A page as PNG.
    ///
    /// - Parameter side: the longest side, in pixels; Ghostscript uses its own resolution.
    package func png(
        of page: Int, in file: InputFile, side: Int, seconds: Double
    ) throws(WitnessError) -> [UInt8] {
        let arguments =
            switch self {
            case .ghostscript:
                Self.ghostscriptArguments(
                    device: "png16m", resolution: Self.ghostscriptResolution, page...page)
            case .poppler:
                [
                    "-q", "-png", "-singlefile", "-cropbox", "-scale-to", "\(side)", "-f",
                    "\(page)", "-l", "\(page)", "/dev/stdin",
                ]
            case .mupdf:
                [
                    "draw", "-q", "-F", "png", "-w", "\(side)", "-h", "\(side)", "-o", "-",
                    "/dev/stdin", "\(page)",
                ]
            }
        return try ViewerProgram(
            programName, package: package, arguments, Self.limits(seconds)
        ).output(for: file)
    }

    /// The installed viewer that draws pages as PNG.
    ///
    /// - Throws: ``WitnessError`` of kind `notInstalled`.
    package static func drawer() throws(WitnessError) -> Viewer {
        guard let viewer = [Viewer.poppler, .mupdf].first(where: { $0.path != nil }) else {
            throw WitnessError(.notInstalled, "pdftoppm or mutool", package: usualPackage)
        }
        return viewer
    }
}
