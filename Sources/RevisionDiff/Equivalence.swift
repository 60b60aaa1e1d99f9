import Base
import PDFCore
import PDFSigning

/// Compares objects of two revisions as every viewer reads them. Ignores dictionary order and
/// string encoding. References must name the same object, which identifies layers and annotations.
/// Integers differ from reals, because some viewers accept only one type; 0.92 equals .92.
struct Equivalence {
    let old: PDFDocument
    let new: PDFDocument
    /// Whether a reference equals a copy of its target. Only for objects that are used by content
    /// alone.
    var ignoresPlaces = false
    /// Budget shared by all comparisons of a document.
    let budget: ValueBudget
    /// Streams whose copies are being compared.
    private var copied: Set<ObjectID> = []

    init(old: PDFDocument, new: PDFDocument, ignoresPlaces: Bool = false, budget: ValueBudget) {
        (self.old, self.new) = (old, new)
        self.ignoresPlaces = ignoresPlaces
        self.budget = budget
    }

    /// Types of objects identified by their reference, whatever they contain.
    private static let typesWithPlaces: Set<PDFName> = [
        "OCG", "OCMD", "Page", "Pages", "Annot", "StructElem", "Catalog",
    ]
    /// Keys of entries that refer to such objects. The /Type of these objects may be missing: some
    /// viewers accept an optional content group without it.
    private static let keysWithPlaces: Set<PDFName> = ["OC", "OCGs", "Properties"]
    /// Entries whose arrays permit 2.0 for 2, and single-precision values, which MuPDF writes.
    /// Elsewhere some viewers accept only integers.
    private static let keysWithMeasures: Set<PDFName> = [
        "Rect", "BBox", "Matrix", "MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox", "RD",
        "QuadPoints", "BG", "BC", "C", "IC",
    ]
    /// Text strings, which programs rewrite in another encoding (ISO 32000-2 §7.9.2.2).
    private static let keysWithText: Set<PDFName> = ["T", "TU", "TM", "DV", "Lang"]
    /// Keys of ``keysWithMeasures`` whose values may be rounded.
    private static let roundedKeys: Set<PDFName> = ["Rect", "BG", "BC"]
    /// Maximum number of references in a chain.
    private static let maximumHops = 16
    private static let chunkByteCount = 256 * 1024
    /// Maximum length of a stream that is decrypted for a comparison, in bytes.
    private static let decryptedByteLimit = 16 << 20
    /// Maximum length of a stream that is decompressed for a comparison, in bytes.
    private static let plainByteLimit = 1 << 20
    /// Budget cost of decompressing two streams.
    private static let costOfContent = 1000

    /// References to the same number are equal: the object itself is compared if an update
    /// redefines it.
    ///
    /// - Throws: ``TooMuchToCompare`` if the budget is used up.
    func holds(_ before: PDFObject?, _ after: PDFObject?) throws -> Bool {
        try holds(before, after, hops: 0)
    }

    private static func areOfOneKind(_ first: PDFObject, _ second: PDFObject) -> Bool {
        (first.integerValue == nil) == (second.integerValue == nil)
    }

    /// Whether measures are equal: after rounding to two decimals, as PDF.js does, for colors and for
    /// boxes at least 1 unit wide and high, and in single precision for others. Without a tolerance,
    /// because the differences of many revisions would add up.
    private static func areEqual(_ before: [PDFObject], _ after: [PDFObject], _ key: PDFName)
        -> Bool
    {
        let (was, now) = (before.compactMap(\.numberValue), after.compactMap(\.numberValue))
        let isBox =
            was.count == 4 && abs(was[2] - was[0]) >= 1 && abs(was[3] - was[1]) >= 1
        return roundedKeys.contains(key) && (isBox || key != "Rect")
            ? zip(was, now).allSatisfy { hundredths($0) == hundredths($1) }
            : zip(was, now).allSatisfy { Float($0) == Float($1) }
    }

    /// A number rounded to hundredths. A half is rounded by the exact value, as PDF.js does.
    private static func hundredths(_ number: Double) -> Double {
        let product = number * 100
        guard (product - product.rounded()).magnitude == 0.5 else { return product.rounded() }
        return product.rounded((-product).addingProduct(number, 100) < 0 ? .down : .up)
    }

    private func holds(
        _ before: PDFObject?, _ after: PDFObject?, hops: Int, key: PDFName? = nil
    ) throws -> Bool {
        if let before, let after {
            return try holds(before, after, hops: hops, key: key)
        }
        // A null entry differs from a missing one: some viewers fail on it.
        return before == nil && after == nil
    }

    private func holds(
        _ before: PDFObject, _ after: PDFObject, hops: Int, key: PDFName? = nil
    ) throws -> Bool {
        try budget.spend(1)
        guard hops <= Self.maximumHops else { return false }
        switch (before, after) {
        case (.reference(let a), .reference(let b)) where a == b: return try !leadsToCopied(a)
        case (.reference, _), (_, .reference):
            // Some viewers expect certain entries to be direct.
            guard ignoresPlaces,
                hops == 0 && key == nil
                    || before.referenceValue != nil && after.referenceValue != nil,
                let was = try target(of: before, in: old), let now = try target(of: after, in: new)
            else { return false }
            // Viewers fail on a reference to null, but not on a missing entry.
            if was == .null || now == .null {
                return was == now && before.referenceValue != nil && after.referenceValue != nil
            }
            var inner = self
            if let original = before.referenceValue, was.streamValue != nil {
                inner.copied.insert(original)
            }
            return try inner.holds(was, now, hops: hops + 1, key: key)
        case (.string(let a), .string(let b)):
            return a.bytes == b.bytes
                || key.map(Self.keysWithText.contains) ?? false && a.isSameText(as: b)
        case (.real(let a), .real(let b)): return a.value == b.value
        case (.array(let a), .array(let b)):
            guard a.count == b.count else { return false }
            // Arrays of numbers may have any length.
            if a.allSatisfy({ $0.numberValue != nil }) {
                try budget.spend(a.count)
                if let key, Self.keysWithMeasures.contains(key) {
                    return b.allSatisfy { $0.numberValue != nil } && Self.areEqual(a, b, key)
                }
                return a.map(\.numberValue) == b.map(\.numberValue)
                    && zip(a, b).allSatisfy(Self.areOfOneKind)
            }
            // An array that contains a name is a color space: `key` is then a resource name, not
            // the key of texts.
            let isList = a.allSatisfy { $0.stringValue != nil || $0.arrayValue != nil }
            for (left, right) in zip(a, b) {
                guard try holds(left, right, hops: hops, key: isList ? key : nil) else {
                    return false
                }
            }
            return true
        case (.dictionary(let a), .dictionary(let b)):
            return try holds(a, b, except: [], hops: hops)
        case (.stream(let a), .stream(let b)):
            let isCopy =
                try holds(a.dictionary, b.dictionary, except: ["Length"], hops: hops)
                && haveSameData(a, b)
            return try isCopy || haveSameContent(a, b, hops: hops)
        default: return before == after
        }
    }

    /// Whether a copied stream refers to its original: a stream that draws itself would be drawn
    /// again in its copy.
    private func leadsToCopied(_ id: ObjectID) throws -> Bool {
        guard !copied.isEmpty else { return false }
        var visited: Set<ObjectID> = []
        var walk = ReferenceWalk(through: .reference(id))
        while let id = walk.next() {
            if copied.contains(id) { return true }
            guard visited.insert(id).inserted else { continue }
            try budget.spend(1)
            let object = try new.object(id)
            let type = try object.dictionaryValue?["Type"].map { try new.resolve($0) }
            if type?.nameValue.map(Self.typesWithPlaces.contains) == true { continue }
            walk.follow(object)
        }
        return false
    }

    /// The referenced value; nil for objects identified by their reference, and for chains of
    /// references.
    private func target(of object: PDFObject, in document: PDFDocument) throws -> PDFObject? {
        guard let id = object.referenceValue else { return object }
        let found = try document.object(id)
        if found.referenceValue != nil { return nil }
        guard let type = found.dictionaryValue?["Type"] else { return found }
        let name = try document.resolve(type).nameValue
        return name.map(Self.typesWithPlaces.contains) ?? true ? nil : found
    }

    /// Compares an entry. The /Properties dictionary may be a copy; the objects in it must keep
    /// their references.
    private func holds(
        _ key: PDFName, _ before: PDFObject?, _ after: PDFObject?, hops: Int
    ) throws -> Bool {
        guard ignoresPlaces, Self.keysWithPlaces.contains(key) else {
            return try holds(before, after, hops: hops, key: key)
        }
        var placed = self
        placed.ignoresPlaces = false
        guard key == "Properties", let was = try before.flatMap({ try target(of: $0, in: old) }),
            let now = try after.flatMap({ try target(of: $0, in: new) })
        else { return try placed.holds(before, after, hops: hops) }
        return try placed.holds(was, now, hops: hops)
    }

    private func holds(
        _ before: PDFDictionary, _ after: PDFDictionary, except ignored: Set<PDFName>, hops: Int
    ) throws -> Bool {
        guard before.duplicateKeys.isEmpty, after.duplicateKeys.isEmpty else {
            return before == after
        }
        let (were, are) = (Set(before.keys), Set(after.keys))
        // A null entry differs from a missing one: some viewers fail on it.
        guard were.subtracting(ignored) == are.subtracting(ignored) else { return false }
        for key in were.union(are) where !ignored.contains(key) {
            guard try holds(key, before[key], after[key], hops: hops) else { return false }
        }
        return true
    }

    /// Compares streams of any size in pieces.
    private func haveSameData(_ before: PDFStream, _ after: PDFStream) throws -> Bool {
        guard let a = before.dataRange, let b = after.dataRange, a.count == b.count else {
            return false
        }
        if a == b { return true }
        // The decrypted content depends on the object number.
        if old.isEncrypted {
            return try a.count <= Self.decryptedByteLimit
                && old.decryptionDoubt(of: before) == nil
                && new.decryptionDoubt(of: after) == nil
                && old.rawData(of: before) == new.rawData(of: after)
        }
        var position = 0
        var isSame = true
        while isSame, position < a.count {
            let count = min(Self.chunkByteCount, a.count - position)
            isSame =
                try old.source.bytes(at: a.lowerBound + position, count: count)
                == new.source.bytes(at: b.lowerBound + position, count: count)
            position += count
        }
        return isSame
    }

    /// Whether two streams differ only in their compression, which all viewers decompress alike.
    /// PDFium writes streams again.
    private func haveSameContent(_ before: PDFStream, _ after: PDFStream, hops: Int) throws -> Bool
    {
        let compression: Set<PDFName> = ["Length", "Filter", "DecodeParms"]
        guard before.dictionary["Filter"] != after.dictionary["Filter"],
            try holds(before.dictionary, after.dictionary, except: compression, hops: hops)
        else { return false }
        try budget.spend(Self.costOfContent)
        guard let was = try? old.plainData(of: before, upTo: Self.plainByteLimit),
            let now = try? new.plainData(of: after, upTo: Self.plainByteLimit)
        else { return false }
        return was == now
    }

    /// The keys whose values differ, sorted by name.
    func changedKeys(_ before: PDFDictionary, _ after: PDFDictionary) throws -> [PDFName] {
        let (were, are) = (Set(before.keys), Set(after.keys))
        let others = were.symmetricDifference(are)
        return try were.union(are)
            .filter { try others.contains($0) || !holds($0, before[$0], after[$0], hops: 0) }
            .sorted { $0.description < $1.description }
    }
}

extension PDFString {
    /// Whether two text strings are unambiguous and equal.
    fileprivate func isSameText(as other: PDFString) -> Bool {
        Self.isPlain(bytes) && Self.isPlain(other.bytes)
            && text.utf8.elementsEqual(other.text.utf8)
    }
}
