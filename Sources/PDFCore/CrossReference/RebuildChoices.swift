import Base

/// Where readers that search a damaged file for its objects do not choose alike.
///
/// All take the last of several objects with one number and generation. They disagree about other
/// generations (poppler and pdfium: the highest; mupdf and Ghostscript: the last; qpdf: the one
/// referred to) unless all of that comes to the same, about what looks like an object inside of another (poppler, qpdf and pdf.js look
/// at lines, the others parse), and about numbers that object streams define as well.
struct RebuildChoices {
    /// The first thing found that readers disagree about.
    private var known: String?
    /// Objects inside of others that no later one replaces, by number.
    private var nested: [Int: ObjectID] = [:]
    private var hasNestedTrailer = false
    /// Numbers whose generation rose, as it does when a number is used again. Readers agree as long
    /// as nothing refers to a former one.
    private(set) var generations: [Int: Int] = [:]
    /// Numbers of which there are several objects, all of one generation.
    private(set) var replaced: Set<Int> = []
    /// The trailers with different roots, the last one last.
    private var trailers: [(root: ObjectID, trailer: PDFDictionary)] = []
    /// What the first trailer says about it.
    private var encryption: PDFObject?
    /// Evidence of encryption outside the trailers.
    private var encryptionTrace: String?

    /// More trailers with different roots than that say nothing more.
    private static let trailerLimit = 16
    /// Objects inside of others that are remembered.
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

    private mutating func note(_ text: @autoclosure () -> String) {
        if known == nil { known = text() }
    }

    /// An object that replaces what `former` says.
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

    /// An object that cannot be used, though there is an earlier one of its number.
    mutating func passOver(_ id: ObjectID, at offset: Int) {
        note("the last object \(id.number), at byte \(offset), is damaged")
    }

    /// An object in an object stream.
    mutating func take(_ number: Int, inStream stream: Int, replacing former: ObjectLocation?) {
        nested[number] = nil
        switch former {
        case .offset?: note("object \(number) occurs in the file and in an object stream")
        case .compressed(stream, _)?, .free?, nil: break
        case .compressed?: note("object \(number) occurs in several object streams")
        }
    }

    /// What looks like an object inside of another one.
    mutating func takeNested(_ id: ObjectID) {
        if nested.count < Self.nestedLimit { nested[id.number] = id }
    }

    mutating func takeNestedTrailer() { hasNestedTrailer = true }

    /// What only encrypted files have, in words.
    mutating func takeEncryptionTrace(_ trace: @autoclosure () -> String) {
        if encryptionTrace == nil { encryptionTrace = trace() }
    }

    /// A cross-reference stream whose dictionary does not follow the syntax.
    mutating func takeDamagedTrailer(_ id: ObjectID) {
        note("the cross-reference stream \(id) is damaged")
    }

    /// A trailer that does not follow the syntax.
    mutating func takeDamagedTrailer(at offset: Int) {
        note("the trailer at byte \(offset) is damaged")
    }

    /// A trailer, or the dictionary of a cross-reference stream.
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

    /// The last trailer whose root can be used; else the last one.
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

    /// A file without any trailer has more than one catalogue.
    mutating func takeSeveralCatalogs(_ first: ObjectID, _ second: ObjectID) {
        note("there are several catalogs: objects \(first) and \(second)")
    }
}
