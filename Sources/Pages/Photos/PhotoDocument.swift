package import Base
import CodecBridge
import PDFCore

/// Writes a PDF with one page per photo, in one pass from the first byte to the last.
///
/// Memory holds a few numbers per page. A page that fails is removed again.
package final class PhotoDocument {
    private let sink: any RevocableSink
    private let metadata: DocumentMetadata
    private let isArchival: Bool
    /// Number of bytes written or in `pending`.
    private var position = 0
    private var pending: [UInt8] = []
    /// Position of each object; its number is the index plus one.
    private var offsets: [Int] = []
    private var pages: [Int] = []
    private var profiles: [ColorProfile: Int] = [:]

    private enum Fixed {
        static let catalog = 1
        static let pages = 2
        static let info = 3
        static let count = 3
    }

    /// Maximum number of profiles that pages share. Photos of one camera have the same profile;
    /// further profiles are written repeatedly.
    private static let profileLimit = 16

    /// - Parameter isArchival: Whether to write PDF/A-2b (ISO 19005-2) instead of plain PDF 1.7.
    package init(_ sink: any RevocableSink, metadata: DocumentMetadata, isArchival: Bool) throws {
        self.sink = sink
        self.metadata = metadata
        self.isArchival = isArchival
        offsets = [Int](repeating: 0, count: Fixed.count)
        // Four bytes above 127 mark the file as binary (ISO 19005-2 §6.1.2).
        add(Array("%PDF-1.7\n%\u{E2}\u{E3}\u{CF}\u{D3}\n".unicodeScalars.map { UInt8($0.value) }))
    }

    package var pageCount: Int { pages.count }
    /// The current length of the document, in bytes.
    package var byteCount: Int { position }

    /// Adds a page.
    ///
    /// - Parameters:
    ///   - placement: The position of the photo.
    ///   - write: Appends the image's data to the sink and returns its properties.
    /// - Throws: An error of `write` or of the sink; the page is then removed.
    package func addPage(
        _ placement: PageLayout.Placement,
        write: (any ByteSink) throws -> ImageProperties
    ) throws {
        try addPage(placement, image: { try writeImage(write) })
    }

    package func addPage(_ placement: PageLayout.Placement, _ picture: RasterPicture) throws {
        func image() -> Int {
            var stream = picture.stream
            if let profile = picture.profile {
                let space = PDFObject.array([
                    .name("ICCBased"), .reference(ObjectID(number: reference(to: profile))),
                ])
                var indexed = stream.dictionary["ColorSpace"]?.arrayValue ?? []
                if indexed.count == 4 { indexed[1] = space }
                stream.dictionary["ColorSpace"] = indexed.isEmpty ? space : .array(indexed)
            }
            let number = beginObject()
            endObject(.stream(stream))
            return number
        }
        try addPage(placement, image: image)
    }

    /// - Parameter image: Writes the image and returns its object number.
    private func addPage(_ placement: PageLayout.Placement, image: () throws -> Int) throws {
        try flush()
        let saved = (position, offsets.count, profiles)
        do {
            try writePage(placement, image: image())
        } catch {
            pending = []
            position = saved.0
            offsets.removeLast(offsets.count - saved.1)
            profiles = saved.2
            try sink.truncate(to: position)
            throw error
        }
    }

    /// Writes the remaining objects: page tree, catalog, metadata and cross-reference table.
    package func finish() throws {
        var catalog: PDFDictionary = [
            "Type": .name("Catalog"), "Pages": .reference(ObjectID(number: Fixed.pages)),
        ]
        if isArchival {
            let xmp = beginObject()
            endObject(
                .stream(
                    PDFStream(
                        dictionary: ["Type": .name("Metadata"), "Subtype": .name("XML")],
                        data: metadata.xmp)))
            catalog["Metadata"] = .reference(ObjectID(number: xmp))
            let profile = beginObject()
            endObject(
                .stream(
                    PDFStream(
                        dictionary: ["N": .integer(3), "Filter": .name("FlateDecode")],
                        data: Flate.deflate(ColorProfile.sRGB()))))
            let name = PDFObject.string(.text("sRGB IEC61966-2.1"))
            catalog["OutputIntents"] = .array([
                .dictionary([
                    "Type": .name("OutputIntent"), "S": .name("GTS_PDFA1"),
                    "OutputConditionIdentifier": name, "Info": name,
                    "RegistryName": .string(.text("http://www.color.org")),
                    "DestOutputProfile": .reference(ObjectID(number: profile)),
                ])
            ])
        }
        beginObject(Fixed.info)
        endObject(.dictionary(metadata.info))
        beginObject(Fixed.pages)
        endObject(
            .dictionary([
                "Type": .name("Pages"), "Count": .integer(pages.count),
                "Kids": .array(pages.map { .reference(ObjectID(number: $0)) }),
            ]))
        beginObject(Fixed.catalog)
        endObject(.dictionary(catalog))
        writeCrossReferences()
        try flush()
    }

    private func writePage(_ placement: PageLayout.Placement, image: Int) throws {
        let content = beginObject()
        endObject(.stream(PDFStream(dictionary: [:], data: Self.operators(placement))))
        let page = beginObject()
        var dictionary: PDFDictionary = [
            "Type": .name("Page"), "Parent": .reference(ObjectID(number: Fixed.pages)),
            "MediaBox": .array([
                .integer(0), .integer(0), .number(placement.page.width),
                .number(placement.page.height),
            ]),
            "Resources": .dictionary([
                "XObject": .dictionary(["Im0": .reference(ObjectID(number: image))])
            ]), "Contents": .reference(ObjectID(number: content)),
        ]
        if placement.userUnit > 1 { dictionary["UserUnit"] = .integer(placement.userUnit) }
        endObject(.dictionary(dictionary))
        pages.append(page)
    }

    private static func operators(_ placement: PageLayout.Placement) -> [UInt8] {
        func numbers(_ values: [Double]) -> String {
            values.map { String(decoding: PDFReal($0).text, as: UTF8.self) }.joined(separator: " ")
        }
        let clip = placement.clip.map { "\(numbers($0)) re W n " } ?? ""
        return Array("q \(clip)\(numbers(placement.matrix)) cm /Im0 Do Q".utf8)
    }

    /// Number of bytes reserved for the image dictionary; unused ones are spaces.
    private static let dictionaryByteCount = 320

    /// Writes the image object. The space of its dictionary is reserved until the data is written.
    private func writeImage(_ write: (any ByteSink) throws -> ImageProperties) throws -> Int {
        let number = beginObject()
        try flush()
        let dictionaryPosition = position
        add([UInt8](repeating: 32, count: Self.dictionaryByteCount))
        add(Array("\nstream\n".utf8))
        try flush()
        let data = CountingSink(sink)
        let properties = try write(data)
        position += data.byteCount
        add(Array("\nendstream\nendobj\n".utf8))
        var dictionary = properties.dictionary
        if let profile = properties.profile {
            dictionary["ColorSpace"] = .array([
                .name("ICCBased"), .reference(ObjectID(number: reference(to: profile))),
            ])
        } else if isArchival, properties.componentCount == 4 {
            throw PhotoError(
                .notArchivable,
                "the image has CMYK colors without a profile, which PDF/A does not permit",
                hint: Sentence(.leaveOutArchivalFormat))
        }
        dictionary["Length"] = .integer(data.byteCount)
        let bytes = PDFWriter.bytes(.dictionary(dictionary))
        guard bytes.count <= Self.dictionaryByteCount else {
            throw PhotoError(.malformed, "the image dictionary is too long")
        }
        try flush()
        try sink.replace(at: dictionaryPosition, with: bytes)
        return number
    }

    private func reference(to profile: ColorProfile) -> Int {
        if let number = profiles[profile] { return number }
        let number = beginObject()
        endObject(.stream(profile.stream))
        if profiles.count < Self.profileLimit { profiles[profile] = number }
        return number
    }

    private func add(_ bytes: [UInt8]) {
        pending += bytes
        position += bytes.count
    }

    private func flush() throws {
        guard !pending.isEmpty else { return }
        try sink.append(pending)
        pending.removeAll(keepingCapacity: true)
    }

    /// Begins the next object, or the one with a known number.
    @discardableResult private func beginObject(_ known: Int? = nil) -> Int {
        let number = known ?? offsets.count + 1
        if let known {
            offsets[known - 1] = position
        } else {
            offsets.append(position)
        }
        add(Array("\(number) 0 obj\n".utf8))
        return number
    }

    private func endObject(_ object: PDFObject) {
        add(PDFWriter.bytes(object) + Array("\nendobj\n".utf8))
    }

    private func writeCrossReferences() {
        let start = position
        add(Array("xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n".utf8))
        for offset in offsets {
            let digits = String(offset)
            let zeros = String(repeating: "0", count: max(0, 10 - digits.utf8.count))
            add(Array("\(zeros)\(digits) 00000 n \n".utf8))
        }
        let identifier = PDFObject.string(
            PDFString(bytes: metadata.identifier, isHexadecimal: true))
        let trailer: PDFDictionary = [
            "Size": .integer(offsets.count + 1),
            "Root": .reference(ObjectID(number: Fixed.catalog)),
            "Info": .reference(ObjectID(number: Fixed.info)),
            "ID": .array([identifier, identifier]),
        ]
        add(Array("trailer\n".utf8) + PDFWriter.bytes(.dictionary(trailer)))
        add(Array("\nstartxref\n\(start)\n%%EOF\n".utf8))
    }
}
