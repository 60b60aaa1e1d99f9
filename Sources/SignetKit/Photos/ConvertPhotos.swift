import Base
import CodecBridge
import Pages
import SystemBridge

/// Creates a PDF of photos and other pictures (``PictureFormats``), one page per picture, in the
/// given order.
///
/// The image data is unchanged unless the options require otherwise.
public struct ConvertPhotos: Sendable {
    private var options: ConversionOptions
    private let now: CalendarTime?

    /// - Parameter now: replaces the system clock.
    public init(options: ConversionOptions, now: Moment? = nil) {
        self.options = options
        self.now = now?.time
    }

    /// A copy with a size limit that leaves room for a signature; nil if it already fits or there is
    /// no limit.
    ///
    /// - Parameters:
    ///   - byteCount: size of the document in bytes.
    ///   - added: size of the signature in bytes.
    func leavingRoom(
        after byteCount: Int, for added: @autoclosure () throws -> Int
    ) rethrows -> ConvertPhotos? {
        guard let limit = options.maxByteCount else { return nil }
        let added = try added()
        guard byteCount + added > limit else { return nil }
        var copy = self
        copy.options.maxByteCount = max(0, limit - added)
        return copy
    }

    /// Converts `photos` into one document. After a failure, no output file remains.
    ///
    /// - Parameters:
    ///   - photos: files are read during conversion, some of them twice; an open descriptor must
    ///     not be a pipe.
    ///   - progress: called after each photo with the number of finished photos and the total.
    /// - Throws: ``SignetError``; with `keepsGoing` only if no photo can be converted.
    public func run(
        _ photos: [InputSource], into destination: Destination,
        progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws -> ConvertedPhotos {
        let output = try output(for: photos, destination)
        let converted = try write(photos, into: output, progress: progress)
        try writing(destination.path) { try output.commit() }
        return converted
    }

    func output(for photos: [InputSource], _ destination: Destination) throws -> AtomicOutput {
        let paths = photos.compactMap(\.path)
        for input in paths where input != "-" && destination.path != "-" {
            guard !FileSystem.isSameFile(input, destination.path) else {
                throw SignetError(
                    .outputRefused, file: destination.path,
                    "the output file is one of the input images",
                    hint: Sentence(.writeElsewhere))
            }
        }
        try destination.requireNoTerminal()
        return try destination.output(madeOf: paths)
    }

    /// Converts `photos` into an output that the caller commits or signs.
    func write(
        _ photos: [InputSource], into output: AtomicOutput,
        progress: (_ done: Int, _ of: Int) -> Void = { _, _ in }
    ) throws -> ConvertedPhotos {
        let metadata = DocumentMetadata(
            title: options.title, producer: "Signet", created: now ?? SystemClock.now(),
            identifier: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
        let job = Job(photos: photos, metadata: metadata, output: output.path)
        let fitting = try setting(for: job, progress: progress)
        var converted = try convert(job, to: output, fitting: fitting, progress: progress)
        converted.quality = fitting?.quality
        converted.eighths = fitting?.eighths
        guard let eighths = fitting?.eighths, eighths < 8 else { return converted }
        for index in converted.pages.indices where converted.pages[index].dpi < Self.readableDensity
        {
            converted.pages[index].warnings.append(
                Sentence(.photoTooCoarse, "\(Int(Self.readableDensity))"))
        }
        return converted
    }

    /// Minimum resolution for readable text, in dpi. Small print needs twice as much.
    private static let readableDensity = 75.0

    /// Maximum number of pixels re-encoded in the size search: a constant, plus a number per input
    /// byte. Files with extreme compression end the search early.
    private static let searchedPixelCount = 64 << 20
    private static let searchedPixelRatio = 64

    /// Photos for one document, in a trial or the final conversion.
    private struct Job {
        let photos: [InputSource]
        let metadata: DocumentMetadata
        /// The name in results and messages.
        let output: String
    }

    /// The setting that a size limit requires; nil if the photos fit without changes.
    private func setting(for job: Job, progress: (Int, Int) -> Void) throws -> SizeSearch.Setting? {
        guard let limit = options.maxByteCount else { return nil }
        func size(_ setting: SizeSearch.Setting?) throws -> Int {
            let sink = CountingSink()
            _ = try convert(job, to: sink, fitting: setting, progress: progress)
            return sink.byteCount
        }
        let own = try size(nil)
        if own <= limit { return nil }
        func tooLarge(_ count: Int) -> SignetError {
            let lossless = Self.losslessPhotos(job.photos)
            let reason =
                lossless.isEmpty
                ? ""
                : "; \(PictureFormats.losslessNames.joined(separator: " and ")) images keep their size"
            let hint: Sentence =
                if let first = lossless.first {
                    Sentence(.allowMoreOrMakeJPEG, first)
                } else {
                    Sentence(job.photos.count == 1 ? .allowMore : .allowMoreOrGiveFewer)
                }
            return SignetError(
                .usage,
                "the document has at least \(count) bytes, more than the limit of \(limit)\(reason)",
                hint: hint)
        }
        guard options.quality == nil else { throw tooLarge(own) }
        let search = SizeSearch(limit: limit, mayScale: options.eighths == nil)
        let pixelCount = try Self.pixelCount(of: job.photos)
        var budget = Self.searchedPixelCount + Self.searchedPixelRatio * own
        let found = try search.run(while: { budget > 0 }) { setting in
            budget -= pixelCount
            return try size(setting)
        }
        if let setting = found.setting { return setting }
        guard budget > 0 else {
            throw SignetError(
                .malformedInput,
                "the images have \(pixelCount) pixels, too many to reach \(own) bytes by trying "
                    + "more qualities", hint: Sentence(.scaleInstead))
        }
        throw tooLarge(found.smallest)
    }

    /// The names of the images that are embedded without loss.
    private static func losslessPhotos(_ photos: [InputSource]) -> [String] {
        photos.filter { source in
            guard let file = try? source.open() else { return false }
            return (try? PictureFormat(of: file))?.isRaster ?? false
        }.map(\.name)
    }

    /// Total number of pixels of all JPEG photos. Unreadable photos are skipped.
    private static func pixelCount(of photos: [InputSource]) throws -> Int {
        photos.reduce(0) { sum, source in
            guard let file = try? source.open(), let photo = try? Photo(file) else { return sum }
            return sum + photo.width * photo.height
        }
    }

    /// A photo that was read and possibly re-encoded, on any thread.
    private enum Prepared: Sendable {
        case planned(PhotoPlan)
        case made(PhotoPlan, [[UInt8]], ImageProperties, warnings: [String])
        case picture(RasterPicture, PageLayout.Placement, notes: [Sentence])
        case failed(SignetError)
    }

    private func convert(
        _ job: Job, to sink: any RevocableSink, fitting: SizeSearch.Setting?,
        progress: (_ done: Int, _ of: Int) -> Void
    ) throws -> ConvertedPhotos {
        let photos = job.photos
        let document = try reading(job.output) {
            try PhotoDocument(sink, metadata: job.metadata, isArchival: options.isArchival)
        }
        var pages: [ConvertedPhotos.Page] = []
        var failures: [SignetError] = []
        func attempt(_ body: () throws -> ConvertedPhotos.Page) throws {
            do {
                pages.append(try body())
            } catch let error as SignetError
                where options.keepsGoing
                && (error.code == .malformedInput || error.code == .missingInput)
            { failures.append(error) }
            progress(pages.count + failures.count, photos.count)
        }
        let mayRecode = fitting != nil || Self.mayRecode(options)
        let jobs = mayRecode ? min(options.jobs ?? OrderedWork.coreCount, photos.count) : 1
        if jobs > 1 {
            try OrderedWork.run(count: photos.count, jobs: jobs) { index in
                prepare(photos[index], fitting: fitting)
            } consume: { index, prepared in
                try attempt { try add(prepared, of: photos[index], to: document) }
            }
        } else {
            for photo in photos { try attempt { try add(photo, to: document, fitting) } }
        }
        guard document.pageCount > 0 || failures.isEmpty else { throw failures[0] }
        try reading(job.output) { try document.finish() }
        var converted = ConvertedPhotos(output: job.output)
        converted.pages = pages
        converted.failures = failures
        converted.byteCount = document.byteCount
        return converted
    }

    private static func mayRecode(_ options: ConversionOptions) -> Bool {
        options.eighths ?? 8 != 8 || options.quality != nil || options.isGray
            || options.maxPixels != nil
    }

    /// Performs the expensive steps on a separate thread.
    private func prepare(_ source: InputSource, fitting: SizeSearch.Setting?) -> Prepared {
        do {
            return try reading(source.name) {
                let file = try source.open()
                if let format = try PictureFormat(of: file), format.isRaster {
                    return try preparePicture(file, format: format)
                }
                let plan = try PhotoPlan(Photo(file), options, fitting: fitting)
                guard case .transcoded = plan.method else { return .planned(plan) }
                return try transcode(plan, of: file, fitting: fitting)
            }
        } catch let error as SignetError {
            return .failed(error)
        } catch {
            return .failed(SignetError(reading: source.name, error))
        }
    }

    private func transcode(
        _ plan: PhotoPlan, of file: InputFile, fitting: SizeSearch.Setting?
    ) throws -> Prepared {
        let made = MemorySink()
        let (properties, warnings) = try plan.photo.write(plan.method, from: file, to: made)
        // A size search must not make a photo larger.
        if fitting != nil, made.byteCount >= file.byteCount,
            PhotoPlan.mayStayUntouched(plan.photo, options: options)
        {
            return .planned(try PhotoPlan(plan.photo, options, fitting: nil))
        }
        return .made(plan, made.parts, properties, warnings: warnings)
    }

    private func add(
        _ prepared: Prepared, of source: InputSource, to document: PhotoDocument
    ) throws -> ConvertedPhotos.Page {
        let input = source.name
        switch prepared {
        case .failed(let error): throw error
        case .picture(let picture, let placement, let notes):
            return try reading(input) {
                try document.addPage(placement, picture)
                return ConvertedPhotos.Page(
                    file: input, (picture.width, picture.height, picture.orientation), placement,
                    picture.isUntouched ? .untouched : .lossless,
                    picture.warnings.map { Sentence($0) } + notes)
            }
        case .planned(let plan):
            return try reading(input) { try add(plan, of: try source.open(), to: document) }
        case .made(let plan, let parts, let properties, let warnings):
            return try reading(input) {
                try document.addPage(plan.placement) { sink in
                    for part in parts { try sink.append(part) }
                    return properties
                }
                return page(input, plan, properties, warnings)
            }
        }
    }

    private func add(
        _ source: InputSource, to document: PhotoDocument, _ fitting: SizeSearch.Setting?
    ) throws -> ConvertedPhotos.Page {
        try reading(source.name) {
            let file = try source.open()
            if let format = try PictureFormat(of: file), format.isRaster {
                return try add(preparePicture(file, format: format), of: source, to: document)
            }
            let plan = try PhotoPlan(Photo(file), options, fitting: fitting)
            if fitting != nil, case .transcoded = plan.method {
                return try add(
                    transcode(plan, of: file, fitting: fitting), of: source, to: document)
            }
            return try add(plan, of: file, to: document)
        }
    }

    /// Adds a page whose image is copied or re-encoded while it is written.
    private func add(
        _ plan: PhotoPlan, of file: InputFile, to document: PhotoDocument
    ) throws -> ConvertedPhotos.Page {
        var warnings: [String] = []
        var properties = plan.photo.properties
        try document.addPage(plan.placement) { sink in
            (properties, warnings) = try plan.photo.write(plan.method, from: file, to: sink)
            return properties
        }
        return page(file.path, plan, properties, warnings)
    }

    private func page(
        _ input: String, _ plan: PhotoPlan, _ properties: ImageProperties, _ warnings: [String]
    ) -> ConvertedPhotos.Page {
        var all = (plan.photo.warnings + warnings).map { Sentence($0) } + plan.notes
        if plan.photo.hasLocation, [.untouched, .cleaned].contains(plan.data) {
            all.append(Sentence(.photoWithPlace))
        }
        return ConvertedPhotos.Page(
            file: input, (properties.width, properties.height, plan.photo.orientation),
            plan.placement, plan.data, all)
    }

    /// Reads a picture that is embedded without loss.
    ///
    /// - Throws: ``SignetError``, also for options that only apply to JPEG.
    private func preparePicture(_ file: InputFile, format: PictureFormat) throws -> Prepared {
        let picture = try RasterPicture(file, format, isGray: options.isGray)
        let isSmall = options.maxPixels.map {
            picture.width <= $0.width && picture.height <= $0.height
        }
        guard options.eighths ?? 8 == 8, isSmall ?? true, options.quality == nil else {
            throw SignetError(
                .usage, file: file.path,
                "the file is a lossless \(format.name) image: scale and quality cannot be set",
                hint: Sentence(.leaveOutOrMakeJPEG, file.path))
        }
        let (placement, notes) = try PhotoMeasures(picture).placement(options)
        return .picture(picture, placement, notes: notes)
    }
}
