import PDFCore
import SignatureTerms
import TrustKit

/// What the pages show, as far as readers may disagree about it: objects that cannot be read,
/// dictionaries with several values for a key, streams whose length is not theirs.
struct ShownObjects {
    private let document: PDFDocument
    private var problems: [VerificationProblem] = []
    private var visited: Set<ObjectID> = []
    private var waiting: [ObjectID] = []
    /// Numbers that something shown refers to, and no section lists as in use.
    private var missing: [Int] = []

    /// Most objects that are looked at.
    private static let limit = 1_000_000
    /// Entries that lead away from what is shown, or to what is judged elsewhere.
    private static let otherKeys: Set<PDFName> = [
        "Parent", "P", "V", "A", "AA", "Dest", "Metadata", "PieceInfo", "Popup", "IRT", "OC",
    ]

    private init(_ document: PDFDocument) { self.document = document }

    static func problems(
        in document: PDFDocument, form: AcroForm
    ) throws(PDFError) -> [VerificationProblem] {
        let catalog = try document.catalog()
        guard let pages = catalog["Pages"]?.referenceValue else { return [] }
        var shown = ShownObjects(document)
        try shown.noteReferences(in: document.trailer)
        try shown.noteReferences(in: catalog)
        for case let id? in (catalog.entries + form.dictionary.entries).map(\.value.referenceValue)
        {
            try shown.checkGeneration(of: id)
        }
        if let form = try document.value(catalog, "AcroForm").dictionaryValue {
            try shown.noteReferences(in: form)
        }
        if let id = form.misnamed { try shown.checkGeneration(of: id) }
        shown.waiting = [pages]
        while let id = shown.waiting.popLast() {
            guard shown.visited.insert(id).inserted else { continue }
            guard shown.visited.count <= limit else {
                shown.note(
                    .tooMuchShown,
                    "more than \(limit) objects are shown: not all were looked at")
                break
            }
            try shown.look(at: id)
        }
        try shown.checkMissing()
        return shown.problems
    }

    /// For a number that nothing lists some readers rebuild the file.
    private mutating func checkMissing() throws(PDFError) {
        guard let found = try document.differenceWhenRebuilt(for: missing) else { return }
        note(
            .rebuiltDifferently,
            "what is shown refers to \(found.words): readers that rebuild the file for it may show "
                + "something else")
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
        try checkGeneration(of: id)
        let found = try document.inspect(id)
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
        follow(object)
    }

    private mutating func follow(_ object: PDFObject) {
        var stack = [object]
        while let next = stack.popLast() {
            switch next {
            case .reference(let id):
                if !visited.contains(id) { waiting.append(id) }
            // What comes first is looked at first.
            case .array(let elements): stack += elements
            case .dictionary(let dictionary): stack += Self.shown(dictionary)
            case .stream(let stream): stack += Self.shown(stream.dictionary)
            default: break
            }
        }
    }

    private static func shown(_ dictionary: PDFDictionary) -> [PDFObject] {
        dictionary.entries.filter { !otherKeys.contains($0.key) }.map(\.value)
    }

    /// The first of each kind is enough.
    private mutating func note(_ code: ProblemCode, _ text: String) {
        guard !problems.contains(where: { $0.code == code }) else { return }
        problems.append(.doubt(code, text, .signatureConstraintsFailure))
    }
}
