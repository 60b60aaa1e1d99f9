import Base
import CryptoBridge
import PDFCore
import PDFSigning
import PDFVerification
import SystemBridge
import TimestampKit

/// Adds a document timestamp to a file, optionally with validation data.
struct DocumentTimestamp {
    let input: ScannedInput
    let password: DocumentPassword?
    let digest: DigestAlgorithm
    let timestamps: TimestampAuthorities
    /// Validation data to add; nil for none.
    var material: LongTermValidation.Material?
    /// Whether to report problems that `verify` would find.
    var looksForDoubts = false
    /// Whether a damaged document is accepted, even if viewers may display it differently.
    var allowsDamaged = false

    /// The result; the caller must commit the output.
    struct Made {
        let layout: TimestampLayout
        let stamp: ObtainedTimestamp
        let output: AtomicOutput
        /// Reason why viewers may display different content, which was accepted; nil for none.
        let damage: String?
        /// A note for each repeated attempt.
        let notes: [String]
    }

    /// - Parameters:
    ///   - destination: nil if the output contains the document.
    ///   - expected: expected length of the token in bytes; nil if unknown.
    func run(into destination: Destination?, expecting expected: Int? = nil) throws -> Made {
        var room = TimestampReservation(for: timestamps, expecting: expected)
        let opened = try UpdatableDocument(
            input.file, password: password, allowsDamaged: allowsDamaged)
        try opened.mend()
        input.begin(opened.document)
        // Large files are hashed and scanned while the signatures are read.
        let doubts = looksForDoubts ? try doubts(about: opened) : []
        try input.copy(to: destination, hashing: digest, source: input.file.path)
        while true {
            let layout = try makeLayout(of: opened, doubts, tokenByteCount: room.byteCount)
            let hashed = try input.hash(with: layout.prepared, source: input.file.path)
            let stamp = try timestamps.stamp(hash: hashed.messageDigest, digest: digest)
            let value = try layout.value(
                stamp.token, digest: digest, dataDigest: hashed.messageDigest)
            if let excess = hashed.excess(of: value) {
                try room.widen(after: excess)
                continue
            }
            return Made(
                layout: layout, stamp: stamp, output: try hashed.holding(value),
                damage: opened.damage, notes: room.notes)
        }
    }

    private func makeLayout(
        of opened: UpdatableDocument, _ doubts: [String], tokenByteCount: Int
    ) throws -> TimestampLayout {
        var layout = try TimestampLayout(
            input, opened, tokenByteCount: tokenByteCount, material)
        let problems = try opened.problems(after: layout.prepared, known: doubts)
        layout.warnings.insert(contentsOf: doubts + problems.filter { !doubts.contains($0) }, at: 0)
        if looksForDoubts { layout.warnings += try opened.document.usageRightsDoubts() }
        return layout
    }

    /// Problems of earlier signatures, as warnings: the timestamp proves their existence even if
    /// they are invalid.
    private func doubts(about opened: UpdatableDocument) throws -> [String] {
        let state = try input.signatureState(of: opened.document, opened.form)
        return state.failures + state.doubts
    }
}

/// A document timestamp in an incremental update, optionally with other objects, without its value.
struct TimestampLayout {
    let prepared: PreparedSignature
    /// Full name of the signature field for the timestamp.
    let field: String
    /// Warnings about earlier signatures and the document, for people.
    var warnings: [String]
    private(set) var added = AddedValidationData()
    /// Note about viewers that may reject the timestamp; nil for none.
    let lockRemark: String?
    /// Creates the document's MAC; nil if it has none.
    private let seal: IntegritySeal?

    /// - Parameters:
    ///   - tokenByteCount: reserved space for the token, in bytes.
    ///   - material: validation data to add.
    init(
        _ input: ScannedInput, _ opened: UpdatableDocument, tokenByteCount: Int,
        _ material: LongTermValidation.Material?
    ) throws {
        let (document, form) = (opened.document, opened.form)
        try SigningPermission.check(document, form: form, isTimestamp: true)
        let target = SignatureTarget.timestamp(in: form)
        try SigningPermission.checkAccess(to: target, of: document)
        seal = try IntegritySeal.of(document)
        field = target.name
        var update = IncrementalUpdate(
            document: document, avoiding: try input.numbers(in: document))
        if let material {
            var store = try SecurityStoreUpdate(of: document)
            added = try store.add(
                certificates: material.certificates, evidence: material.evidence, to: &update)
        }
        prepared = try PreparedSignature(
            NewSignature(
                in: target, .documentTimestamp,
                reservedByteCount: tokenByteCount + (seal == nil ? 0 : IntegritySeal.byteCount),
                isSealed: seal != nil),
            document: document, form: form, update: update, fileIdentifier: newFileIdentifier())
        let doubts = try prepared.doubtsAboutEarlierSignatures(in: document, form: form)
        lockRemark = try SigningPermission.lockRemark(on: target, form: form, of: document)
        warnings = doubts + [lockRemark].compactMap(\.self)
    }

    /// The Contents value of the signature dictionary.
    ///
    /// - Parameter dataDigest: the hash in the message imprint.
    func value(
        _ token: TimestampToken, digest: DigestAlgorithm, dataDigest: [UInt8]
    ) throws -> [UInt8] {
        try seal?.sealed(token, digest: digest, dataDigest: dataDigest) ?? token.encoded
    }
}
