import Appearance
import ByteKit
import CMSKit
import CryptoBridge
import FileBridge
import PAdES
import PDFCore
import TimestampClient
import TrustKit

/// Signs PDF files: one credential and one set of options for any number of files.
///
/// The original bytes are copied and hashed in one pass; the signature follows in an incremental
/// update (ISO 32000-2 §7.5.6, ETSI EN 319 142-1 §6 level B-B, with a timestamp B-T).
public struct SignDocument: Sendable {
    let credential: SigningCredential
    let options: SigningOptions
    let password: DocumentPassword?
    private let timestamps: TimestampAuthorities?
    private let now: CalendarTime?
    let picture: PictureFile?
    /// Raises signatures to ``longTermLevel``; nil leaves them at B-B or B-T.
    public var longTerm: LongTermValidation?
    /// `.lt` or `.lta`.
    public var longTermLevel = SignatureLevel.lta
    /// Whether the signer looks before signing: then also at what the signature covers.
    private var isRehearsal = false

    /// - Parameters:
    ///   - password: for encrypted documents.
    ///   - timestamps: asked for a timestamp over each signature.
    ///   - now: instead of the system's clock.
    public init(
        credential: SigningCredential, options: SigningOptions, password: DocumentPassword? = nil,
        timestamps: TimestampAuthorities? = nil, now: Moment? = nil
    ) {
        self.credential = credential
        self.options = options
        self.password = password
        self.timestamps = timestamps
        picture = options.picture.map { PictureFile($0) }
        self.now = now?.time
    }

    /// Makes every check that `run` makes and writes nothing.
    public func check(_ input: InputSource) throws -> SignedDocument {
        try reading(input.name) {
            try rehearsing.plan(for: input.open())
        }
    }

    /// Signs `input` into `destination`. After a failure no output is left: a timestamp that was
    /// asked for and not given is one.
    public func run(_ input: InputSource, into destination: Destination) throws -> SignedDocument {
        try reading(input.name) {
            try sign(
                input.open(isReplaced: destination.isInPlace), into: .copy(destination))
        }
    }

    /// Makes every check of signing a document that an output holds so far.
    func check(_ output: AtomicOutput) throws -> SignedDocument {
        try reading(output.path) {
            try plan(for: InputFile(output))
        }
    }

    var rehearsing: SignDocument {
        var copy = self
        copy.isRehearsal = true
        return copy
    }

    private func plan(for file: InputFile) throws -> SignedDocument {
        let job = try layOutFinally(ScannedInput(file))
        var result = try job.result(file: file.path)
        (result.reason, result.location) = (options.reason, options.location)
        if let longTerm {
            result.warnings += try credential.rehearse(longTerm, file.path).map { Wording($0) }
            result.level = longTermLevel
        }
        let notes =
            try credential.notTried(job.builder.signer.scheme)
            + TimestampAuthorities.notAsked(timestamps, longTerm)
        result.warnings += notes.map { Wording($0) }
        return result
    }

    /// Signs the document that an output holds so far, and commits the output.
    func finish(_ output: AtomicOutput) throws -> SignedDocument {
        try reading(output.path) { try sign(InputFile(output), into: .behind(output)) }
    }

    private func sign(_ file: InputFile, into place: UpdatePlace) throws -> SignedDocument {
        let way = longTerm?.setOut()
        let (signed, notes) = try signed(ScannedInput(file), into: place)
        let output = try signed.hashed.holding(signed.message)
        var result = try signed.job.result(
            file: file.path, output: output.path, stamp: signed.stamp)
        (result.reason, result.location) = (options.reason, options.location)
        if let longTerm {
            longTerm.meet(way)
            try raise(output, file.path, by: longTerm, signed.stamp, &result)
        }
        try writing(output.path) { try output.commit() }
        result.warnings += notes.map { Wording($0) }
        return result
    }

    /// A laid-out document, what its signature covers, and the signature's value.
    private struct Signed {
        let job: LaidOut
        let hashed: HashedDocument
        let message: [UInt8]
        let stamp: ObtainedTimestamp?

        var excess: ReservationExceeded? { hashed.excess(of: message) }
    }

    /// Signs with room for a timestamp, if there is to be one.
    ///
    /// - Returns: what is to be written, and a word about each repetition.
    private func signed(
        _ input: ScannedInput, into place: UpdatePlace
    ) throws -> (Signed, notes: [String]) {
        var room = TokenRoom(for: timestamps)
        var job = try layOut(input, tokenByteCount: room.byteCount)
        let original = try input.copied(
            to: place, hashing: job.appended.digest, source: credential.source)
        if try input.refers(to: job) { job = try layOut(input, tokenByteCount: room.byteCount) }
        var signed = try sign(job, behind: original)
        while let excess = signed.excess {
            try room.widen(after: excess)
            signed = try sign(layOut(input, tokenByteCount: room.byteCount), behind: original)
        }
        return (signed, room.notes)
    }

    private func sign(_ job: LaidOut, behind original: CopiedOriginal) throws -> Signed {
        let hashed = try job.appended.hashed(behind: original, source: credential.source)
        let (message, stamp) = try job.builder.sign(
            messageDigest: hashed.messageDigest, timestamps: timestamps,
            source: credential.source, seal: job.seal)
        return Signed(job: job, hashed: hashed, message: message, stamp: stamp)
    }

    private func raise(
        _ output: AtomicOutput, _ path: String, by longTerm: LongTermValidation,
        _ stamp: ObtainedTimestamp?, _ result: inout SignedDocument
    ) throws {
        let data: ValidationData
        do {
            data = try longTerm.forFile().extend(output, path: path, to: longTermLevel)
        } catch let error as SignetError where error.code == .signerRevoked {
            throw SignetError(.credentialRefused, file: credential.source, error.message)
        }
        result.level = longTermLevel
        // By other anchors than those of the level.
        let note = stamp?.trustAdvice
        result.warnings = result.warnings.filter { $0 != note } + data.warnings.map { Wording($0) }
        if options.certification == .noChanges {
            result.warnings.append(Wording(LongTermValidation.Plan.certifiedWarning))
        }
        result.validationData = data
    }

    /// Lays out the update where nothing is signed: with numbers that nothing in the whole file
    /// refers to.
    func layOutFinally(_ input: ScannedInput) throws -> LaidOut {
        let job = try layOut(input, tokenByteCount: 0)
        return try input.refers(to: job) ? layOut(input, tokenByteCount: 0) : job
    }

    /// Lays out the update.
    ///
    /// - Parameter tokenByteCount: room for a timestamp.
    func layOut(_ input: ScannedInput, tokenByteCount: Int) throws -> LaidOut {
        let (claimedTime, doubts) = try checkCredential()
        var readings = try UpdateReadings<LaidOut>(of: input.file, password: password)
        while true {
            let document = try readings.next()
            let job = Result { try layOut(input, document, claimedTime, doubts, tokenByteCount) }
            if let job = try readings.judge(job) { return job }
        }
    }

    /// Whether the credential may sign at the time that the signature will claim.
    @discardableResult
    func checkCredential() throws -> (claimedTime: CalendarTime, doubts: [String]) {
        let claimedTime =
            options.claimedTime?.time ?? now ?? SystemClock.now()
        return (claimedTime, try credential.checkEligibility(at: claimedTime))
    }

    private func layOut(
        _ input: ScannedInput, _ document: PDFDocument, _ claimedTime: CalendarTime,
        _ doubts: [String], _ tokenByteCount: Int
    ) throws -> LaidOut {
        let form = try AcroForm(of: document)
        try SigningPermission.check(document, form: form)
        let seal = try IntegritySeal.of(document)
        let earlier = try requireGoodSignatures(of: document, form, input)
        let (target, terms) = try permittedTarget(in: form, of: document, input.file.path)
        let builder = try signedDataBuilder(terms, claimedTime)
        let dynamicContent = try dynamicContent(of: document, form, target, input.file.path)
        try requireSoundness(of: document, in: input.file, input.file.path)
        var update = IncrementalUpdate(
            document: document, avoiding: try input.numbers(in: document))
        var design = StampDesign(
            of: .init(
                reason: terms.reason, signerName: signerName,
                name: credential.certificate.subject, claimedTime: claimedTime),
            options: options, picture: picture, document: document, file: input.file)
        let looks = try design.looks(for: target, &update, isRehearsal: isRehearsal)
        let marks = try options.marks.map { marks in
            try SigningPermission.checkDrawing(on: document, form: form)
            return SignedDocument.Marks(
                pages: try design.draw(marks, beside: looks, &update))
        }
        let reservedByteCount = try builder.maximumByteCount(
            unsignedAttributesByteCount: tokenByteCount
                + (seal == nil ? 0 : IntegritySeal.byteCount))
        let prepared = try PreparedSignature(
            NewSignature(
                in: target, .signature(properties(terms, claimedTime)), looks: looks,
                reservedByteCount: reservedByteCount, isSealed: seal != nil),
            document: document, form: form, update: update,
            fileIdentifier: AppendedSignature.fileIdentifier())
        let breaking = try prepared.doubtsAboutEarlierSignatures(in: document, form: form)
        let shownContent =
            prepared.settlesAppearances ? dynamicContent.withSettledAppearances : dynamicContent
        return LaidOut(
            appended: AppendedSignature(
                input: input, prepared: prepared, digest: builder.signer.digest,
                reservedByteCount: reservedByteCount),
            builder: builder, seal: seal, fieldName: target.name, signerName: signerName,
            claimedTime: claimedTime,
            level: terms.format != .pades ? .cms : timestamps == nil ? .b : .t,
            marks: marks, demands: terms.demands,
            widgets: try prepared.checkedPlaces(in: document).map {
                SignedDocument.Widget(page: $0.page, rect: $0.rect)
            }, stampText: design.text, restriction: terms.restriction, dynamicContent: shownContent,
            warnings: (doubts + nameDoubts + earlier + breaking + design.warnings
                + [try SigningPermission.lockRemark(on: target, form: form, of: document)]
                .compactMap { $0 }
                + lockNotes(terms, target, form) + untold(shownContent.lines, after: earlier)
                + [prepared.settledAppearances].compactMap { $0 }).map { Wording($0) }
                + advice(on: shownContent)
                + (shownContent.asksForAppearances && !looks.isEmpty ? [Self.hiddenStamp] : [])
                + advice(on: form, target, terms, marks)
                + document.warnings.map { Wording($0.description) },
            document: document, form: form, allowsFailed: options.allowsFailed)
    }

    /// Where the signature goes and on what terms.
    ///
    /// - Throws: where that is not permitted, or nobody agreed to what the field demands.
    private func permittedTarget(
        in form: AcroForm, of document: PDFDocument, _ path: String
    ) throws -> (SignatureTarget, SigningTerms) {
        let target = try SignatureTarget(options.field.choice, in: form, of: document)
        try refuseMistypedName(of: target, in: form)
        try SigningPermission.checkAccess(to: target, of: document)
        let terms = try terms(for: target, in: document)
        try requireAgreement(to: terms, target, path)
        try SigningPermission.check(
            target, terms: terms, isVisible: options.stamp != nil, form: form, of: document)
        return (target, terms)
    }

    /// What the signature's dictionary says.
    private func properties(
        _ terms: SigningTerms, _ claimedTime: CalendarTime
    ) -> SignatureProperties {
        var properties = SignatureProperties(
            name: options.name, reason: terms.reason, location: options.location,
            contact: options.contact, claimedTime: claimedTime)
        properties.format = terms.format
        properties.restriction = terms.restriction
        return properties
    }

    /// Said where the form keeps asking viewers to draw its fields.
    private static let hiddenStamp: Wording =
        "some viewers (poppler) do not draw the stamp in a form that asks them to draw its fields "
        + "themselves (NeedAppearances)"

    /// - Throws: ``SignetError`` when there is any, or may be, and the person wants none.
    private func dynamicContent(
        of document: PDFDocument, _ form: AcroForm, _ target: SignatureTarget, _ path: String
    ) throws -> ShownDynamicContent {
        let effort = options.isStrict ? DynamicContent.Effort.thorough : .quick
        let content = try ShownDynamicContent(
            of: document, form, effort: effort, besides: Set(target.widgetIDs))
        guard document.encryption?.hasWrongTag != true else {
            throw SignetError(
                .malformedInput, file: path,
                "encrypted data were changed by somebody who cannot open the document",
                advice: .document(.getAgain))
        }
        try document.requireEnd(doubts: content.doubts, path)
        if !form.exists, let stray = content.strayField {
            throw SignetError(
                .malformedInput, file: path,
                "\(stray.message): readers that show it only where there is a form would show it "
                    + "by this signature", advice: .document(.removeField))
        }
        guard options.isStrict, !content.lines.isEmpty else { return content }
        throw SignetError(
            .malformedInput, file: path,
            "its look may change after signing: " + content.lines.joined(separator: "; "),
            advice: .document(.makeWithoutOrUnstrictly))
    }

    /// - Throws: ``SignetError`` for a strict signer, when the document had to be repaired, or installed viewers
    ///   clearly show a page differently.
    private func requireSoundness(
        of document: PDFDocument, in file: InputFile, _ path: String
    ) throws {
        guard options.isStrict else { return }
        if let words = CompareViewers.disagreement(
            about: file, pageCount: try document.pageCount())
        {
            throw SignetError(
                .malformedInput, file: path, words,
                advice: .document(.makeWithoutOrUnstrictly))
        }
        guard document.isRebuilt else { return }
        throw SignetError(
            .malformedInput, file: path,
            "the file is damaged, and others may repair it in another way",
            advice: .document(.askForWholeOrUnstrictly))
    }

    /// Without what makes an earlier signature doubtful, which is told with it.
    private func untold(_ lines: [String], after earlier: [String]) -> [String] {
        lines.filter { line in !earlier.contains { $0.hasSuffix(line) } }
    }

    /// A lock of a field that nobody has locks nothing, and one of a field for another signature keeps
    /// that from being made.
    private func lockNotes(
        _ terms: SigningTerms, _ target: SignatureTarget, _ form: AcroForm
    ) -> [String] {
        let kept = closedFields(terms, target, form)
        return unknownNames(terms, target, form)
            + (kept.isEmpty ? [] : ["nobody can sign after this what it locks: \(kept)"])
    }

    /// Fields for other signatures that nobody can make any more, for people; empty where there are none.
    private func closedFields(
        _ terms: SigningTerms, _ target: SignatureTarget, _ form: AcroForm
    ) -> String {
        guard let lock = terms.restriction.lock?.fieldLock else { return "" }
        let closed = form.signatureFields.filter {
            $0.value == nil && $0.fullName != ExactText(target.name) && lock.covers($0.fullName)
        }
        let more = closed.count - Self.namedFieldCount
        return closed.prefix(Self.namedFieldCount).map(\.fullName.inQuotes).joined(separator: ", ")
            + (more > 0 ? " and \(more) more" : "")
    }

    private static let namedFieldCount = 5

    private func unknownNames(
        _ terms: SigningTerms, _ target: SignatureTarget, _ form: AcroForm
    ) -> [String] {
        let names: [String]
        switch terms.restriction.lock {
        case .only(let locked): names = locked
        case .except(let open): names = open
        case .all, nil: return []
        }
        let fields = form.fields.map(\.fullName) + [ExactText(target.name)]
        return names.prefix(Self.judgedNameCount).filter { name in
            let name = ExactText(name)
            return !fields.contains { $0 == name || $0.isBelow(name, separator: ".") }
        }.map {
            "the lock names \($0.inQuotes), and the document has no such field"
        }
    }

    /// Most locked names that are looked for, and most characters of one that are said.
    private static let judgedNameCount = 64

    private var signerName: String {
        options.name ?? credential.certificate.subject.commonName
            ?? credential.certificate.subject.description
    }

    /// Readers show the name that the signer gives, and nobody has checked it.
    private var nameDoubts: [String] {
        let subject = credential.certificate.subject
        let known = [subject.shortText, subject.description]
        guard let name = options.name, SignerName.isForeign(name, to: known) else { return [] }
        return ["the signature names '\(name)', but the certificate is of \(known[0])"]
    }

    /// What the person asked for, then what the field demands.
    private func terms(
        for target: SignatureTarget, in document: PDFDocument
    ) throws -> SigningTerms {
        var terms = SigningTerms(
            digest: options.digest?.algorithm,
            reason: options.reason,
            restriction: SignatureRestriction(
                certification: options.certification,
                lock: options.lock?.restriction))
        terms.isTimestamped = timestamps != nil
        terms.requestedFormat = options.subFilter.flatMap { .init(rawValue: $0.rawValue) }
        terms.format = terms.requestedFormat ?? .pades
        guard case .existing(let field) = target else {
            guard options.lockLevel == nil else {
                throw SignetError(
                    .usage, "a lock's level is for the lock of an existing field",
                    advice: .document(.certify(.noChanges)))
            }
            return terms
        }
        try SigningPermission.checkDemands(of: field, in: document)
        if let lock = try SignatureRestriction.Lock(of: field, in: document) {
            let wanted = terms.restriction.lock
            guard wanted.map({ $0.isSame(as: lock) }) ?? true else {
                throw SignetError(
                    .usage, "the field '\(field.fullName)' says itself which fields it locks",
                    advice: .document(.lock(lock.argument)))
            }
            terms.restriction.lock = lock
            terms.demands.append(
                SigningDemand(.lock, lock.argument, isAgreed: wanted != nil))
        }
        if let demand = try SigningPermission.lockLevelDemand(
            of: field, wanted: options.lockLevel, in: document)
        {
            terms.demands.append(demand)
        }
        try SeedValue(of: field, in: document)?.apply(
            to: &terms, chain: [credential.certificate] + credential.chain)
        return terms
    }

    /// - Throws: ``SignetError`` with the options that say what the field demands and nobody said.
    private func requireAgreement(
        to terms: SigningTerms, _ target: SignatureTarget, _ path: String
    ) throws {
        let open = terms.demands.filter { !$0.isAgreed }
        guard !open.isEmpty else { return }
        let options = SignedDocument.Demand.options(of: open.map(SignedDocument.Demand.init))
        throw SignetError(
            .usage, file: path,
            "the field '\(target.name)' demands what was not asked for: "
                + open.map(\.description).joined(separator: "; "),
            advice: .document(.agree(options)))
    }

    private func signedDataBuilder(
        _ terms: SigningTerms, _ claimedTime: CalendarTime
    ) throws -> SignedDataBuilder {
        var builder = SignedDataBuilder(
            signer: try reading(credential.source) {
                try credential.signer(digest: terms.digest, padding: options.padding)
            })
        if terms.format == .pkcs7 { builder.signingTime = claimedTime }
        return builder
    }
}

extension SigningOptions.Lock {
    var restriction: SignatureRestriction.Lock {
        switch self {
        case .all: .all
        case .only(let names): .only(names)
        case .except(let names): .except(names)
        }
    }
}

extension SigningOptions.Field {
    fileprivate var choice: FieldChoice {
        switch self {
        case .automatic: .automatic
        case .named(let name): .named(name)
        case .new(let name): .new(name)
        }
    }
}
