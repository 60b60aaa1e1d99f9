import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
package import SystemBridge
import TimestampKit

/// Signs PDF files: one credential and one set of options for any number of files.
///
/// The original bytes are copied and hashed in one pass; the signature follows in an incremental
/// update (ISO 32000-2 §7.5.6, ETSI EN 319 142-1 §6 level B-B, with a timestamp B-T).
public struct SignDocument: Sendable {
    let credential: SigningCredential
    let options: SigningOptions
    let password: DocumentPassword?
    let timestamps: TimestampAuthorities?
    private let now: CalendarTime?
    let picture: PictureFile?
    private let builders = BuilderMemo()
    /// Extends signatures to ``longTermLevel``; nil leaves them at B-B or B-T.
    public var longTerm: LongTermValidation?
    /// Level for ``longTerm``: `.lt` or `.lta`.
    public var longTermLevel = SignatureLevel.lta
    /// Whether this is a check before signing, which also scans the signed content.
    private var isRehearsal = false

    /// - Parameters:
    ///   - password: for encrypted documents.
    ///   - timestamps: TSAs for a timestamp over each signature.
    ///   - now: replaces the system clock.
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

    /// Performs all checks of `run` and writes nothing.
    ///
    /// - Throws: ``SignetError``, as `run` would.
    public func check(_ input: InputSource) throws -> SignedDocument {
        try reading(input.name) { try rehearsing.check(input.open()) }
    }

    /// Signs `input` and writes the result to `destination`. After a failure, no output file
    /// remains. A missing timestamp is a failure.
    ///
    /// - Throws: ``SignetError``.
    public func run(_ input: InputSource, into destination: Destination) throws -> SignedDocument {
        try passes(input, into: destination).finish()
    }

    /// The signing operation in passes: announce, sign, extend.
    package func passes(
        _ input: InputSource, into destination: Destination
    ) throws -> Pass<SignedDocument> {
        try reading(input.name) {
            try passes(
                ScannedInput(input.open(isReplaced: destination.isInPlace)), into: destination)
        }
    }

    func check(_ output: AtomicOutput) throws -> SignedDocument {
        try reading(output.path) { try check(InputFile(output)) }
    }

    var rehearsing: SignDocument {
        var copy = self
        copy.isRehearsal = true
        return copy
    }

    private func check(_ file: InputFile) throws -> SignedDocument {
        let input = ScannedInput(file)
        let plan = try plan(for: input)
        var result = try makeUpdate(by: plan, of: input).result
        if let longTerm {
            result.warnings += try longTerm.rehearse(credential, file: file.path).map {
                Sentence($0)
            }
            result.level = longTermLevel
        }
        let notes =
            try credential.notTried(plan.builder.signer.scheme)
            + TimestampAuthorities.notAsked(timestamps, longTerm)
        result.warnings += notes.map { Sentence($0) }
        return result
    }

    func finish(_ output: AtomicOutput) throws -> SignedDocument {
        try reading(output.path) { try passes(ScannedInput(output), into: nil).finish() }
    }

    /// - Parameter destination: nil if the output contains the document.
    private func passes(
        _ input: ScannedInput, into destination: Destination?
    ) throws -> Pass<SignedDocument> {
        let plan = try plan(for: input)
        try input.copy(
            to: destination, hashing: plan.builder.signer.digest, source: credential.source)
        let room = TimestampReservation(for: timestamps)
        let (update, result) = try makeUpdate(by: plan, of: input, tokenByteCount: room.byteCount)
        let hashed = try input.hash(with: update, source: credential.source)
        let stamped = try self.stamped(hashed, plan)
        guard credential.consent.signaturesAtOnce > 1 else {
            return try sign(stamped, plan, input, room, result)
        }
        try reading(credential.source) {
            try stamped.builder.announce(messageDigest: hashed.messageDigest)
        }
        return .next {
            try reading(input.file.path) { try sign(stamped, plan, input, room, result) }
        }
    }

    typealias Stamped = (
        hashed: HashedDocument, builder: SignedDataBuilder, content: ObtainedTimestamp?
    )

    /// Adds a timestamp over the signed byte range to the attributes, if requested.
    func stamped(_ hashed: HashedDocument, _ plan: Plan) throws -> Stamped {
        guard options.statements.stampsContent else { return (hashed, plan.builder, nil) }
        let (builder, stamp) = try plan.builder.stamping(hashed.messageDigest, by: timestamps)
        return (hashed, builder, stamp)
    }

    /// Signs with reserved space for a timestamp, if required. The update is prepared again only if
    /// the timestamp needs more space.
    private func sign(
        _ stamped: Stamped, _ plan: Plan, _ input: ScannedInput, _ room: TimestampReservation,
        _ result: SignedDocument
    ) throws -> Pass<SignedDocument> {
        var (stamped, room, result) = (stamped, room, result)
        func value() throws -> (message: [UInt8], stamp: ObtainedTimestamp?) {
            try stamped.builder.sign(
                messageDigest: stamped.hashed.messageDigest, timestamps: timestamps,
                source: credential.source, seal: plan.seal)
        }
        var signed = try value()
        while let excess = stamped.hashed.excess(of: signed.message) {
            try room.widen(after: excess)
            let (update, newResult) = try makeUpdate(
                by: plan, of: input, tokenByteCount: room.byteCount)
            stamped = try self.stamped(
                input.hash(with: update, source: credential.source), plan)
            result = newResult
            signed = try value()
        }
        let output = try stamped.hashed.holding(signed.message)
        result.warnings += stamped.content?.advice ?? []
        result.output = output.path
        result.note(signed.stamp)
        result.warnings += room.notes.map { Sentence($0) }
        guard let longTerm else {
            try writing(output.path) { try output.commit() }
            return .done(result)
        }
        longTerm.newestStamp.note(signed.stamp)
        let (path, stamp, signedResult) = (input.file.path, signed.stamp, result)
        return .next {
            try reading(path) {
                var result = signedResult
                try raise(output, path, by: longTerm, stamp, &result)
                try writing(output.path) { try output.commit() }
                return .done(result)
            }
        }
    }

    private func raise(
        _ output: AtomicOutput, _ path: String, by longTerm: LongTermValidation,
        _ stamp: ObtainedTimestamp?, _ result: inout SignedDocument
    ) throws {
        var validation = longTerm.forFile(of: credential.certificate)
        validation.allowsDamaged = options.allowsDamaged
        let data = try credential.namedIfRevoked {
            try validation.extend(output, path: path, to: longTermLevel)
        }
        result.level = longTermLevel
        // Long-term validation may use other trust anchors, so the earlier trust note is replaced.
        result.timestamp?.trusted = true
        let note = stamp?.trustAdvice
        result.warnings = result.warnings.filter { $0 != note } + data.warnings.map { Sentence($0) }
        if options.certification == .noChanges {
            result.warnings.append(Sentence(LongTermValidation.Plan.certifiedWarning))
        }
        result.validationData = data
    }

    /// Whether the credential may sign at the claimed signing time.
    @discardableResult
    func checkCredential() throws -> (claimedTime: CalendarTime, doubts: [String]) {
        let claimedTime =
            options.claimedTime?.time ?? now ?? SystemClock.now()
        return (claimedTime, try credential.checkEligibility(at: claimedTime))
    }

    /// Decides everything except the update itself: the interpretation of the file, the field, the
    /// terms.
    func plan(for input: ScannedInput) throws -> Plan {
        let (claimedTime, doubts) = try checkCredential()
        let path = input.file.path
        let opened = try UpdatableDocument(input.file, password: password, allowsDamaged: true)
        let (document, form) = (opened.document, opened.form)
        try SigningPermission.check(document, form: form)
        let seal = try IntegritySeal.of(document)
        let earlier = try requireGoodSignatures(of: document, form, input)
        let (target, terms) = try permittedTarget(in: form, of: document, path)
        let content = try requirePermittedContent(of: document, form, in: input.file)
        let damage = try opened.damageOfShownObjects
        if !options.allowsDamaged { try opened.requireUndamaged(damage, file: input.file) }
        try opened.mend(known: content.doubts)
        input.begin(document)
        let (builder, longestByteCount) = try signedDataBuilder(terms, claimedTime: claimedTime)
        var plan = Plan(
            opened: opened, seal: seal, target: target, terms: terms,
            builder: builder, longestByteCount: longestByteCount, claimedTime: claimedTime,
            content: content)
        plan.warnings = try doubts + nameDoubts + earlier + document.usageRightsDoubts()
        if opened.damage == nil, let damage { plan.warnings.append(damage) }
        plan.notes = content.told + Self.notes(on: terms, target)
        return plan
    }

    /// Creates the update for a plan, and the expected result.
    ///
    /// - Parameter tokenByteCount: reserved space for a timestamp, in bytes.
    func makeUpdate(
        by plan: Plan, of input: ScannedInput, tokenByteCount: Int = 0
    ) throws -> (PreparedSignature, result: SignedDocument) {
        let (document, form) = (plan.opened.document, plan.opened.form)
        var update = IncrementalUpdate(
            document: document, avoiding: try input.numbers(in: document))
        var design = StampDesign(
            of: .init(
                reason: plan.terms.reason, signerName: signerName,
                name: credential.certificate.subject, claimedTime: plan.claimedTime,
                sha256: [options.stamp?.template, options.marks?.template]
                    .contains { $0?.uses(.sha256) == true }
                    ? Hex.encode(try input.sha256()) : nil),
            options: options, picture: picture, document: document, file: input.file)
        let appearances = try design.appearances(
            for: plan.target, &update, isRehearsal: isRehearsal)
        let marks = try options.marks.map { marks in
            try SigningPermission.checkDrawing(on: document, form: form)
            return SignedDocument.Marks(pages: try design.draw(marks, beside: appearances, &update))
        }
        let prepared = try PreparedSignature(
            NewSignature(
                in: plan.target, .signature(properties(plan.terms, plan.claimedTime)),
                appearances: appearances,
                reservedByteCount: plan.builder.maximumByteCount(
                    unsignedAttributesByteCount: tokenByteCount
                        * (options.statements.stampsContent ? 2 : 1)
                        + (plan.seal == nil ? 0 : IntegritySeal.byteCount),
                    longest: plan.longestByteCount), isSealed: plan.seal != nil),
            document: document, form: form, update: update, fileIdentifier: newFileIdentifier())
        let problems = try permittedProblems(after: prepared, plan, input.file.path)
        let breaking = try prepared.doubtsAboutEarlierSignatures(in: document, form: form)
        let lockRemark = try SigningPermission.lockRemark(on: plan.target, form: form, of: document)
        let lost = try lostSignatures(plan, input: input)
        var result = SignedDocument(
            file: input.file.path, output: nil, field: plan.target.name,
            level: plan.terms.format != .pades ? .cms : timestamps == nil ? .b : .t,
            digest: plan.builder.signer.digest.rawValue,
            algorithm: plan.builder.signer.scheme.name, signer: signerName,
            claimedTime: plan.claimedTime.moment, timestamp: nil, marks: marks,
            warnings: (problems + plan.warnings + breaking + design.warnings
                + [lockRemark].compactMap(\.self) + lockNotes(plan.terms, plan.target, form))
                .map { Sentence($0) } + advice(on: form, plan.target, marks)
                + lost.map { Sentence($0) })
        let places = try prepared.checkedPlaces(in: document)
        result.note(plan, widgets: places.map { .init(page: $0.page, rect: $0.rect, in: document) })
        if options.field != .automatic { result.namesField = true }
        result.notes += design.notes
        result.isSeen = design.notes.isEmpty
        if !design.text.isEmpty { result.stampText = design.text }
        result.stampCode = design.codeText
        (result.reason, result.location) = (options.reason, options.location)
        return (prepared, result)
    }

    /// Notes about signatures of an earlier revision that the newest one lacks. A document that is
    /// still signed is not searched: its signatures were checked before.
    ///
    /// - Throws: `earlierSignatureFails`, unless the user permits it.
    private func lostSignatures(_ plan: Plan, input: ScannedInput) throws -> [String] {
        let (document, form) = (plan.opened.document, plan.opened.form)
        guard try !form.hasSignature(in: document) else { return [] }
        let lost = try LostSignatures(
            in: document, besides: form, unreferencedSections: input.unreferencedSections
        )
        .fields.map { field in
            "a signature of an earlier revision was removed from the field \(field.inQuotes): "
                + "verification will report this"
        }
        if let first = lost.first, !options.allowsFailed {
            throw PAdESError(.earlierSignatureFails, first)
        }
        return lost
    }

    /// The problems that `verify` would find in the signed document, if the signer permits any.
    ///
    /// - Throws: ``SignetError`` if not.
    private func permittedProblems(
        after update: PreparedSignature, _ plan: Plan, _ path: String
    ) throws -> [String] {
        let problems = try plan.opened.problems(after: update, known: plan.content.doubts)
        guard let first = problems.first, !options.allowsDamaged else { return problems }
        throw SignetError(
            .malformedInput, file: path,
            "the file is damaged, so its signature would not pass verification: \(first)",
            hint: Sentence(.allowDamaged))
    }

    /// The signature field and the terms.
    ///
    /// - Throws: if signing is not permitted, or field requirements are not accepted.
    private func permittedTarget(
        in form: AcroForm, of document: PDFDocument, _ path: String
    ) throws -> (SignatureTarget, SigningTerms) {
        let target = try SignatureTarget(options.field, in: form, of: document)
        try refuseMistypedName(of: target, in: form)
        try form.refuseMistyped(lock: options.lock, besides: [target.name])
        try SigningPermission.checkAccess(to: target, of: document)
        let terms = try terms(for: target, in: document)
        try requireAgreement(to: terms, target, path)
        try SigningPermission.check(
            target, terms: terms, isVisible: options.stamp != nil, form: form, of: document)
        return (target, terms)
    }

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

    /// - Throws: ``SignetError`` for modified encrypted data, and for content that `--strict`
    ///   rejects.
    private func requirePermittedContent(
        of document: PDFDocument, _ form: AcroForm, in file: InputFile
    ) throws -> ShownDynamicContent {
        let content = try ShownDynamicContent(
            of: document, form, effort: options.isStrict ? .thorough : .quick)
        guard document.encryption?.hasWrongTag != true else {
            throw SignetError(
                .malformedInput, file: file.path,
                "the encrypted data was modified without the document key",
                hint: Sentence(.getAgain))
        }
        guard options.isStrict else { return content }
        let disagreement = CompareViewers.disagreement(about: file, document)
        let refused =
            content.refusedByStrict + [disagreement].compactMap(\.self)
            + (document.isRebuilt ? ["the cross-reference table is damaged"] : [])
        guard !refused.isEmpty else { return content }
        throw SignetError(
            .malformedInput, file: file.path,
            "strict signing refuses: " + refused.joined(separator: "; "),
            hint: Sentence(.makeWithoutOrUnstrictly))
    }

    /// Notes about properties that the field adds to the signature.
    private static func notes(on terms: SigningTerms, _ target: SignatureTarget) -> [String] {
        let applied = terms.demands.filter { !$0.isAgreed }.map(\.description)
        guard !applied.isEmpty else { return [] }
        return ["the field \(target.name.inQuotes) adds: " + applied.joined(separator: ", ")]
    }

    /// Notes about locks: of nonexistent fields, which has no effect, and of other signature
    /// fields, which then cannot be signed, as after a certification without permitted changes.
    private func lockNotes(
        _ terms: SigningTerms, _ target: SignatureTarget, _ form: AcroForm
    ) -> [String] {
        let isFinal = terms.restriction.certification == .noChanges
        guard let lock = isFinal ? .all : terms.restriction.lock else { return [] }
        var notes = form.notes(
            onLocked: lock.names.prefix(Self.judgedNameCount), besides: [target.name])
        if isFinal, let closed = form.fieldsClosed(by: .all, of: target.name, besides: []) {
            notes.append("after this certification, these fields cannot be signed: \(closed)")
        } else if let closed = form.fieldsClosed(by: lock, of: target.name, besides: []) {
            notes.append("the locked fields can no longer be signed: \(closed)")
        }
        return notes
    }

    /// Maximum number of locked names checked.
    private static let judgedNameCount = 64

    private var signerName: String {
        options.name ?? credential.certificate.displayName
    }

    /// Warnings about the name in the signature, which viewers display without verification.
    private var nameDoubts: [String] {
        guard let name = options.name else { return [] }
        let certificate = credential.certificate
        let known = [certificate.displayName, certificate.subject.description]
        guard SignerName.isForeign(name, to: known) else { return [] }
        return ["the signature names '\(name)', but the certificate is of \(known[0])"]
    }

    /// The terms: the user's options, completed by the field's requirements.
    private func terms(
        for target: SignatureTarget, in document: PDFDocument
    ) throws -> SigningTerms {
        var terms = SigningTerms(
            digest: options.digest?.algorithm, reason: options.reason,
            restriction: SignatureRestriction(
                certification: options.certification, lock: options.lock))
        terms.isTimestamped = timestamps != nil
        terms.requestedFormat = options.subFilter
        terms.format = terms.requestedFormat ?? .pades
        guard case .existing(let field) = target else {
            guard options.lockLevel == nil else {
                throw SignetError(
                    .usage, "a lock level requires an existing field with a lock",
                    hint: Sentence(.certify, DocMDPPermission.noChanges.rawValue))
            }
            return terms
        }
        try SigningPermission.checkDemands(of: field, in: document)
        if let lock = try SignatureLock(of: field, in: document) {
            let wanted = terms.restriction.lock
            guard wanted.map({ $0.isSame(as: lock) }) ?? true else {
                throw SignetError(
                    .usage, "the field '\(field.fullName)' has its own lock",
                    hint: Sentence(.lockFields, lock.argument))
            }
            terms.restriction.lock = lock
            terms.demands.append(SigningDemand(.lock, lock.argument, isAgreed: wanted != nil))
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

    /// - Throws: ``SignetError`` with the options that accept the field's requirements.
    private func requireAgreement(
        to terms: SigningTerms, _ target: SignatureTarget, _ path: String
    ) throws {
        let open = terms.demands.filter {
            !$0.isAgreed && [.reason, .certification].contains($0.code)
        }
        guard !open.isEmpty else { return }
        throw SignetError(
            .usage, file: path,
            "the field '\(target.name)' requires "
                + open.map(\.description).joined(separator: "; "),
            hint: Sentence(
                .agreeToField, facts: open.flatMap { SignedDocument.Demand($0).option.facts }))
    }

    private func signedDataBuilder(
        _ terms: SigningTerms, claimedTime: CalendarTime
    ) throws -> (SignedDataBuilder, longestByteCount: Int) {
        let time = terms.format == .pkcs7 ? claimedTime : nil
        if time == nil, let known = builders.known(terms.digest) { return known }
        var builder = SignedDataBuilder(
            signer: try reading(credential.source) {
                try credential.signer(digest: terms.digest, padding: options.padding)
            })
        builder.signingTime = time
        builder.extraSignedAttributes = try options.statements.attributes(builder.signer.digest)
        // ETSI EN 319 142-1 §6.3: with a commitment, the entry Reason is not used.
        if terms.format == .pades, terms.reason != nil, !options.statements.commitments.isEmpty {
            throw SignetError(
                .usage,
                "PAdES permits a reason or a commitment, but not both (ETSI EN 319 142-1 §6.3)",
                hint: Sentence(.leaveOutReasonOrCommitment))
        }
        let made = (builder, try builder.longestByteCount())
        if time == nil { builders.note(made, terms.digest) }
        return made
    }
}
