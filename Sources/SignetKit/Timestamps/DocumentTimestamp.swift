import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import SystemBridge
import TimestampKit

/// Adds a document timestamp to a file, perhaps with validation data.
struct DocumentTimestamp {
    let input: ScannedInput
    /// For encrypted documents.
    let password: DocumentPassword?
    let digest: DigestAlgorithm
    let timestamps: TimestampAuthorities
    /// Comes with it; nil for nothing.
    var material: LongTermValidation.Material?
    /// Whether it is told what `verify` will say besides.
    var looksForDoubts = false
    /// Whether a damaged document is accepted that viewers may display differently.
    var allowsDamaged = false

    /// What was done; the output is to be committed.
    struct Made {
        let layout: TimestampLayout
        let stamp: ObtainedTimestamp
        let output: AtomicOutput
        /// Why viewers may display another document, which was accepted.
        let damage: String?
        /// A word about each repetition.
        let notes: [String]
    }

    private struct Stamped {
        let layout: TimestampLayout
        let hashed: HashedDocument
        let stamp: ObtainedTimestamp
        let value: [UInt8]
    }

    /// - Parameter expected: the length of such a token, where one is known.
    func run(into place: UpdatePlace, expecting expected: Int? = nil) throws -> Made {
        var room = TokenRoom(for: timestamps, expecting: expected)
        let opened = try UpdatableDocument(
            input.file, password: password, allowsDamaged: allowsDamaged)
        try opened.mend()
        input.begin(opened.document)
        // While this reads the signatures, large files are hashed and searched.
        let doubts = looksForDoubts ? try doubts(about: opened.document) : []
        let original = try input.copied(to: place, hashing: digest, source: input.file.path)
        var stamped = try stamp(
            layOut(opened, doubts, tokenByteCount: room.byteCount), behind: original)
        while let excess = stamped.hashed.excess(of: stamped.value) {
            try room.widen(after: excess)
            stamped = try stamp(
                layOut(opened, doubts, tokenByteCount: room.byteCount), behind: original)
        }
        return Made(
            layout: stamped.layout, stamp: stamped.stamp,
            output: try stamped.hashed.holding(stamped.value), damage: opened.damage,
            notes: room.notes)
    }

    private func stamp(
        _ layout: TimestampLayout, behind original: CopiedOriginal
    ) throws -> Stamped {
        let hashed = try layout.appended.hashed(behind: original, source: input.file.path)
        let stamp = try timestamps.stamp(hash: hashed.messageDigest, digest: digest)
        let value = try layout.value(
            stamp.token, digest: digest, dataDigest: hashed.messageDigest)
        return Stamped(layout: layout, hashed: hashed, stamp: stamp, value: value)
    }

    private func layOut(
        _ opened: UpdatableDocument, _ doubts: [String], tokenByteCount: Int
    ) throws -> TimestampLayout {
        var layout = try TimestampLayout(
            input, opened.document, digest: digest, tokenByteCount: tokenByteCount, material)
        let problems = try opened.problems(after: layout.prepared, known: doubts)
        layout.warnings.insert(contentsOf: doubts + problems.filter { !doubts.contains($0) }, at: 0)
        return layout
    }

    /// What `verify` will say of the earlier signatures: the timestamp proves that they existed, whatever they
    /// are worth.
    private func doubts(about document: PDFDocument) throws -> [String] {
        let state = try input.signatureState(of: document, AcroForm(of: document))
        return state.failures + state.doubts
    }
}

/// A document timestamp laid out in an incremental update, perhaps with other objects.
struct TimestampLayout {
    let appended: AppendedSignature
    /// The signature field that holds it.
    let field: String
    /// What will be doubtful about earlier signatures, and what is odd, for people.
    var warnings: [String]
    /// What of the validation data was missing in the document.
    private(set) var added = SecurityStoreUpdate.Added()
    /// What some programs hold against it; nil for nothing.
    let lockRemark: String?
    /// Makes the document's integrity code; nil where it has none.
    private let seal: IntegritySeal?

    /// - Parameters:
    ///   - tokenByteCount: room for the token.
    ///   - material: validation data that come with it.
    init(
        _ input: ScannedInput, _ document: PDFDocument, digest: DigestAlgorithm,
        tokenByteCount: Int, _ material: LongTermValidation.Material?
    ) throws {
        let form = try AcroForm(of: document)
        try SigningPermission.check(document, form: form, isTimestamp: true)
        let target = SignatureTarget.timestamp(in: form)
        try SigningPermission.checkAccess(to: target, of: document)
        seal = try IntegritySeal.of(document)
        field = target.name
        let reservedByteCount = tokenByteCount + (seal == nil ? 0 : IntegritySeal.byteCount)
        var update = IncrementalUpdate(
            document: document, avoiding: try input.numbers(in: document))
        if let material {
            var store = try SecurityStoreUpdate(of: document)
            added = try store.add(
                certificates: material.certificates, evidence: material.evidence, to: &update)
        }
        let prepared = try PreparedSignature(
            NewSignature(
                in: target, .documentTimestamp, reservedByteCount: reservedByteCount,
                isSealed: seal != nil),
            document: document, form: form, update: update,
            fileIdentifier: AppendedSignature.fileIdentifier())
        let doubts = try prepared.doubtsAboutEarlierSignatures(in: document, form: form)
        lockRemark = try SigningPermission.lockRemark(on: target, form: form, of: document)
        warnings = doubts + [lockRemark].compactMap(\.self)
        appended = AppendedSignature(
            input: input, prepared: prepared, digest: digest,
            reservedByteCount: reservedByteCount)
    }

    var prepared: PreparedSignature { appended.prepared }

    /// What goes into the signature dictionary.
    ///
    /// - Parameter dataDigest: the hash that was stamped.
    func value(
        _ token: TimestampToken, digest: DigestAlgorithm, dataDigest: [UInt8]
    ) throws -> [UInt8] {
        try seal?.sealed(token, digest: digest, dataDigest: dataDigest) ?? token.encoded
    }
}
