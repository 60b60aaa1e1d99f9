import Base
package import PDFCore
import PDFSigning

/// Checks that viewers cannot read an object of the pages or the form differently. Checks
/// generation, keys, stream length and encryption of each object. Page content is not interpreted.
package struct ShownObjects {
    private let document: PDFDocument
    private var problems: [VerificationProblem] = []
    private var visited: Set<ObjectID> = []
    /// Dictionaries whose keys are names that the document chooses, such as resource names.
    private var naming: Set<ObjectID> = []
    private var waiting: [ObjectID] = []
    /// Attached files are examined last, because a displayed object may be attached too.
    private var attached: [PDFObject] = []
    private var isAttached = false
    /// Numbers of referenced objects that no section lists as in use.
    private var missing: [Int] = []
    /// Values of the signature fields on pages.
    private var signatures: Set<ObjectID> = []

    /// Entries that lead to objects that are not displayed or are validated elsewhere.
    private static let otherKeys: Set<PDFName> = [
        "Parent", "P", "V", "A", "AA", "Dest", "Metadata", "PieceInfo", "Popup", "IRT", "OC",
    ]

    /// Entries that lead to attached files (ISO 32000-2 Table 43).
    private static let fileKeys: [PDFName] = ["EF", "RF"]

    /// Entries whose dictionaries have names chosen by the document as keys: resources, glyphs,
    /// colorants and appearance states.
    private static let namingKeys: Set<PDFName> = [
        "XObject", "Font", "ExtGState", "ColorSpace", "Pattern", "Shading", "Properties",
        "CharProcs", "Colorants", "N", "R", "D",
    ]

    private init(_ document: PDFDocument) { self.document = document }

    /// The first object of the catalog, pages or form that is malformed or that only some viewers
    /// find; nil if there is none.
    package static func damaged(in document: PDFDocument) throws(PDFError) -> ObjectID? {
        let limit = DynamicContent.Effort.thorough.shownObjectCount(of: document)
        var shown = ShownObjects(document)
        let catalog = try document.catalog()
        if let id = document.trailer["Root"]?.referenceValue, document.isDamaged(id) { return id }
        shown.waiting = ["Pages", "AcroForm"].compactMap { catalog[$0]?.referenceValue }
        if let form = catalog["AcroForm"]?.dictionaryValue { try shown.follow(.dictionary(form)) }
        while let id = try shown.next(), shown.visited.count < limit {
            // No viewer shows an unreadable object.
            guard shown.visited.insert(id).inserted, let object = try? document.object(id) else {
                continue
            }
            if document.isDamaged(id) { return id }
            if try document.isFoundByFew(id) { return id }
            try shown.follow(object, isNaming: shown.naming.contains(id))
        }
        return nil
    }

    /// Numbers of referenced objects that no section lists as in use.
    package static func missingNumbers(in document: PDFDocument) throws(PDFError) -> [Int] {
        var shown = ShownObjects(document)
        let catalog = try document.catalog()
        for dictionary in [document.trailer, catalog] { try shown.noteReferences(in: dictionary) }
        shown.waiting = ["Pages", "AcroForm"].compactMap { catalog[$0]?.referenceValue }
        let limit = DynamicContent.Effort.thorough.shownObjectCount(of: document)
        while let id = try shown.next(), shown.visited.count < limit {
            if shown.visited.insert(id).inserted { try shown.examine(id) }
        }
        return Set(shown.missing).filter { (1...PDFLimits.objectNumber).contains($0) }.sorted()
    }

    /// - Returns: the problems, and whether all objects were examined.
    static func problems(
        in document: PDFDocument, form: AcroForm, _ effort: DynamicContent.Effort
    ) throws -> (problems: [VerificationProblem], isComplete: Bool) {
        let catalog = try document.catalog()
        guard let pages = catalog["Pages"]?.referenceValue else { return ([], true) }
        var shown = ShownObjects(document)
        let limit = effort.shownObjectCount(of: document)
        for dictionary in [document.trailer, catalog, form.dictionary] {
            try shown.noteReferences(in: dictionary)
        }
        for case let id? in (catalog.entries + form.dictionary.entries).map(\.value.referenceValue)
        {
            try shown.checkGeneration(of: id)
            shown.checkEncryption(of: id)
        }
        for id in [try document.catalogID, form.id].compactMap({ $0 }) {
            shown.checkEncryption(of: id)
        }
        try shown.follow(form.dictionary["DR"] ?? .null)
        if let id = form.misnamed { try shown.checkGeneration(of: id) }
        shown.waiting.append(pages)
        var isComplete = true
        while let id = try shown.next() {
            guard shown.visited.insert(id).inserted else { continue }
            guard shown.visited.count <= limit else {
                isComplete = false
                break
            }
            try shown.examine(id)
        }
        if !isComplete, effort == .thorough {
            shown.note(.tooMuchShown, "not all displayed objects were checked: more than \(limit)")
        }
        try shown.checkMissing()
        try shown.checkSignatures(besides: form)
        let hasCheckedTags = try shown.checkTags(effort)
        return (shown.problems, isComplete && hasCheckedTags)
    }

    /// - Returns: whether all tags were checked.
    private mutating func checkTags(_ effort: DynamicContent.Effort) throws(PDFError) -> Bool {
        var sealed = AuthenticatedParts(document, effort)
        try sealed.examine()
        if let id = sealed.wrong {
            note(
                .objectUnreadable,
                "an object was modified without the key: wrong AES-GCM tag (object \(id.number))"
            )
        }
        if !sealed.isComplete, effort == .thorough {
            note(
                .tooMuchShown,
                "not all AES-GCM tags were checked (limit reached)")
        }
        return sealed.isComplete
    }

    /// Some viewers reconstruct the cross-reference table if an object is missing.
    private mutating func checkMissing() throws(PDFError) {
        guard let found = try document.differenceWhenRebuilt(for: missing) else { return }
        note(
            .rebuiltDifferently,
            "viewers that reconstruct the cross-reference table may display different content (a "
                + "displayed object refers to \(found.words))")
    }

    /// Some viewers display and validate a signature whose field only a page lists, or which the
    /// form contains as a direct object.
    private mutating func checkSignatures(besides form: AcroForm) throws {
        let direct = form.directParts.compactMap(\.dictionaryValue).compactMap(signature(of:))
        let known = Set(form.signatureFields.compactMap { $0.value?.referenceValue })
        for id in signatures.union(direct).subtracting(known).sorted()
        where try SignatureValue.read(id, in: document).value != nil {
            note(
                .signatureOutsideForm,
                "a page has a signature that is not in the form: it was not verified, but some "
                    + "viewers display it")
            return
        }
    }

    /// The value of a signature field or its widget; nil for other dictionaries.
    private func signature(of field: PDFDictionary) -> ObjectID? {
        let hasBoth = field["FT"] != nil && field["V"] != nil
        let parent = hasBoth ? nil : try? document.value(field, "Parent").dictionaryValue
        guard (field["FT"] ?? parent?["FT"])?.nameValue == "Sig" else { return nil }
        return (field["V"] ?? parent?["V"])?.referenceValue
    }

    private mutating func next() throws(PDFError) -> ObjectID? {
        if let id = waiting.popLast() { return id }
        isAttached = true
        while let object = attached.popLast() { try follow(object) }
        return waiting.popLast()
    }

    /// Records missing objects that viewers need before they display a page.
    private mutating func noteReferences(in dictionary: PDFDictionary) throws(PDFError) {
        for case let id? in dictionary.entries.map(\.value.referenceValue) {
            let location = try document.definition(of: id.number)?.location ?? .free
            if location == .free { missing.append(id.number) }
        }
    }

    private mutating func checkGeneration(of id: ObjectID) throws(PDFError) {
        guard let generation = try document.otherGeneration(of: id) else { return }
        note(
            .generationDiffers,
            "viewers may ignore a displayed object (object \(id.number) has generation "
                + "\(generation), a reference \(id.generation))")
    }

    private mutating func examine(_ id: ObjectID) throws(PDFError) {
        guard let location = try document.definition(of: id.number)?.location, location != .free
        else {
            missing.append(id.number)
            return
        }
        if case .offset(_, id.generation) = location {} else { try checkGeneration(of: id) }
        let found = try document.inspect(
            CrossReferenceEntry(number: id.number, location: location), isKept: true)
        guard let object = found.object else {
            note(
                .objectUnreadable,
                "a displayed object cannot be read: \(found.deviation ?? "damaged") (object \(id.number))"
            )
            return
        }
        if found.hasDoubtfulLength, let deviation = found.deviation {
            note(
                .streamLength,
                "viewers may display different content (stream data of object \(id.number): \(deviation))"
            )
        }
        if let key = object.firstDifferingKey {
            note(
                .duplicateKeyShown,
                "viewers may display different content (the entry /\(key) occurs twice in object "
                    + "\(id.number))")
        }
        document.noteChain(id, as: object)
        checkEncryption(of: id)
        if let stream = object.streamValue { try checkStream(stream, of: id) }
        try follow(object, isNaming: naming.contains(id))
    }

    private mutating func checkEncryption(of id: ObjectID) {
        if let source = document.encryption?.sourceID, source.number == id.number {
            note(
                .objectUnreadable,
                "a displayed object refers to the encryption dictionary, whose strings are not "
                    + "encrypted (object \(id.number))")
        }
    }

    private mutating func checkStream(_ stream: PDFStream, of id: ObjectID) throws(PDFError) {
        let type = try document.value(stream.dictionary, "Type").nameValue
        guard !isAttached || type != "EmbeddedFile" else { return }
        if let word = try document.endInData(of: stream) {
            note(
                .streamLength,
                "viewers may display different content (the stream data of object \(id.number) "
                    + "contains '\(word)', where viewers that ignore /Length end it)")
        }
        if try document.hasCryptFilter(stream.dictionary) {
            let words =
                document.isEncrypted
                ? "names its own crypt filter: viewers may decrypt it or not"
                : "names a crypt filter, but the document is not encrypted: viewers may ignore it"
            note(.objectUnreadable, "a displayed object \(words) (object \(id.number))")
        }
        if let words = try document.decryptionDoubt(of: stream) {
            note(.objectUnreadable, "a displayed object \(words) (object \(id.number))")
        }
    }

    private mutating func follow(_ object: PDFObject, isNaming: Bool = false) throws(PDFError) {
        var stack = [(object: object, isNaming: isNaming)]
        while let next = stack.popLast() {
            switch next.object {
            case .reference(let id):
                // If the object was already examined as an ordinary dictionary, examine it again.
                if next.isNaming, naming.insert(id).inserted { visited.remove(id) }
                if !visited.contains(id) { waiting.append(id) }
            case .array(let elements):
                stack += elements.lazy.filter(\.mayRefer).map { ($0, false) }
            case .dictionary(let dictionary):
                if next.isNaming {
                    stack += dictionary.entries.map { ($0.value, false) }
                } else {
                    if dictionary["Subtype"]?.nameValue == "Widget" {
                        signatures.formUnion([signature(of: dictionary)].compactMap(\.self))
                    }
                    attached += Self.fileKeys.compactMap { dictionary[$0] }
                    stack += Self.shown(dictionary)
                }
            case .stream(let stream): stack += Self.shown(stream.dictionary)
            default: break
            }
        }
    }

    private static func shown(
        _ dictionary: PDFDictionary
    ) -> [(object: PDFObject, isNaming: Bool)] {
        dictionary.entries.filter {
            $0.value.mayRefer && !otherKeys.contains($0.key) && !fileKeys.contains($0.key)
        }
        .map { ($0.value, namingKeys.contains($0.key)) }
    }

    /// Reports only the first finding of each kind.
    private mutating func note(_ code: ProblemCode, _ text: String) {
        guard !problems.contains(where: { $0.code == code }) else { return }
        problems.append(.doubt(code, text))
    }
}
