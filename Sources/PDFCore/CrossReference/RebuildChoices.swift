/// Choices on which viewers differ when they search a damaged file for its objects.
///
/// All use the last of several objects with the same number and generation. They differ on other
/// generations: poppler and pdfium use the highest, mupdf and Ghostscript the last, qpdf the
/// referenced one. They differ on apparent objects inside other objects: poppler, qpdf and pdf.js
/// search lines, the others parse. They also differ on numbers that object streams define as well.
struct RebuildChoices {
    /// The first difference found.
    private var known: String?
    /// What looks like an object inside another object, by number, unless a later object has that
    /// number.
    private var nested: [Int: ObjectID] = [:]
    var hasNestedTrailer = false
    /// Numbers whose generation increased, as it does if a number is reused. Viewers agree unless a
    /// reference has an earlier generation.
    private(set) var generations: [Int: Int] = [:]
    /// Numbers with several objects of the same generation.
    private(set) var replaced: Set<Int> = []
    /// The trailers with different roots, in file order.
    private var trailers: [(root: ObjectID, trailer: PDFDictionary)] = []
    /// The /Encrypt entry of the last trailer read.
    private var encryption: PDFObject?
    /// Evidence of encryption outside the trailers.
    private var encryptionTrace: String?

    /// Maximum number of trailers with different roots that are kept.
    private static let trailerLimit = 16
    /// Maximum number of apparent objects inside other objects that are kept.
    private static let nestedLimit = 100_000

    /// A choice on which viewers differ, without reading the roots.
    var disagreement: String? {
        if let known { return known }
        if let id = nested.values.min() {
            return "an object is inside another object (object \(id))"
        }
        if let encryptionTrace, (encryption ?? .null) == .null {
            return
                "\(encryptionTrace), but no readable trailer contains an encryption dictionary"
        }
        return hasNestedTrailer ? "a trailer is inside an object" : nil
    }

    /// Records a difference; only the first one is kept.
    mutating func note(_ text: @autoclosure () -> String) {
        if known == nil { known = text() }
    }

    mutating func take(
        _ id: ObjectID, at offset: Int, replacing former: ObjectLocation?, beginsLine: Bool
    ) {
        if let inner = nested[id.number], inner.generation <= id.generation {
            nested[id.number] = nil
        }
        switch former {
        case .offset(let place, let generation)?:
            if generation < id.generation, beginsLine {
                generations[id.number] = id.generation
            } else if generation != id.generation {
                note(
                    "object \(id.number) occurs at byte \(place) with generation \(generation) "
                        + "and at byte \(offset) with generation \(id.generation)")
            } else if !beginsLine {
                note(
                    "object \(id) occurs at byte \(place) and again, in the middle of a line, "
                        + "at byte \(offset)")
            } else {
                replaced.insert(id.number)
            }
        case .compressed?: note("object \(id) occurs at byte \(offset) and in an object stream")
        case .free?, nil: break
        }
    }

    mutating func take(_ number: Int, inStream stream: Int, replacing former: ObjectLocation?) {
        nested[number] = nil
        switch former {
        case .offset?: note("object \(number) occurs in the file and in an object stream")
        case .compressed(stream, _)?, .free?, nil: break
        case .compressed?: note("object \(number) occurs in several object streams")
        }
    }

    /// Records an apparent object inside another one.
    mutating func takeNested(_ id: ObjectID) {
        if nested.count < Self.nestedLimit { nested[id.number] = id }
    }

    /// Records evidence that the file is encrypted, as text.
    mutating func takeEncryptionTrace(_ trace: @autoclosure () -> String) {
        if encryptionTrace == nil { encryptionTrace = trace() }
    }

    /// Records a trailer, or the dictionary of a cross-reference stream.
    mutating func take(_ trailer: PDFDictionary) {
        let encryption = trailer["Encrypt"] ?? .null
        if let first = self.encryption, first != encryption {
            note("the trailers have different encryption dictionaries")
        }
        self.encryption = encryption
        guard case .reference(let root)? = trailer["Root"] else { return }
        hasNestedTrailer = false
        trailers.removeAll { $0.root == root }
        trailers.append((root, trailer))
        if trailers.count > Self.trailerLimit { trailers.removeFirst() }
    }

    /// The last trailer whose root is usable; otherwise the last trailer.
    mutating func trailer(
        isUsable: (ObjectID) throws(PDFError) -> Bool
    ) throws(PDFError) -> PDFDictionary? {
        guard trailers.count > 1 else { return trailers.last?.trailer }
        var usable: [(root: ObjectID, trailer: PDFDictionary)] = []
        for candidate in trailers where try isUsable(candidate.root) { usable.append(candidate) }
        if usable.count > 1 {
            note("there are several catalogs: objects \(usable[0].root) and \(usable[1].root)")
        }
        return (usable.last ?? trailers.last)?.trailer
    }
}
