import CodecBridge
import PDFCore
import TextBridge

/// A font embedded as a subset: a composite font with Identity-H encoding (ISO 32000-2 §9.7).
final class EmbeddedFont: ResourceFont {
    let name: PDFName
    let face: StampFace
    private let font: TextFont
    private let subset: FontSubset
    private let includesCIDSet: Bool
    /// The text of each glyph, by its number in the full font.
    private var meanings: [Int: [Unicode.Scalar]] = [:]
    /// CIDs that map to the font's empty glyph, one for each character carried by it.
    private var carriers: [Unicode.Scalar: Int] = [:]

    /// - Parameter includesCIDSet: Whether to write a CIDSet. PDF/A-1 requires one (ISO 19005-1
    ///   §6.3.5); later parts make it optional.
    /// - Throws: ``TextError`` if the font cannot be subset.
    init(
        _ font: TextFont, name: PDFName, clusters: some Sequence<GlyphCluster>, includesCIDSet: Bool
    ) throws(TextError) {
        self.name = name
        self.font = font
        self.includesCIDSet = includesCIDSet
        face = .embedded(font)
        var glyphs: Set<Int> = []
        var joint: [GlyphCluster] = []
        var carried: Set<Unicode.Scalar> = []
        for cluster in clusters {
            glyphs.formUnion(cluster.glyphs.map(\.glyph))
            if let scalar = cluster.glyphs.first?.carried {
                carried.insert(scalar)
            } else if cluster.glyphs.count == 1, let glyph = cluster.glyphs.first?.glyph {
                if meanings[glyph] == nil { meanings[glyph] = cluster.text }
            } else {
                joint.append(cluster)
            }
        }
        // A cluster of several glyphs: each glyph is mapped to the character whose own glyph it is,
        // otherwise to the last one. The surrounding /ActualText contains the text of the cluster.
        for cluster in joint {
            for glyph in cluster.glyphs.map(\.glyph) where meanings[glyph] == nil {
                let own = cluster.text.first { font.glyph(of: $0) == glyph }
                meanings[glyph] = (own ?? cluster.text.last).map { [$0] }
            }
        }
        subset = try font.subset(glyphs)
        let first = (subset.presentIdentifiers.last ?? 0) + 1
        for (index, scalar) in carried.sorted().enumerated() { carriers[scalar] = first + index }
    }

    func code(_ glyph: AtomGlyph) -> [UInt8] {
        let identifier =
            glyph.carried.flatMap { carriers[$0] } ?? subset.identifiers[glyph.glyph] ?? 0
        return [UInt8(identifier >> 8 & 0xFF), UInt8(identifier & 0xFF)]
    }

    func statedWidth(_ glyph: Int) -> Double { font.width(ofGlyph: glyph).rounded() }

    func canExtract(_ cluster: GlyphCluster) -> Bool {
        cluster.glyphs.count == 1
            && cluster.glyphs.allSatisfy { $0.carried != nil || meanings[$0.glyph] == cluster.text }
    }

    func objects(_ id: ObjectID, allocate: () -> ObjectID) -> [(ObjectID, PDFObject)] {
        let (descendantID, descriptorID, programID, unicodeID) = (
            allocate(), allocate(), allocate(), allocate()
        )
        let baseName = Self.tag(subset.program) + "+" + font.postScriptName

        let composite: PDFDictionary = [
            "Type": .name("Font"), "Subtype": .name("Type0"),
            "BaseFont": .name(PDFName(baseName + (subset.isCFF ? "-Identity-H" : ""))),
            "Encoding": .name("Identity-H"), "DescendantFonts": .array([.reference(descendantID)]),
            "ToUnicode": .reference(unicodeID),
        ]
        var descendant: PDFDictionary = [
            "Type": .name("Font"), "Subtype": .name(subset.isCFF ? "CIDFontType0" : "CIDFontType2"),
            "BaseFont": .name(PDFName(baseName)),
            "CIDSystemInfo": .dictionary([
                "Registry": .string(.text("Adobe")), "Ordering": .string(.text("Identity")),
                "Supplement": .integer(0),
            ]), "FontDescriptor": .reference(descriptorID), "W": .array(widths),
        ]
        var result: [(ObjectID, PDFObject)] = []
        if !carriers.isEmpty {
            let mapID = allocate()
            descendant["CIDToGIDMap"] = .reference(mapID)
            result.append((mapID, .stream(Self.compressed(glyphMap))))
        } else if !subset.isCFF {
            descendant["CIDToGIDMap"] = .name("Identity")
        }
        result += [
            (id, .dictionary(composite)), (descendantID, .dictionary(descendant)),
            (programID, .stream(program)), (unicodeID, .stream(Self.compressed(unicodeMap))),
        ]
        var descriptor = descriptor(baseName)
        descriptor[subset.isCFF ? "FontFile3" : "FontFile2"] = .reference(programID)
        if includesCIDSet {
            let setID = allocate()
            descriptor["CIDSet"] = .reference(setID)
            result.append((setID, .stream(Self.compressed(identifierSet))))
        }
        result.append((descriptorID, .dictionary(descriptor)))
        return result
    }

    private func descriptor(_ baseName: String) -> PDFDictionary {
        let metrics = font.metrics
        return [
            "Type": .name("FontDescriptor"), "FontName": .name(PDFName(baseName)),
            // Table 121: FixedPitch 1, Symbolic 4 (glyphs outside the standard Latin character
            // set), Italic 64.
            "Flags": .integer(
                4 | (metrics.isFixedPitch ? 1 : 0) | (metrics.italicAngle != 0 ? 64 : 0)),
            "FontBBox": .array(metrics.boundingBox.map { .integer($0) }),
            "ItalicAngle": .number(metrics.italicAngle), "Ascent": .integer(metrics.ascent),
            "Descent": .integer(metrics.descent), "CapHeight": .integer(metrics.capHeight),
            // Font files do not contain it, so it is estimated from the weight.
            "StemV": .integer(50 + metrics.weight * metrics.weight / 4225),
        ]
    }

    private var program: PDFStream {
        var stream = Self.compressed(subset.program)
        if subset.isCFF {
            stream.dictionary["Subtype"] = .name("CIDFontType0C")
        } else {
            stream.dictionary["Length1"] = .integer(subset.program.count)
        }
        return stream
    }

    /// The widths, in runs of consecutive CIDs (ISO 32000-2 §9.7.4.3).
    private var widths: [PDFObject] {
        var result: [PDFObject] = []
        var run: [PDFObject] = []
        var next = -1
        var start = 0
        let all =
            subset.identifiers.map { (statedWidth($0.key), $0.value) }
            + carriers.values.map { (0, $0) }
        for (width, identifier) in all.sorted(by: { $0.1 < $1.1 }) {
            if identifier != next {
                if !run.isEmpty { result += [.integer(start), .array(run)] }
                start = identifier
                run = []
            }
            run.append(.number(width))
            next = identifier + 1
        }
        if !run.isEmpty { result += [.integer(start), .array(run)] }
        return result
    }

    /// The glyph of each CID: the same number, except for the carriers (ISO 32000-2 §9.7.4.2).
    private var glyphMap: [UInt8] {
        let empty = font.emptyGlyph.flatMap { subset.identifiers[$0] } ?? 0
        let glyphs = subset.presentIdentifiers + carriers.map { _ in empty }
        return glyphs.flatMap { [UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF)] }
    }

    /// The CIDSet: one bit for each CID, the first one in the highest bit.
    private var identifierSet: [UInt8] {
        let present = subset.presentIdentifiers + carriers.values.sorted()
        var bits = [UInt8](repeating: 0, count: (present.last ?? 0) / 8 + 1)
        for identifier in present { bits[identifier / 8] |= 0x80 >> UInt8(identifier % 8) }
        return bits
    }

    /// The ToUnicode CMap (ISO 32000-2 §9.10.3).
    private var unicodeMap: [UInt8] {
        var text = """
            /CIDInit /ProcSet findresource begin
            12 dict begin
            begincmap
            /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
            /CMapName /Adobe-Identity-UCS def
            /CMapType 2 def
            1 begincodespacerange
            <0000> <FFFF>
            endcodespacerange

            """
        let own = subset.identifiers.compactMap { glyph, identifier in
            meanings[glyph].map { (identifier, $0) }
        }
        let entries = (own + carriers.map { ($0.value, [$0.key]) }).sorted { $0.0 < $1.0 }
        // A section contains at most 100 entries.
        for start in stride(from: 0, to: entries.count, by: 100) {
            let section = entries[start..<min(start + 100, entries.count)]
            text += "\(section.count) beginbfchar\n"
            for (identifier, scalars) in section {
                text += "<\(Self.hex(UInt16(truncatingIfNeeded: identifier)))> <"
                for scalar in scalars { text += UTF16.encode(scalar).map(Self.units) ?? "" }
                text += ">\n"
            }
            text += "endbfchar\n"
        }
        text += "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
        return Array(text.utf8)
    }

    private static func units(_ units: some Sequence<UInt16>) -> String { units.map(hex).joined() }

    private static func hex(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func compressed(_ data: [UInt8]) -> PDFStream {
        PDFStream(dictionary: ["Filter": .name("FlateDecode")], data: Flate.deflate(data))
    }

    /// A tag of six letters that differs between subsets (ISO 32000-2 §9.9.2), from an FNV-1a
    /// checksum.
    private static func tag(_ program: [UInt8]) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in program { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var letters = ""
        for _ in 0..<6 {
            letters.unicodeScalars.append(Unicode.Scalar(UInt8(0x41 + hash % 26)))
            hash /= 26
        }
        return letters
    }
}
