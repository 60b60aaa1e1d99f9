import ByteKit
import PDFCore

/// Whether all readers show the same of an image XObject (ISO 32000-2 §8.9.5): whether its entries
/// agree with one another and with its data, as far as that can be told without decoding much.
struct ShownImage {
    /// In which way they do not; for people.
    struct Oddity: Error {
        let words: String

        init(_ words: String) { self.words = words }
    }

    let document: PDFDocument
    let functions: FunctionMemory
    private let image: PDFDictionary
    private let stream: PDFStream
    var budget: Budget

    /// How much of images may still be looked at, in bytes.
    struct Budget {
        /// Of what is decoded.
        var byteCount: Int
        /// Of what is decompressed to be counted, and kept nowhere.
        var countedByteCount: Int
        /// Whether all are counted, or such alone as would grow to a size that is not usual.
        var countsAll: Bool
        /// Whether it was enough for what was to be looked at.
        var isEnough = true

        init(_ effort: DynamicContent.Effort) {
            byteCount = effort.contentByteCount / 16
            countedByteCount = effort.countedByteCount
            countsAll = effort == .thorough
        }
    }

    private static let depths: Set<Int> = [1, 2, 4, 8, 16]
    /// Largest side, in samples.
    private static let sideLimit = 1 << 24
    /// Most data that are decoded to be counted, in bytes.
    private static let decodedLimit = 1 << 18

    /// - Returns: Why readers show different things; nil when they do not, as far as one can see.
    static func doubt(
        about stream: PDFStream, in document: PDFDocument, _ functions: FunctionMemory,
        within budget: inout Budget
    ) throws(PDFError) -> String? {
        var image = ShownImage(stream, document, functions, budget)
        defer { budget = image.budget }
        do {
            try image.check()
            return nil
        } catch let oddity as Oddity {
            return oddity.words
        } catch let error as PDFError {
            guard error.code != .readFailed else { throw error }
            if error.code == .limitExceeded { image.budget.isEnough = false }
            return nil
        } catch {
            return nil
        }
    }

    private init(
        _ stream: PDFStream, _ document: PDFDocument, _ functions: FunctionMemory, _ budget: Budget
    ) {
        (self.stream, self.document, image) = (stream, document, stream.dictionary)
        self.functions = functions
        self.budget = budget
    }

    func value(_ key: PDFName) throws(PDFError) -> PDFObject {
        try document.value(image, key)
    }

    private func side(_ key: PDFName) throws -> Int {
        guard let side = try value(key).integerValue, (1...Self.sideLimit).contains(side) else {
            throw Oddity("its \(key) is no number of samples")
        }
        return side
    }

    /// What is asked of an image besides.
    enum Role { case image, mask, softMask }

    private mutating func check(_ role: Role = .image) throws {
        let (width, height) = (try side("Width"), try side("Height"))
        let filters = try filterNames()
        try checkFilters(filters)
        let isMask = try value("ImageMask").booleanValue == true
        if role == .mask, !isMask { throw Oddity("its Mask does not say that it is one") }
        if isMask, try value("SMask") != .null || value("Mask") != .null {
            throw Oddity("it is a mask, and has one")
        }
        let last = filters.last ?? ""
        if last == "JPXDecode" { return try checkJPX(width, height, role, isMask: isMask) }
        let depth = try depth(isMask: isMask, last)
        let space = isMask ? nil : try self.space(of: value("ColorSpace"))
        let components = space?.componentCount ?? 1
        try checkRanges(components, depth, isMask: isMask)
        if let highest = space?.highestIndex {
            try checkIndices(depth)
            try checkIndexData(
                PixelIndices(highest: highest, depth: depth, width: width), height, filters)
        }
        if let space, space.isLab { try checkLab(space) }
        try checkRole(role)
        if PictureFilters.jpeg.contains(last) { try checkJPEG(width, height, components) }
        if PictureFilters.fax.contains(last) { try checkFax(width, height) }
        if last == "JBIG2Decode" { try checkJBIG2(width, height) }
        if Self.bilevelFilters.contains(last), components != 1 {
            throw Oddity("its data have one component, and its ColorSpace more")
        }
        if !isMask, role == .image { try checkMasks(width, height, components) }
        let (rowBits, isLarge) = width.multipliedReportingOverflow(by: components * depth)
        guard !isLarge else { return }
        try checkSize((rowBits + 7) / 8, height, filters)
    }

    /// Filters whose data are of one bit.
    private static let bilevelFilters = PictureFilters.fax.union(["JBIG2Decode"])

    /// A soft mask is grey and has no mask of its own (ISO 32000-2 Table 143).
    func checkRole(_ role: Role) throws {
        guard role == .softMask else { return }
        guard try value("ColorSpace").nameValue == "DeviceGray" else {
            throw Oddity("its SMask is not of DeviceGray")
        }
        if try value("Mask") != .null || value("SMask") != .null {
            throw Oddity("its SMask has a mask")
        }
    }

    private func filterNames() throws -> [PDFName] {
        let entry = try value("Filter")
        return try (entry.arrayValue ?? [entry]).compactMap { try document.resolve($0).nameValue }
    }

    /// Filters for pictures come last, and each has its own parameters, in a list where it is in one.
    private func checkFilters(_ filters: [PDFName]) throws {
        let isPicture = Self.bilevelFilters.union(PictureFilters.jpeg).union(["JPXDecode"]).contains
        if filters.dropLast().contains(where: isPicture) {
            throw Oddity("its data are decoded further than to a picture")
        }
        guard let last = filters.last, Self.bilevelFilters.contains(last) else { return }
        let isList = try value("Filter").arrayValue != nil
        let parameters = try value("DecodeParms")
        guard parameters != .null else { return }
        let fits =
            parameters.arrayValue.map { isList && $0.count == filters.count }
            ?? (filters.count == 1)
        if !fits { throw Oddity("its filters and their parameters are not in the same order") }
    }

    /// The parameters of the last filter.
    func parameters() throws -> PDFDictionary {
        let entry = try value("DecodeParms")
        let last = try (entry.arrayValue?.last).map { try document.resolve($0) } ?? entry
        return last.dictionaryValue ?? PDFDictionary()
    }

    private func depth(isMask: Bool, _ filter: PDFName) throws -> Int {
        let entry = try value("BitsPerComponent")
        if isMask {
            guard !PictureFilters.jpeg.contains(filter) else {
                throw Oddity("it is a mask of JPEG data")
            }
            guard entry == .null || entry.integerValue == 1 else {
                throw Oddity("it is a mask, and its BitsPerComponent is not 1")
            }
            guard try value("ColorSpace") == .null else {
                throw Oddity("it is a mask, and has a ColorSpace")
            }
            return 1
        }
        let own = Self.bilevelFilters.contains(filter) ? 1 : 8
        // JPEG 2000 and JBIG2 data alone say it in a way that all readers look for.
        if entry == .null, filter != "JBIG2Decode" {
            throw Oddity("it has no BitsPerComponent, which readers take for various ones")
        }
        if Self.bilevelFilters.contains(filter) || PictureFilters.jpeg.contains(filter) {
            guard entry == .null || entry.integerValue == own else {
                throw Oddity("its BitsPerComponent is not that of its data")
            }
            return own
        }
        guard let depth = entry.integerValue, Self.depths.contains(depth) else {
            throw Oddity("its BitsPerComponent is none that images have")
        }
        return depth
    }

    private func space(of entry: PDFObject) throws -> ColorSpaces.Space {
        guard entry != .null else { throw Oddity("it has no ColorSpace") }
        let (space, doubt) = try ColorSpaces(document, functions).space(entry)
        guard let space else { throw Oddity("it has " + (doubt ?? "no ColorSpace")) }
        return space
    }

    /// Numbers of a table of colours are 8 bits at most, and as they come or the other way round.
    private func checkIndices(_ depth: Int) throws {
        let highest = Double(1 << depth - 1)
        let decode = try numbers(value("Decode")).map(\.numberValue)
        guard depth <= 8, decode.isEmpty || decode == [0, highest] || decode == [highest, 0] else {
            throw Oddity("its data are no numbers of its table of colours")
        }
    }

    /// What lies beyond the table some readers take for its last colour, others for black, or nothing.
    private mutating func checkIndexData(
        _ pixels: PixelIndices, _ height: Int, _ filters: [PDFName]
    ) throws {
        guard pixels.canBeBeyond else { return }
        guard try numbers(value("Decode")).first?.numberValue ?? 0 == 0 else {
            throw Oddity("its data are counted backwards from beyond its table of colours")
        }
        let (due, isLarge) = pixels.rowByteCount.multipliedReportingOverflow(by: height)
        guard !isLarge, due <= budget.countedByteCount else {
            budget.isEnough = false
            return
        }
        budget.countedByteCount -= due
        var pixels = pixels
        if try value("DecodeParms") == .null,
            try document.inflate(stream, upTo: due, { pixels.take($0) }) != nil
        {
            // What comes behind the last row nobody shows.
        } else {
            let data = try document.decodedData(of: stream, upTo: due + Self.decodedLimit)
            pixels.take(data.span.extracting(0..<min(due, data.count)))
        }
        if pixels.areBeyond { throw Oddity("its data go beyond its table of colours") }
    }

    /// Some readers take data for colours in the space's own ranges, others in usual ones.
    private func checkLab(_ space: ColorSpaces.Space) throws {
        guard !space.hasOddRange, try value("Decode") == .null else {
            throw Oddity("its data are L*a*b* colours in ranges of its own")
        }
    }

    private func numbers(_ entry: PDFObject) throws -> [PDFObject] {
        try (entry.arrayValue ?? []).map { try document.resolve($0) }
    }

    /// How values stand for colours, and which of them are not drawn.
    private func checkRanges(_ components: Int, _ depth: Int, isMask: Bool) throws {
        let decode = try value("Decode")
        if decode != .null {
            let values = try numbers(decode).map(\.numberValue)
            guard values.count == 2 * components, values.allSatisfy({ $0?.isFinite == true }),
                !isMask || values == [0, 1] || values == [1, 0]
            else { throw Oddity("its Decode does not fit its components") }
        }
        let mask = try value("Mask")
        guard mask.arrayValue != nil else { return }
        // Colours come out of JPEG data a little different in each reader (ISO 32000-2 §8.9.6.4).
        if try PictureFilters.jpeg.contains(filterNames().last ?? "") {
            throw Oddity("its Mask names colours of JPEG data, which readers round")
        }
        let values = try numbers(mask).map(\.integerValue)
        // What is transparent by 16 bits few readers tell apart.
        guard values.count == 2 * components, depth <= 8,
            values.allSatisfy({ $0.map { (0..<1 << depth).contains($0) } ?? false })
        else { throw Oddity("its Mask does not fit its components") }
    }

    /// - Parameter components: nil where the data say how many they are.
    mutating func checkMasks(_ width: Int, _ height: Int, _ components: Int?) throws {
        let entry = try value("Mask")
        switch entry {
        case .null, .array: break
        case .stream(let mask): try check(mask, .mask)
        default: throw Oddity("its Mask is no image and no colours")
        }
        let soft = try value("SMask")
        guard soft != .null else { return }
        guard let mask = soft.streamValue else { throw Oddity("its SMask is no image") }
        try check(mask, .softMask)
        let matte = try document.value(mask.dictionary, "Matte")
        guard matte != .null else { return }
        // Colours that were mixed with it can be got back point by point only (ISO 32000-2 §11.6.5.2).
        let sides = try ["Width", "Height"].map {
            try document.value(mask.dictionary, $0 as PDFName).integerValue
        }
        guard sides == [width, height],
            try document.numbers(mask.dictionary, "Matte")?.count == components ?? matteCount(matte)
        else { throw Oddity("its SMask has a Matte that does not fit it") }
    }

    private func matteCount(_ matte: PDFObject) -> Int { matte.arrayValue?.count ?? 0 }

    private mutating func check(_ mask: PDFStream, _ role: Role) throws {
        guard try document.value(mask.dictionary, "Subtype").nameValue == "Image" else {
            throw Oddity("its mask is no image")
        }
        var inner = ShownImage(mask, document, functions, budget)
        defer { budget = inner.budget }
        try inner.check(role)
    }

    // MARK: Data

    /// How much less it costs to get the data of pictures than to decode them.
    static let pictureShare = 8
    /// How many times longer pictures get at most when what they are compressed by besides is undone.
    private static let pictureRatio = 16

    /// What the last filter takes; nil beyond the budget.
    mutating func pictureData() throws -> ImageData? {
        if try filterNames().count == 1, !document.isEncrypted, let range = stream.dataRange {
            return ImageData(content: .file(document.source, range))
        }
        let limit = budget.byteCount * Self.pictureShare
        let stored = stream.dataRange?.count ?? 0
        guard stored <= limit else {
            budget.isEnough = false
            return nil
        }
        let bytes: [UInt8]
        do {
            bytes = try document.pictureData(of: stream, upTo: limit)
        } catch {
            // Pictures do not get much shorter.
            guard error.code == .limitExceeded, stored < limit / Self.pictureRatio else {
                throw error
            }
            throw Oddity("its data grow to many times their length, as those of no picture do")
        }
        budget.byteCount -= bytes.count / Self.pictureShare
        return ImageData(content: .memory(bytes))
    }

    /// How many times longer data can get at most; without filters that pictures need.
    private static let ratios: [PDFName: Int] = [
        "FlateDecode": 1032, "LZWDecode": 3640, "ASCIIHexDecode": 1, "ASCII85Decode": 4,
        "RunLengthDecode": 64,
    ]

    private mutating func checkSize(_ rowByteCount: Int, _ height: Int, _ filters: [PDFName]) throws
    {
        let (due, isLarge) = rowByteCount.multipliedReportingOverflow(by: height)
        guard !isLarge, let stored = stream.dataRange?.count else { return }
        var most = stored
        for filter in filters {
            guard let ratio = Self.ratios[filter] else { return }
            most = most.multipliedReportingOverflow(by: ratio).partialValue
            guard most >= 0 else { return }
        }
        let words = "it has less data than its size asks for"
        if most < due, !document.isEncrypted { throw Oddity(words) }
        try checkPredictor()
        guard !filters.isEmpty || document.isEncrypted else { return }
        if filters == ["FlateDecode"], due > Self.decodedLimit {
            let (usual, isLarge) = stored.multipliedReportingOverflow(by: Self.usualRatio)
            guard !isLarge && usual < due || budget.countsAll else { return }
            guard due <= budget.countedByteCount else {
                if usual < due { budget.isEnough = false }
                return
            }
            budget.countedByteCount -= due
            if let count = try document.inflate(stream, upTo: due), count < due {
                throw Oddity(words)
            }
            return
        }
        guard due <= min(Self.decodedLimit, budget.byteCount) else { return }
        budget.byteCount -= due
        let count = try document.decodedData(of: stream, upTo: Self.decodedLimit + due).count
        if count < due { throw Oddity(words) }
    }

    /// How many times longer the data of most pictures get.
    private static let usualRatio = 200

    /// Not all readers undo the prediction of what is less than a byte.
    private func checkPredictor() throws {
        let entry = try value("DecodeParms")
        for element in entry.arrayValue ?? [entry] {
            guard let values = try document.resolve(element).dictionaryValue,
                try document.value(values, "Predictor").integerValue ?? 1 > 1
            else { continue }
            let depth = try document.value(values, "BitsPerComponent").integerValue ?? 8
            let isTIFF = try document.value(values, "Predictor").integerValue == 2
            let sides = try ["Colors", "Columns"].map {
                try document.value(values, $0 as PDFName).integerValue ?? 1
            }
            guard sides.allSatisfy({ $0 > 0 }), !isTIFF || depth >= 8 else {
                throw Oddity("its data are predicted in a way that not all readers know")
            }
        }
    }
}
