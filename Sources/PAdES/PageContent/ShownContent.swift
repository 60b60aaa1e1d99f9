import ByteKit
import PDFCore
import SignatureTerms

/// Whether readers draw the same from the content of pages and annotations: streams that cannot be
/// decoded as they say, text in fonts that the resources lack, and graphics states that were never
/// saved and are gone back to.
struct ShownContent {
    /// What readers make differently of it, in words; the first of each kind.
    private(set) var doubts: [(code: ProblemCode, text: String)] = []
    /// Whether all was looked at.
    var isComplete: Bool { hasSeenAll && functions.isEnough }
    private var hasSeenAll = true
    /// Something was passed over.
    mutating func noteUnseen() { hasSeenAll = false }

    let document: PDFDocument
    /// How much content may still be looked at, in bytes.
    private var remaining: Int
    private var remainingDrawings = Self.drawingLimit
    private var remainingImages: ShownImage.Budget
    /// Streams that need nothing but their own resources, and were looked at, with the least
    /// ``scale`` at which they were.
    private var settled: [ObjectID: Double] = [:]
    /// By how much all that draws the content makes it smaller, or larger.
    var scale = 1.0
    /// Of contents that draw others, or are made small.
    var places: [ObjectID: ContentPlaces] = [:]
    private var outlines: [ObjectID: ContentOutline] = [:]
    /// What cannot be decoded.
    private var unread: Set<ObjectID> = []
    /// Whether forms blend something with what is below.
    var blending: [ObjectID: Bool] = [:]
    /// The same of what pages are made of, which several may share.
    var pageOutlines: [[ObjectID]: ContentOutline] = [:]
    /// Those that are being looked at.
    private var open: Set<ObjectID> = []
    /// The annotation whose looks are being looked at.
    private(set) var annotation: PDFDictionary?
    /// Whether it is one of several looks of a button: any sign is its mark.
    private var drawsMark = false
    /// What streams and the glyphs of fonts take over from what draws them.
    var needs: [ObjectID: GraphicsParameters] = [:]
    /// Patterns, glyphs and the like that were looked at.
    private var known: Set<ObjectID> = []
    var knownColors: Set<ObjectID> = []
    /// Codes of fonts whose glyphs are content and have a width there alone.
    var widthlessCodes: [ObjectID: ShownCodes] = [:]
    private var fonts: ShownFonts
    let functions: FunctionMemory
    var layers: ShownLayers

    /// What a stream costs besides its content, which may be empty, and what looking up a name in
    /// each of several resources costs, in bytes.
    static let (streamCost, lookupCost) = (64, 16)
    /// What it costs at least to learn that something cannot be decoded, in bytes.
    private static let failureCost = 1 << 20
    /// How often forms may be drawn by others that do not bring all that they need.
    private static let drawingLimit = 200_000
    /// Forms inside forms.
    private static let nesting = 32

    init(_ document: PDFDocument, _ effort: DynamicContent.Effort) {
        self.document = document
        remaining = effort.contentByteCount
        remainingImages = ShownImage.Budget(effort)
        fonts = ShownFonts(document, effort)
        functions = FunctionMemory(upTo: effort.contentByteCount / Self.functionShare)
        layers = ShownLayers(document)
    }

    private static let functionShare = 4

    /// Looks at what a page or an annotation draws; at nothing for any other dictionary.
    mutating func look(at dictionary: PDFDictionary, _ id: ObjectID) throws(PDFError) {
        if dictionary["Contents"] != nil, dictionary["Kids"] == nil {
            try look(atPage: dictionary, id)
        }
        guard dictionary["AP"] != nil,
            let looks = try value(dictionary, "AP").dictionaryValue
        else { return }
        annotation = dictionary
        defer { annotation = nil }
        if let doubt = try doubt({ () throws(PDFError) in
            try AnnotationLook(in: document).doubt(about: dictionary)
        }) {
            note(
                .contentAmbiguous,
                "an annotation of object \(id.number) is shown by some readers in another way: \(doubt)"
            )
        }
        try lookAtLayer(of: dictionary, id)
        let page = try value(dictionary, "P").dictionaryValue
        let chain = [try page.map { (page) throws(PDFError) in try resources(of: page) } ?? [:]]
        for entry in looks.entries {
            let look = try resolve(entry.value)
            drawsMark = look.dictionaryValue != nil
            defer { drawsMark = false }
            for state in look.dictionaryValue?.entries.map(\.value) ?? [entry.value] {
                // Any number of annotations may share them.
                guard takeLookup(chain, cost: Self.streamCost) else { return }
                try checkBounds(of: state, id)
                try checkScale(of: state, in: dictionary, id)
                try checkMarking(by: state, in: dictionary, id)
                try checkBlending(in: state, of: id, isLook: true)
                let outer = enter(try lookScale(of: state, in: dictionary))
                try draw(form: state, of: id, chain)
                scale = outer
            }
        }
    }

    private mutating func checkBounds(
        of look: PDFObject, _ id: ObjectID
    ) throws(PDFError) {
        guard let form = try resolve(look).streamValue,
            try value(form.dictionary, "Subtype").nameValue == "Form"
        else { return }
        do {
            // Next to nothing shows nothing, in whatever box.
            guard try !document.isBlank(form), try !LookBounds.areReadable(of: form, in: document)
            else { return }
        } catch {
            guard error.code != .readFailed else { throw error }
            return
        }
        note(
            .contentAmbiguous,
            "what object \(id.number), which is shown, draws has no box and matrix of numbers: some "
                + "readers draw it elsewhere, others not at all")
    }

    /// - Parameters:
    ///   - owner: what draws it, for streams without a number.
    ///   - outer: the resources of what draws it, the innermost first.
    ///   - standIn: of a glyph, the font's resources.
    /// - Returns: Whether it needs none of them.
    @discardableResult
    private mutating func draw(
        form entry: PDFObject, of owner: ObjectID, _ outer: [PDFDictionary],
        standIn: PDFDictionary? = nil
    ) throws(PDFError) -> Bool {
        let id = entry.referenceValue ?? owner
        guard settled[id].map({ scale <= $0 / 2 }) ?? true,
            let form = try resolve(entry).streamValue,
            try value(form.dictionary, "Subtype").nameValue != "Image"
        else { return true }
        guard !open.contains(id) else {
            noteCircle(id)
            return true
        }
        guard outer.count < Self.nesting, remainingDrawings > 0 else {
            hasSeenAll = false
            return true
        }
        remainingDrawings -= 1
        if try value(form.dictionary, "Subtype").nameValue == "Form",
            let doubt = try doubt({ () throws(PDFError) in
                try AnnotationLook(in: document).doubt(aboutForm: form.dictionary)
            })
        {
            note(.contentAmbiguous, "object \(id.number), a form that is shown: \(doubt)")
        }
        guard let outline = try outline(of: form, id) else { return true }
        try checkPlaces(of: outline, id, in: form.dictionary)
        let outerScale = try enter(form)
        defer { scale = outerScale }
        open.insert(id)
        defer { open.remove(id) }
        let own = try value(form.dictionary, "Resources").dictionaryValue ?? standIn
        let chain = [own ?? PDFDictionary()] + outer
        let hasOwn = own != nil || form.dictionary["PatternType"] != nil
        try checkLookups(of: outline, id, chain, hasOwn: hasOwn)
        try findPlaces(in: form, id, outline, chain)
        if let own { try lookAtParts(of: own, chain, of: id) }
        if let masked = try maskedText(in: outline, id, chain),
            let content = try decoded(form, id)
        {
            check(masked, in: content, id)
        }
        let isOwn = try draw(outline, id, chain)
        if isOwn, standIn == nil, !drawsMark, entry.referenceValue != nil {
            settled[id] = outerScale
        }
        return isOwn
    }

    mutating func outline(
        of stream: PDFStream, _ id: ObjectID
    ) throws(PDFError) -> ContentOutline? {
        if let outline = outlines[id] { return outline }
        guard let data = try decoded(stream, id) else { return nil }
        let outline = ContentOutline(data, isInner: true)
        checkPictures(outline.pictures, in: data, id)
        outlines[id] = outline
        return outline
    }

    /// - Returns: Whether the first of the resources have all that is needed.
    mutating func draw(
        _ outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary]
    ) throws(PDFError) -> Bool {
        var isOwn = true
        var isLacking = false
        for text in outline.oddities {
            note(.contentAmbiguous, "the content of object \(id.number), which is shown, \(text)")
        }
        try checkColorKinds(of: outline, id, chain)
        try checkTableColors(of: outline, id, chain)
        try checkNames(of: outline, id, chain)
        let states = try states(of: outline, chain)
        for (name, codes) in outline.shownFonts.sorted(by: { $0.key < $1.key }) {
            guard takeLookup(chain) else { return isOwn }
            guard let (entry, level) = try find(name, in: "Font", chain),
                let font = try resolve(entry).dictionaryValue
            else {
                note(
                    .contentAmbiguous,
                    "the content of object \(id.number), which is shown, has text in the font "
                        + "\(name.description.inQuotes), which its resources lack: some readers show "
                        + "it, others do not")
                continue
            }
            if level > 0 { isOwn = false }
            try lookAtFont(font, entry, codes, name, shownBy: id)
            try lookAtGlyphs(of: font, entry, chain, shownBy: id)
            try checkWidths(of: font, entry, codes, shownBy: id)
            let changes = states.changes.union(outline.fontChanges[name] ?? [])
            try checkGlyphs(of: font, entry, changes, name, shownBy: id)
        }
        for name in outline.drawnObjects.sorted() {
            guard takeLookup(chain) else { return isOwn }
            guard let (entry, level) = try find(name, in: "XObject", chain) else {
                isLacking = true
                continue
            }
            try lookAtImage(entry, shownBy: id)
            if outline.skewedObjects.contains(name) { try checkAngle(of: entry, id) }
            if outline.flatObjects.contains(name) { try checkFlatForm(entry, id) }
            try checkBlending(in: entry, of: id)
            try checkBounds(of: entry, id)
            if outline.objectsInShiftedText.contains(name) { try checkTextState(of: entry, id) }
            try checkLeading(of: entry, outline.objectChanges[name] ?? [], id)
            let outer = enter((places[id]?.drawnScales ?? outline.drawnScales)[name] ?? 1)
            defer { scale = outer }
            let needsNothing = try draw(form: entry, of: id, chain)
            if level > 0 || !needsNothing { isOwn = false }
        }
        try checkFaults(of: outline, id, chain, isLacking: isLacking)
        try check(states, of: outline, id, chain)
        return isOwn
    }

    private mutating func lookAtFont(
        _ font: PDFDictionary, _ entry: PDFObject, _ codes: ShownCodes, _ name: PDFName,
        shownBy owner: ObjectID
    ) throws(PDFError) {
        let (doubt, cost) = try fonts.doubt(about: font, entry.referenceValue, codes)
        remaining -= cost
        if fonts.isOverspent { hasSeenAll = false }
        guard let doubt else { return }
        // MuPDF writes check boxes so: a reader that goes by the encoding shows a letter as mark.
        if drawsMark, doubt == ShownFont.letterEncoding { return }
        note(
            .contentAmbiguous,
            "the content of object \(owner.number), which is shown, has text in the font "
                + "\(name.description.inQuotes) that readers draw in different ways: \(doubt)")
    }

    /// Some readers look up what a form's own resources lack in those of whatever draws it, others in
    /// the page's alone, or nowhere where the form has resources.
    private mutating func checkLookups(
        of outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary], hasOwn: Bool
    ) throws(PDFError) {
        var used = outline.usedNames
        used["XObject"] = outline.drawnObjects
        used["Font"] = Set(outline.shownFonts.keys)
        var odd: [String] = []
        for (category, names) in used.sorted(by: { $0.key < $1.key }) {
            for name in names.sorted() {
                guard takeLookup(chain) else { return }
                guard let (_, level) = try find(name, in: category, chain), level > 0 else {
                    continue
                }
                var found: [PDFObject] = []
                for resources in chain {
                    let entry = try value(resources, category).dictionaryValue?[name]
                    if let entry, !found.contains(entry) { found.append(entry) }
                }
                if found.count > 1 || hasOwn && category != "Font" {
                    odd.append("/\(category) \(name)")
                }
            }
        }
        guard let first = odd.min() else { return }
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, takes \(first) from other resources "
                + "than its own, which lack it: readers look for it in different places")
    }

    /// Some readers stop at the hundredth thing that they cannot follow: a name that the resources lack,
    /// or an operator that nobody knows.
    private mutating func checkFaults(
        of outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary], isLacking: Bool
    ) throws(PDFError) {
        guard outline.unknownOperatorCount + outline.nameUseCount > ContentOutline.faultLimit else {
            return
        }
        var isLacking = isLacking
        for (category, names) in outline.usedNames.sorted(by: { $0.key < $1.key }) {
            for name in names.sorted() where !isLacking {
                guard takeLookup(chain) else { return }
                isLacking =
                    try find(name, in: category, chain) == nil
                    && !(category == "ColorSpace" && ColorSpaces.isNamed(name))
            }
        }
        guard isLacking else { return }
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, uses names that its resources lack, and "
                + "many names: some readers stop at the hundredth")
    }

    private mutating func lookAtImage(
        _ entry: PDFObject, shownBy owner: ObjectID
    ) throws(PDFError) {
        if let id = entry.referenceValue, known.contains(id) { return }
        guard let image = try resolve(entry).streamValue,
            try value(image.dictionary, "Subtype").nameValue == "Image"
        else { return }
        let id = entry.referenceValue ?? owner
        known.insert(id)
        let doubt = try ShownImage.doubt(
            about: image, in: document, functions, within: &remainingImages)
        if remainingImages.countsAll, !remainingImages.isEnough { hasSeenAll = false }
        guard let words = try document.decryptionDoubt(of: image) ?? doubt else { return }
        note(
            .contentAmbiguous,
            "object \(id.number), an image, is shown by readers in different ways: \(words)")
    }

    /// Whether one more name may be looked up: what is drawn again and again asks for all of them.
    mutating func takeLookup(_ chain: [PDFDictionary], cost: Int = lookupCost) -> Bool {
        remaining -= cost * chain.count
        if remaining <= 0 { hasSeenAll = false }
        return remaining > 0
    }

    /// Readers look in the resources of what surrounds a form as well.
    func find(
        _ name: PDFName, in category: PDFName, _ chain: [PDFDictionary]
    ) throws(PDFError) -> (PDFObject, depth: Int)? {
        for (depth, resources) in chain.enumerated() {
            guard let entry = try value(resources, category).dictionaryValue?[name],
                try resolve(entry) != .null
            else { continue }
            return (entry, depth)
        }
        return nil
    }

    private mutating func lookAtGlyphs(
        of font: PDFDictionary, _ entry: PDFObject, _ chain: [PDFDictionary],
        shownBy owner: ObjectID
    ) throws(PDFError) {
        guard let glyphs = try value(font, "CharProcs").dictionaryValue else { return }
        // One without a number belongs to what shows it.
        let id = entry.referenceValue ?? owner
        if entry.referenceValue != nil {
            if open.contains(id) { return noteCircle(id) }
            guard known.insert(id).inserted else { return }
            open.insert(id)
        }
        defer { if entry.referenceValue != nil { open.remove(id) } }
        let own = try value(font, "Resources").dictionaryValue
        guard chain.count < Self.nesting else {
            hasSeenAll = false
            return
        }
        try checkFont(ofGlyphs: font, id)
        for glyph in glyphs.entries {
            try draw(form: glyph.value, of: id, chain, standIn: own)
            try checkKind(ofGlyph: glyph.value, id, [own ?? PDFDictionary()] + chain)
            if own == nil { try checkResources(ofGlyph: glyph.value, id) }
        }
    }

    /// Readers end circles, each in its own place.
    private mutating func noteCircle(_ id: ObjectID) {
        note(.contentAmbiguous, "object \(id.number), which is shown, draws itself")
    }

    /// Looks at patterns and masks, whether they are used or not.
    mutating func lookAtParts(
        of resources: PDFDictionary, _ chain: [PDFDictionary], of owner: ObjectID
    ) throws(PDFError) {
        try lookAtColors(of: resources, owner)
        try lookAtLayers(of: resources, owner)
        for category in ["Pattern", "ExtGState"] as [PDFName] {
            let parts = try value(resources, category).dictionaryValue
            for entry in parts?.entries ?? [] {
                let id = entry.value.referenceValue
                if let id, !known.insert(id).inserted { continue }
                if category == "Pattern" {
                    try draw(form: entry.value, of: id ?? owner, chain)
                } else if let state = try resolve(entry.value).dictionaryValue {
                    try lookAtState(state, chain, of: id ?? owner)
                }
            }
        }
    }

    /// What cannot be read at all is judged elsewhere.
    func doubt(_ ask: () throws(PDFError) -> String?) throws(PDFError) -> String? {
        do throws(PDFError) {
            return try ask()
        } catch {
            guard error.code != .readFailed else { throw error }
            return nil
        }
    }

    private mutating func lookAtState(
        _ state: PDFDictionary, _ chain: [PDFDictionary], of owner: ObjectID
    ) throws(PDFError) {
        var values: [PDFName: PDFObject] = [:]
        for key in state.keys { values[key] = try value(state, key) }
        if let key = GraphicsStateEntries.odd(in: values) {
            note(
                .contentAmbiguous,
                "a graphics state of object \(owner.number), which is shown, has an entry /\(key) "
                    + "that readers take in different ways")
        }
        if case .array(let modes)? = values["BM"] {
            let first = try modes.first.map { (mode) throws(PDFError) in try resolve(mode) }
            if first?.nameValue.map(GraphicsStateEntries.blendModes.contains) != true {
                note(
                    .contentAmbiguous,
                    "a graphics state of object \(owner.number), which is shown, has a blend mode "
                        + "that not all readers know")
            }
        }
        guard let form = values["SMask"]?.dictionaryValue?["G"] else { return }
        try draw(form: form, of: owner, chain)
    }

    /// - Returns: nil when it cannot be decoded, and beyond the budget.
    mutating func decoded(
        _ stream: PDFStream, _ id: ObjectID
    ) throws(PDFError) -> [UInt8]? {
        remaining -= Self.streamCost
        guard remaining > 0 else {
            hasSeenAll = false
            return nil
        }
        guard !unread.contains(id) else { return nil }
        do {
            if let words = try document.decryptionDoubt(of: stream) { noteUnreadable(id, words) }
            if let words = try StreamFilters(document).doubt(about: stream) {
                note(
                    .contentAmbiguous,
                    "object \(id.number), which is shown, has \(words): readers get something else "
                        + "out of it each")
            }
            let data = try document.decodedData(of: stream, upTo: remaining)
            remaining -= data.count
            return data
        } catch {
            guard error.code != .readFailed else { throw error }
            // What is too long, or wrong at its end, was gone through all the same.
            unread.insert(id)
            remaining -= Self.failureCost
            guard error.code != .limitExceeded else {
                hasSeenAll = false
                return nil
            }
            // Next to nothing shows nothing, by whatever filter.
            guard try !document.isBlank(stream) else { return nil }
            noteUnreadable(id, error.detail)
            return nil
        }
    }

    private mutating func noteUnreadable(_ id: ObjectID, _ words: String) {
        let content = "the content of object \(id.number), which is shown"
        note(.objectUnreadable, "\(content), cannot be decoded (\(words))")
    }

    mutating func note(_ code: ProblemCode, _ text: String) {
        guard !doubts.contains(where: { $0.code == code }) else { return }
        doubts.append((code, text + (fieldWords)))
    }
}
