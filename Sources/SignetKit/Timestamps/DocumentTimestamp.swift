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

    /// - Parameters:
    ///   - destination: nil where the output holds the document already.
    ///   - expected: the length of such a token, where one is known.
    func run(into destination: Destination?, expecting expected: Int? = nil) throws -> Made {
        var room = TokenRoom(for: timestamps, expecting: expected)
        let opened = try UpdatableDocument(
            input.file, password: password, allowsDamaged: allowsDamaged)
        try opened.mend()
        input.begin(opened.document)
        // While this reads the signatures, large files are hashed and searched.
        let doubts = looksForDoubts ? try doubts(about: opened.document) : []
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
            input, opened.document, tokenByteCount: tokenByteCount, material)
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

/// A document timestamp in an incremental update, perhaps with other objects; its value is still to be
/// made.
struct TimestampLayout {
    let prepared: PreparedSignature
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
        _ input: ScannedInput, _ document: PDFDocument, tokenByteCount: Int,
        _ material: LongTermValidation.Material?
    ) throws {
        let form = try AcroForm(of: document)
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

    /// What goes into the signature dictionary.
    ///
    /// - Parameter dataDigest: the hash that was stamped.
    func value(
        _ token: TimestampToken, digest: DigestAlgorithm, dataDigest: [UInt8]
    ) throws -> [UInt8] {
        try seal?.sealed(token, digest: digest, dataDigest: dataDigest) ?? token.encoded
    }
}
