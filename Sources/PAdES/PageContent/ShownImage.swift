import ByteKit
import PDFCore

/// Whether all readers show the same of an image XObject (ISO 32000-2 §8.9.5): whether its entries
/// agree with one another and with its data, as far as that can be told without decoding much.
struct ShownImage {
    /// In which way they do not; for people.
    private struct Oddity: Error {
        let words: String

        init(_ words: String) { self.words = words }
    }

    private let document: PDFDocument
    private let image: PDFDictionary
    private let stream: PDFStream
    /// How many bytes may still be decoded to be counted.
    private var budget: Int

    private static let depths: Set<Int> = [1, 2, 4, 8, 16]
    /// Largest side, in samples.
    private static let sideLimit = 1 << 24
    /// Most data that are decoded to be counted, in bytes.
    private static let decodedLimit = 1 << 18

    /// - Parameter budget: how many bytes may still be decoded to be counted.
    /// - Returns: Why readers show different things; nil when they do not, as far as one can see.
    static func doubt(
        about stream: PDFStream, in document: PDFDocument, within budget: inout Int
    ) throws(PDFError) -> String? {
        var image = ShownImage(stream, document, budget)
        defer { budget = image.budget }
        do {
            try image.check()
            return nil
        } catch let oddity as Oddity {
            return oddity.words
        } catch let error as PDFError {
            guard error.code != .readFailed else { throw error }
            return nil
        } catch {
            return nil
        }
    }

    private init(_ stream: PDFStream, _ document: PDFDocument, _ budget: Int) {
        (self.stream, self.document, image) = (stream, document, stream.dictionary)
        self.budget = budget
    }

    private func value(_ key: PDFName) throws(PDFError) -> PDFObject {
        try document.value(image, key)
    }

    private func side(_ key: PDFName) throws -> Int {
        guard let side = try value(key).integerValue, (1...Self.sideLimit).contains(side) else {
            throw Oddity("its \(key) is no number of samples")
        }
        return side
    }

    private mutating func check() throws {
        let (width, height) = (try side("Width"), try side("Height"))
        let filters = try filterNames()
        let isMask = try value("ImageMask").booleanValue == true
        // Those data say themselves how they are to be read.
        if filters.last == "JPXDecode", !isMask { return }
        let depth = try depth(isMask: isMask, hasOwn: Self.ownDepths.contains(filters.last ?? ""))
        let components = isMask ? 1 : try self.components(of: value("ColorSpace"))
        try checkRanges(components, depth, isMask: isMask)
        if filters == ["DCTDecode"] { try checkJPEG(width, height, components) }
        if !isMask { try checkSoftMask() }
        let (rowBits, isLarge) = width.multipliedReportingOverflow(by: components * depth)
        guard !isLarge else { return }
        try checkSize((rowBits + 7) / 8, height, filters)
    }

    /// Filters whose data have a depth of their own.
    private static let ownDepths: Set<PDFName> = ["CCITTFaxDecode", "JBIG2Decode", "DCTDecode"]

    private func filterNames() throws -> [PDFName] {
        let entry = try value("Filter")
        return try (entry.arrayValue ?? [entry]).compactMap { try document.resolve($0).nameValue }
    }

    private func depth(isMask: Bool, hasOwn: Bool) throws -> Int {
        let entry = try value("BitsPerComponent")
        if isMask {
            guard entry == .null || entry.integerValue == 1 else {
                throw Oddity("it is a mask, and its BitsPerComponent is not 1")
            }
            guard try value("ColorSpace") == .null else {
                throw Oddity("it is a mask, and has a ColorSpace")
            }
            return 1
        }
        if entry == .null, hasOwn { return 8 }
        guard let depth = entry.integerValue, Self.depths.contains(depth) else {
            throw Oddity("its BitsPerComponent is none that images have")
        }
        return depth
    }

    private func components(of entry: PDFObject) throws -> Int {
        guard entry != .null else { throw Oddity("it has no ColorSpace") }
        let (space, doubt) = try ColorSpaces(document).space(entry)
        guard let space else { throw Oddity("it has " + (doubt ?? "no ColorSpace")) }
        return space.componentCount
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
        let values = try numbers(mask).map(\.integerValue)
        guard values.count == 2 * components,
            values.allSatisfy({ $0.map { (0..<1 << depth).contains($0) } ?? false })
        else { throw Oddity("its Mask does not fit its components") }
    }

    private mutating func checkSoftMask() throws {
        let entry = try value("SMask")
        guard entry != .null else { return }
        guard let mask = entry.streamValue,
            try document.value(mask.dictionary, "Subtype").nameValue == "Image"
        else { throw Oddity("its SMask is no image") }
        var inner = ShownImage(mask, document, budget)
        defer { budget = inner.budget }
        if try inner.filterNames().last != "JPXDecode",
            try inner.components(of: inner.value("ColorSpace")) != 1
        {
            throw Oddity("its SMask has more than one component")
        }
        if try inner.value("SMask") == .null { try inner.check() }
    }

    // MARK: Data

    /// The size that a JPEG's own header says (ISO/IEC 10918-1 Annex B).
    private func checkJPEG(_ width: Int, _ height: Int, _ components: Int) throws {
        guard !document.isEncrypted, let range = stream.dataRange else { return }
        var position = range.lowerBound
        for _ in 0..<Self.markerLimit where position + 10 <= range.upperBound {
            let head = try document.source.bytes(at: position, count: 10)
            guard head.count == 10, head[0] == 0xFF else { return }
            switch head[1] {
            case 0xD8, 0xFF: position += head[1] == 0xFF ? 1 : 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                let found = (
                    Int(head[7]) << 8 | Int(head[8]), Int(head[5]) << 8 | Int(head[6]), Int(head[9])
                )
                guard found == (width, height, components), head[4] == 8 else {
                    throw Oddity("its JPEG data have another size, depth or number of components")
                }
                return
            default: position += 2 + (Int(head[2]) << 8 | Int(head[3]))
            }
        }
    }

    private static let markerLimit = 1000

    private mutating func checkSize(_ rowByteCount: Int, _ height: Int, _ filters: [PDFName]) throws
    {
        let (due, isLarge) = rowByteCount.multipliedReportingOverflow(by: height)
        guard !isLarge, due <= min(Self.decodedLimit, budget) else { return }
        let kinds: Set<PDFName> = ["FlateDecode", "LZWDecode", "ASCIIHexDecode", "ASCII85Decode"]
        guard filters.allSatisfy(kinds.contains) else { return }
        budget -= due
        let count = try document.decodedData(of: stream, upTo: Self.decodedLimit + due).count
        if count < due { throw Oddity("it has less data than its size asks for") }
    }
}
