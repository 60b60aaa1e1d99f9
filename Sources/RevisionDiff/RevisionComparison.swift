import Base
import PDFCore
import PDFSigning

/// Compares a revision with the previous one, object by object through the document's structure.
/// Every change that is not permitted is forbidden.
///
/// Every changed object needs a reason from the part of the document that it belongs to. Each
/// extension of this type removes the objects that it can explain from ``unexplainedObjects``. The
/// remaining objects are forbidden, and so are objects with unknown referrers. New objects need no
/// reason: existing objects refer to them only through changes that are compared.
struct RevisionComparison {
    /// Maximum number of object numbers that a revision may leave out before its new ones. Viewers
    /// ignore or renumber objects with much higher numbers.
    private static let numberGapLimit = 1000

    var result = RevisionChanges()

    let old: PDFDocument
    let new: PDFDocument
    let references: ReferenceIndex
    let memory: ComparisonCache
    /// Objects that no update may change, whatever other role they have.
    let fixed: FixedObjects
    /// Index of the later revision's section among all sections.
    let section: Int
    let equivalence: Equivalence
    /// The comparison of objects that only content uses.
    let sameContent: Equivalence
    /// Changed objects by number that are not explained yet.
    var unexplainedObjects: [Int: ObjectID] = [:]
    let formBefore: AcroForm
    let formAfter: AcroForm
    let placesBefore: AcroForm.Places
    let placesAfter: AcroForm.Places
    /// See ``RevisionState/changedFields``.
    let changedFields: [Int]?
    /// Full names of the earlier fields and of those added.
    var namesSoFar: Set<ExactText> = []
    /// The later signatures of all fields, computed at first use.
    private var signatureIDs: Set<ObjectID>?
    /// The later parent tree, read at first use; `.some(nil)` means: unreadable.
    var tagsAfter: NumberTree??
    /// Object numbers that the later revision defines or frees.
    let definedNumbers: Set<Int>
    /// Appearance streams and appearance dictionaries that refer to no object in
    /// ``unexplainedObjects``.
    var unchangedAppearances: Set<ObjectID> = []
    /// Whether appearance streams may have been replaced in place.
    var mayHoldAppearances = false

    /// Facts about the whole document.
    struct Surroundings {
        let references: ReferenceIndex
        let memory: ComparisonCache
        let fixed: FixedObjects
    }

    /// - Parameters:
    ///   - section: index of the later revision's section among all sections.
    ///   - defined: object identifiers that the later revision defines or frees.
    init(
        from before: RevisionState, to after: RevisionState, section: Int,
        defining defined: Set<ObjectID>, in surroundings: Surroundings
    ) throws {
        old = before.document
        new = after.document
        self.section = section
        references = surroundings.references
        memory = surroundings.memory
        fixed = surroundings.fixed
        equivalence = Equivalence(old: old, new: new, budget: memory.values)
        sameContent = Equivalence(old: old, new: new, ignoresPlaces: true, budget: memory.values)
        formBefore = before.form
        formAfter = after.form
        placesBefore = before.places
        placesAfter = after.places
        changedFields = after.changedFields
        definedNumbers = Set(defined.map(\.number))
        guard try compareTrailer() else { return }
        guard !defined.isEmpty else {
            try compareInformation()
            return
        }
        try collect(defined)
        try compareCatalog()
        try compareForm()
        try compareInformation()
        if !unexplainedObjects.isEmpty { try comparePages() }
        if !unexplainedObjects.isEmpty { try compareStructure() }
        try forbidRest()
    }

    mutating func note(_ level: ChangeLevel, _ text: String) { result.note(level, text) }
    /// Reports a technical change, which does not affect the content of the document.
    mutating func noteTechnical(_ level: ChangeLevel, _ text: String) {
        result.note(level, text, isContent: false)
    }
    mutating func forbid(_ text: String) { note(.forbidden, text) }
    /// Reports a finding that makes the signature indeterminate.
    mutating func reportUncertain(_ text: String) { remark(.uncertain(text)) }
    mutating func remark(_ remark: RevisionChanges.Remark) { result.remarks.insert(remark) }

    mutating func accept(_ id: ObjectID?) { if let id { unexplainedObjects[id.number] = nil } }

    /// Whether an entry refers to an object in ``unexplainedObjects``.
    func isPending(_ entry: PDFObject) -> Bool {
        entry.referenceValue.map { unexplainedObjects[$0.number] != nil } ?? false
    }

    /// A field of the earlier form.
    func knownField(_ id: ObjectID) -> FormField? {
        placesBefore.fields[id].map { formBefore.fields[$0] }
    }

    /// Whether an object was a field or a widget of one.
    func wasField(_ id: ObjectID) -> Bool {
        knownField(id) != nil || placesBefore.widgets[id] != nil
    }

    /// Whether ``unexplainedObjects`` contains only fields, widgets and pages.
    func areOnlyFieldsAndPagesPending() throws(PDFError) -> Bool {
        for id in unexplainedObjects.values where !wasField(id) {
            guard try old.object(id).dictionaryValue?["Type"]?.nameValue == "Page" else {
                return false
            }
        }
        return true
    }

    /// Whether only `holders` refer to the object and no page draws it. Replacing the object then
    /// has no other effect.
    func belongsOnly(to holders: Set<Int>, _ id: ObjectID) throws(PDFError) -> Bool {
        guard !fixed.contains(id) else { return false }
        return try references.isReferredTo(id.number, onlyFrom: holders, asOf: section + 1)
    }

    /// Whether only `holders` refer to an object that itself refers to one in
    /// ``unexplainedObjects``.
    func isHolder(onlyFor holders: Set<Int>, _ id: ObjectID) throws(PDFError) -> Bool {
        guard !fixed.contains(id) else { return false }
        return try references.isHolderReferredTo(id.number, onlyFrom: holders, asOf: section + 1)
    }

    func existed(_ id: ObjectID) throws(PDFError) -> Bool {
        switch try old.definition(of: id.number)?.location {
        case nil, .free?: false
        default: true
        }
    }

    // MARK: Redefined objects

    /// Separates forbidden uses of object numbers from objects that were only rewritten.
    private mutating func collect(_ defined: Set<ObjectID>) throws {
        var added: Set<Int> = []
        var isNumberFar = false
        let containers = try containers()
        let removed = Set(try defined.filter { try new.location(of: $0) == .free }.map(\.number))
        for id in defined.sorted() {
            if references.heldObjects(id.number, before: section) {
                try compareContainer(id)
                continue
            }
            guard let before = try old.definition(of: id.number)?.location, before != .free else {
                if try new.location(of: id) == .free { continue }
                if try old.wasEverInUse(id.number) {
                    forbid("the number of a removed object was reused (object \(id.number))")
                } else if references.wasReferredTo(id.number, before: section) {
                    forbid(
                        "a later change adds object \(id.number), which signed objects use: "
                            + "this change can alter the signed content")
                } else if !containers.contains(id.number) {
                    added.insert(id.number)
                }
                if id.number > old.highestObjectNumber + defined.count + Self.numberGapLimit {
                    isNumberFar = true
                }
                try judgeNewObject(id)
                continue
            }
            guard let after = try new.location(of: id), after != .free else {
                if try isUnused(id, besides: removed) {
                    note(.archival, "unused objects were removed")
                } else {
                    forbid("\(try name(of: id)) was removed")
                }
                continue
            }
            if case .offset(_, let generation) = before, generation != id.generation {
                // Poppler frees an appearance stream that it replaces.
                if id.generation > generation,
                    try isUnused(ObjectID(number: id.number, generation: generation))
                {
                    note(.archival, "unused objects were replaced")
                } else {
                    forbid("the generation of an object was changed (object \(id.number))")
                }
            } else if try !equivalence.holds(old.object(id), new.object(id)) {
                unexplainedObjects[id.number] = id
            }
        }
        if isNumberFar {
            reportUncertain(
                "a new object has an implausibly high number: viewers may ignore it")
        }
        try noteUnused(among: added, defined)
    }

    private mutating func noteUnused(among added: Set<Int>, _ defined: Set<ObjectID>) throws {
        let unused = try unusedNumbers(among: added, defined)
        if !unused.isEmpty { remark(.unusedObjects(unused.count)) }
        for id in defined.sorted() where unused.contains(id.number) {
            guard try isStructure(id) else { continue }
            return remark(.unusedStructure(id.number))
        }
    }

    /// Whether an object is a catalog, page tree, page, object stream or cross-reference stream by
    /// its /Type or entries. Unreferenced fonts, widgets, arrays and data, which many programs
    /// write, are not.
    private func isStructure(_ id: ObjectID) throws(PDFError) -> Bool {
        let object = try new.object(id)
        guard let dictionary = object.streamValue?.dictionary ?? object.dictionaryValue else {
            return false
        }
        // Old versions of PDFBox write an unused object that repeats the trailer.
        let type = try new.value(dictionary, "Type").nameValue
        if type == "XRef",
            PermittedChanges.repeatedKeys.allSatisfy({ dictionary[$0] == new.trailer[$0] })
        {
            return false
        }
        return type.map(PermittedChanges.structureTypes.contains) ?? false
            || PermittedChanges.structureKeys.contains { dictionary[$0] != nil }
    }

    /// The new objects that neither the trailer nor a rewritten object refers to.
    private func unusedNumbers(
        among added: Set<Int>, _ defined: Set<ObjectID>
    ) throws(PDFError) -> Set<Int> {
        var unused = added
        guard !unused.isEmpty else { return [] }
        var walks = [ReferenceWalk(through: .dictionary(new.trailer))]
        for id in defined where !added.contains(id.number) {
            walks.append(ReferenceWalk(through: try new.object(id)))
        }
        while var walk = walks.popLast() {
            while let id = walk.next() {
                guard defined.contains(id), unused.remove(id.number) != nil else { continue }
                walks.append(ReferenceWalk(through: try new.object(id)))
            }
        }
        return unused
    }

    /// Compares an object stream; a section that rewrites the stream does not list its objects.
    private mutating func compareContainer(_ id: ObjectID) throws {
        guard let definition = try old.definition(of: id.number), definition.location != .free,
            try new.location(of: id).map({ $0 != .free }) == true,
            try equivalence.holds(old.object(id), new.object(id))
        else {
            return forbid("an object stream was replaced (object \(id.number))")
        }
    }

    /// Reports a new signature that no field refers to. Its field may have been removed to hide
    /// that it covers the document.
    private mutating func judgeNewObject(_ id: ObjectID) throws {
        guard let dictionary = try new.object(id).dictionaryValue,
            SignatureValue.isSignature(dictionary)
        else { return }
        let held =
            signatureIDs ?? Set(formAfter.signatureFields.compactMap(\.value?.referenceValue))
        signatureIDs = held
        guard !held.contains(id) else { return }
        forbid("a signature without signature field was added (object \(id.number))")
    }

    /// Numbers of the streams that contain the later revision's section and objects.
    private func containers() throws(PDFError) -> Set<Int> {
        guard let newest = new.sections.first else { return [] }
        var numbers: Set<Int> = []
        if let own = newest.container { numbers.insert(own.number) }
        try newest.forEachEntry { (entry) throws(PDFError) in
            switch entry.location {
            case .compressed(let stream, _): numbers.insert(stream)
            // The stream of a hybrid section.
            case .offset(newest.supplementOffset, _): numbers.insert(entry.number)
            default: break
            }
        }
        return numbers
    }

    /// Whether only objects removed by the same revision refer to an object. Object streams are
    /// used without a reference.
    private func isUnused(_ id: ObjectID, besides removed: Set<Int> = []) throws(PDFError) -> Bool {
        if let stream = try old.object(id).streamValue?.dictionary,
            stream["Type"]?.nameValue == "ObjStm" || stream["First"] != nil
        {
            return false
        }
        return try references.isReferredTo(id.number, onlyFrom: removed, asOf: section)
    }

    private func name(of id: ObjectID) throws -> String {
        let object = try old.object(id)
        let dictionary = object.streamValue?.dictionary ?? object.dictionaryValue
        let kind = dictionary?["Subtype"]?.nameValue ?? dictionary?["Type"]?.nameValue
        return kind.map { "object \(id.number) (\($0))" } ?? "object \(id.number)"
    }

    private mutating func forbidRest() throws {
        guard !unexplainedObjects.isEmpty else { return }
        let places = try PagePlaces(
            of: Set(unexplainedObjects.keys), in: old, &memory.remainingPlaces)
        for id in unexplainedObjects.values.sorted() {
            if let place = places[id.number] {
                forbid("\(place) replaced")
            } else if try old.object(id).dictionaryValue?["Type"]?.nameValue == "Pages" {
                forbid(try describePageTreeChange())
            } else if case .stream = try old.object(id) {
                forbid("content was replaced (\(try name(of: id)))")
            } else {
                forbid("\(try name(of: id)) was changed")
            }
        }
    }

    private func describePageTreeChange() throws -> String {
        let (before, after) = (try? old.pageCount(), try? new.pageCount())
        guard let before, let after else { return "the page tree was changed" }
        if after > before { return "pages were added: \(after) instead of \(before)" }
        if after < before { return "\(before - after) of \(before) pages were removed" }
        return "pages were replaced or reordered"
    }
}
