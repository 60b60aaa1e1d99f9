package import PDFCore
import SignatureTerms
import TrustKit

/// What the pages show, as far as readers may disagree about it: objects that cannot be read,
/// dictionaries with several values for a key, streams whose length is not theirs.
package struct ShownObjects {
    private let document: PDFDocument
    private var problems: [VerificationProblem] = []
    private var visited: Set<ObjectID> = []
    /// Dictionaries whose keys are names that the document chose.
    private var naming: Set<ObjectID> = []
    private var checked: Set<ObjectID> = []
    private var waiting: [ObjectID] = []
    /// What leads to attached files, which hang on what is shown, but are not: looked at when all else
    /// was, for what is shown may be an attached file besides.
    private var attached: [PDFObject] = []
    private var isAttached = false
    /// Numbers that something shown refers to, and no section lists as in use.
    private var missing: [Int] = []
    private var content: ShownContent

    /// Entries that lead away from what is shown, or to what is judged elsewhere.
    private static let otherKeys: Set<PDFName> = [
        "Parent", "P", "V", "A", "AA", "Dest", "Metadata", "PieceInfo", "Popup", "IRT", "OC",
    ]

    /// Entries that lead to attached files (ISO 32000-2 Table 43).
    private static let fileKeys: [PDFName] = ["EF", "RF"]

    /// Entries whose dictionaries have names that the document chose for keys: those of resources, glyphs,
    /// colorants, and states of an appearance.
    private static let namingKeys: Set<PDFName> = [
        "XObject", "Font", "ExtGState", "ColorSpace", "Pattern", "Shading", "Properties",
        "CharProcs", "Colorants", "N", "R", "D",
    ]

    /// Entries that hold dictionaries, and lists of such. Some readers take the dictionary of a
    /// stream there, others nothing.
    private static let dictionaryKeys: Set<PDFName> = [
        "AP", "MK", "BS", "BE", "FontDescriptor", "DR", "Resources", "Font", "XObject", "ExtGState",
        "ColorSpace", "Pattern", "Properties", "CharProcs",
    ]
    private static let fontFileKeys: [PDFName] = ["FontFile", "FontFile2", "FontFile3"]
    private static let listKeys: [PDFName] = ["Annots", "Kids"]
    /// What in the catalogue and the form may be a stream.
    private static let streamKeys: Set<PDFName> = ["Metadata", "XFA"]

    private init(_ document: PDFDocument, _ effort: DynamicContent.Effort) {
        self.document = document
        content = ShownContent(document, effort)
    }

    /// An object that the pages or the form lead to, or the catalogue, that does not follow the
    /// syntax: one reader makes this of it, another one that or nothing.
    package static func damaged(in document: PDFDocument) throws(PDFError) -> ObjectID? {
        let limit = DynamicContent.Effort.thorough.shownObjectCount(of: document)
        var shown = ShownObjects(document, .thorough)
        let catalog = try document.catalog()
        if let id = document.trailer["Root"]?.referenceValue, document.isDamaged(id) { return id }
        shown.waiting = ["Pages", "AcroForm"].compactMap { catalog[$0]?.referenceValue }
        if let form = catalog["AcroForm"]?.dictionaryValue { try shown.follow(.dictionary(form)) }
        while let id = try shown.next(), shown.visited.count < limit {
            // What cannot be read at all is nothing to all.
            guard shown.visited.insert(id).inserted, let object = try? document.object(id) else {
                continue
            }
            if document.isDamaged(id) { return id }
            if try document.isFoundByFew(id) { return id }
            try shown.follow(object, isNaming: shown.naming.contains(id))
        }
        return nil
    }

    /// - Returns: Whether all content was looked at, besides.
    static func problems(
        in document: PDFDocument, form: AcroForm, _ effort: DynamicContent.Effort
    ) throws(PDFError) -> (problems: [VerificationProblem], isComplete: Bool) {
        let catalog = try document.catalog()
        guard let pages = catalog["Pages"]?.referenceValue else { return ([], true) }
        var shown = ShownObjects(document, effort)
        let limit = effort.shownObjectCount(of: document)
        try shown.noteReferences(in: document.trailer)
        try shown.noteReferences(in: catalog)
        for case let id? in (catalog.entries + form.dictionary.entries).map(\.value.referenceValue)
        {
            try shown.checkGeneration(of: id)
            shown.checkEncryption(of: id)
        }
        if let form = try document.value(catalog, "AcroForm").dictionaryValue {
            try shown.noteReferences(in: form)
        }
        for entry in catalog.entries + form.dictionary.entries
        where !streamKeys.contains(entry.key) {
            shown.checkKind(of: entry.value, entry.key)
        }
        for id in [try document.catalogID, form.id].compactMap({ $0 }) {
            shown.checkSpelling(of: id)
            shown.checkEncryption(of: id)
        }
        try shown.follow(form.dictionary["DR"] ?? .null)
        if let id = form.misnamed { try shown.checkGeneration(of: id) }
        if form.directParts.contains(where: { $0.dictionaryValue != nil }) {
            shown.note(
                .contentAmbiguous,
                "a form field or widget is no object of its own, but stands in a list: readers "
                    + "disagree whose it is")
        }
        shown.waiting.append(pages)
        var hasSeenAll = true
        while let id = try shown.next() {
            guard shown.visited.insert(id).inserted else { continue }
            guard shown.visited.count <= limit else {
                guard effort == .thorough else {
                    hasSeenAll = false
                    break
                }
                shown.note(
                    .tooMuchShown,
                    "more than \(limit) objects are shown: not all were looked at")
                break
            }
            try shown.look(at: id)
        }
        try shown.checkMissing()
        if document.highestObjectNumber <= limit { try shown.checkPages() }
        for doubt in shown.content.doubts { shown.note(doubt.code, doubt.text) }
        let hasSeenTags = try shown.checkTags(effort)
        return (shown.problems, shown.content.isComplete && hasSeenAll && hasSeenTags)
    }

    /// - Returns: whether all were looked at.
    private mutating func checkTags(_ effort: DynamicContent.Effort) throws(PDFError) -> Bool {
        var sealed = SealedParts(document, effort)
        try sealed.look()
        if let id = sealed.wrong {
            note(
                .objectUnreadable,
                "object \(id.number) cannot be decrypted: it was changed by somebody who cannot open "
                    + "the document (the tag of AES-GCM is wrong)")
        }
        if !sealed.isComplete, effort == .thorough {
            note(
                .tooMuchShown,
                "there is more in the document than is looked at for what somebody changed who cannot "
                    + "open it")
        }
        return sealed.isComplete
    }

    /// Which pages there are, and which part of each is seen.
    private mutating func checkPages() throws(PDFError) {
        do throws(PDFError) {
            let root = try document.value(document.catalog(), "Pages").dictionaryValue
            let kind = try root.map { (root) throws(PDFError) in try document.value(root, "Type") }
            if kind?.nameValue == "Page" {
                note(
                    .contentAmbiguous,
                    "the tree of the document's pages is a page itself: some readers show no page")
            }
            if let index = try document.firstDisputedPageIndex() {
                note(.contentAmbiguous, "readers disagree which page is page \(index + 1)")
            }
            for index in 0..<(try document.pageCount()) {
                let page = try document.page(at: index)
                let kind = try document.value(page.dictionary, "Type").nameValue
                let isOther = kind != nil && kind != "Page"
                if let doubt = page.doubts.first ?? (isOther ? "it says that it is none" : nil) {
                    note(
                        .contentAmbiguous,
                        "readers disagree how page \(index + 1) is shown: \(doubt)")
                    return
                }
            }
        } catch {
            guard error.code != .readFailed else { throw error }
        }
    }

    /// For a number that nothing lists some readers rebuild the file.
    private mutating func checkMissing() throws(PDFError) {
        guard let found = try document.differenceWhenRebuilt(for: missing) else { return }
        note(
            .rebuiltDifferently,
            "what is shown refers to \(found.words): readers that rebuild the file for it may show "
                + "something else")
    }

    private mutating func next() throws(PDFError) -> ObjectID? {
        if let id = waiting.popLast() { return id }
        isAttached = true
        while let object = attached.popLast() { try follow(object) }
        return waiting.popLast()
    }

    /// Looks at what readers look up before any page is shown.
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
            "something refers to object \(id.number) with generation \(id.generation), but it "
                + "is listed with \(generation): readers may show either or nothing")
    }

    private mutating func look(at id: ObjectID) throws(PDFError) {
        guard let location = try document.definition(of: id.number)?.location, location != .free
        else {
            missing.append(id.number)
            return
        }
        if case .offset(_, id.generation) = location {} else { try checkGeneration(of: id) }
        let found = try document.inspect(
            CrossReferenceEntry(number: id.number, location: location))
        guard let object = found.object else {
            note(
                .objectUnreadable,
                "object \(id.number), which is shown, cannot be read (\(found.deviation ?? ""))")
            return
        }
        if found.hasDoubtfulLength, let deviation = found.deviation {
            note(
                .streamLength, "readers may show other bytes of object \(id.number): \(deviation)"
            )
        }
        if let key = object.firstDifferingKey {
            note(
                .duplicateKeyShown,
                "object \(id.number), which is shown, has the key /\(key) more than once: readers "
                    + "may take either value")
        }
        document.noteChain(id, object)
        checkSpelling(of: id)
        checkEncryption(of: id)
        if let stream = object.streamValue { try checkStream(stream, id) }
        try follow(object, drawing: id, isNaming: naming.contains(id))
    }

    private mutating func checkEncryption(of id: ObjectID) {
        if let source = document.encryption?.sourceID, source.number == id.number {
            note(
                .contentAmbiguous,
                "what is shown leads to the encryption dictionary, whose strings are not encrypted: "
                    + "readers may show them or not")
        }
    }

    private mutating func checkSpelling(of id: ObjectID) {
        guard document.isOddlySpelled(id) else { return }
        note(
            .contentAmbiguous,
            "object \(id.number), which is shown, has a name or number that some readers take for "
                + "another")
    }

    private mutating func checkStream(_ stream: PDFStream, _ id: ObjectID) throws(PDFError) {
        if let doubt = try filterDoubt(of: stream) {
            note(
                .objectUnreadable,
                "object \(id.number), which is shown, cannot be decoded (\(doubt))")
        }
        if document.hasShortFilterNames(stream.dictionary) {
            note(
                .objectUnreadable,
                "object \(id.number), which is shown, has filters under short names: readers may "
                    + "decode it or not")
        }
        let type = try document.value(stream.dictionary, "Type").nameValue
        guard !isAttached || type != "EmbeddedFile" else { return }
        if try document.hasCryptFilter(stream.dictionary) {
            let words =
                document.isEncrypted
                ? "says itself how it is encrypted: readers may decrypt it or not"
                : "says that it is encrypted, which the document is not: readers may show it or not"
            note(.objectUnreadable, "object \(id.number), which is shown, \(words)")
        }
        if let words = try document.decryptionDoubt(of: stream) {
            note(.objectUnreadable, "object \(id.number), which is shown, \(words)")
        }
    }

    private func filterDoubt(of stream: PDFStream) throws(PDFError) -> String? {
        do throws(PDFError) {
            return try document.filterDoubt(of: stream)
        } catch {
            guard error.code != .readFailed else { throw error }
            return error.detail
        }
    }

    /// - Parameter owner: the object, where it is to be looked at what it draws.
    private mutating func follow(
        _ object: PDFObject, drawing owner: ObjectID? = nil, isNaming: Bool = false
    ) throws(PDFError) {
        var stack = [(object: object, isNaming: isNaming)]
        while let next = stack.popLast() {
            switch next.object {
            case .reference(let id):
                // It may have been looked at by other keys.
                if next.isNaming, naming.insert(id).inserted { visited.remove(id) }
                if !visited.contains(id) { waiting.append(id) }
            // What comes first is looked at first.
            case .array(let elements): stack += elements.map { ($0, false) }
            case .dictionary(let dictionary):
                checkKinds(in: dictionary)
                if let owner { try content.look(at: dictionary, owner) }
                if next.isNaming {
                    stack += dictionary.entries.map { ($0.value, false) }
                } else {
                    attached += Self.fileKeys.compactMap { dictionary[$0] }
                    stack += Self.shown(dictionary)
                }
            case .stream(let stream):
                checkKinds(in: stream.dictionary)
                stack += Self.shown(stream.dictionary)
            case .integer(let number) where number.magnitude >= Self.numberLimit:
                note(
                    .contentAmbiguous,
                    "something shown has the number \(number): some readers take another one for it"
                )
            default: break
            }
        }
    }

    /// Readers keep whole numbers in 32 bits (ISO 32000-2 Annex C).
    private static let numberLimit: UInt = 1 << 31

    private mutating func checkKinds(in dictionary: PDFDictionary) {
        for entry in dictionary.entries where Self.dictionaryKeys.contains(entry.key) {
            checkKind(of: entry.value, entry.key)
        }
        if Self.fontFileKeys.filter({ dictionary[$0] != nil }).count > 1 {
            note(
                .contentAmbiguous,
                "a font that is shown has several font files: readers take either")
        }
        for key in Self.listKeys {
            guard let entry = dictionary[key], isFirst(entry),
                let value = try? document.resolve(entry)
            else { continue }
            if value != .null, value.arrayValue == nil {
                note(
                    .contentAmbiguous,
                    "the entry /\(key) is no array but a \(value.kind): readers may show it or not")
            }
            for element in value.arrayValue ?? [] { checkKind(of: element, key) }
        }
    }

    private mutating func checkKind(of entry: PDFObject, _ key: PDFName) {
        guard let id = entry.referenceValue, isFirst(entry),
            (try? document.object(id))?.streamValue != nil
        else { return }
        note(
            .objectUnreadable,
            "the entry /\(key) leads to a stream (object \(id.number)), where a dictionary is due: "
                + "readers may take it for one or not")
    }

    /// Pages share what they show: it is looked at once.
    private mutating func isFirst(_ entry: PDFObject) -> Bool {
        entry.referenceValue.map { checked.insert($0).inserted } ?? true
    }

    private static func shown(
        _ dictionary: PDFDictionary
    ) -> [(object: PDFObject, isNaming: Bool)] {
        dictionary.entries.filter { !otherKeys.contains($0.key) && !fileKeys.contains($0.key) }
            .map { ($0.value, namingKeys.contains($0.key)) }
    }

    /// The first of each kind is enough.
    private mutating func note(_ code: ProblemCode, _ text: String) {
        guard !problems.contains(where: { $0.code == code }) else { return }
        problems.append(.doubt(code, text, .signatureConstraintsFailure))
    }
}
