import CryptoBridge
import FileBridge
import PAdES
import PDFCore
import TimestampClient
import TimestampKit

/// Proves that PDF files existed: a document timestamp in an incremental update
/// (ISO 32000-2 §12.8.5, ETSI EN 319 142-1 §5.4.3). Earlier signatures stay valid.
public struct TimestampDocument: Sendable {
    private let timestamps: TimestampAuthorities
    private let digest: DigestAlgorithm
    private let password: DocumentPassword?

    /// - Parameters:
    ///   - digest: nil is SHA-256, which every authority knows.
    ///   - password: for encrypted documents.
    public init(
        _ timestamps: TimestampAuthorities, digest: SigningOptions.Digest? = nil,
        password: DocumentPassword? = nil
    ) {
        self.timestamps = timestamps
        self.digest = digest?.algorithm ?? .sha256
        self.password = password
    }

    /// Stamps `input` into `destination`. After a failure no output is left.
    public func run(_ input: InputSource, into destination: Destination) throws -> StampedFile {
        try reading(input.name) {
            let file = ScannedInput(try input.open(isReplaced: destination.isInPlace))
            var (stamped, notes) = try timestamps.withRoom { room in
                try file.settled {
                    try stamp(file, into: destination, tokenByteCount: room)
                }
            }
            stamped.warnings += notes
            return stamped
        }
    }

    /// What `verify` will say besides: the stamp proves that it was there, whatever it is worth.
    private func doubts(about document: PDFDocument, _ input: ScannedInput) throws -> [String] {
        let form = try AcroForm(of: document)
        let state = try input.signatureState(of: document, form)
        let earlier = state.failures + state.doubts
        let shown = try DocumentStructure.doubts(about: document, form: form, effort: .quick)
        try document.requireEnd(doubts: shown.lines, input.file.path)
        return earlier + shown.lines.filter { line in !earlier.contains { $0.hasSuffix(line) } }
    }

    private func stamp(
        _ input: ScannedInput, into destination: Destination, tokenByteCount: Int
    ) throws -> StampedFile {
        let file = input.file
        let (layout, warnings) = try PDFDocument.update(
            file, password: password, laidOut: { $0.0.appended.prepared }
        ) { document in
            let layout = try TimestampLayout(
                input, document, digest: digest, tokenByteCount: tokenByteCount)
            let doubts = try self.doubts(about: document, input)
            return (
                layout,
                doubts + layout.doubts + [layout.lockRemark].compactMap(\.self)
                    + document.warnings.map(\.description)
            )
        }
        let hashed = try layout.appended.hashed(in: .copy(destination), source: file.path)
        let stamp = try timestamps.stamp(hash: hashed.messageDigest, digest: digest)
        let output = try hashed.holding(
            layout.value(stamp.token, digest: digest, dataDigest: hashed.messageDigest))
        try writing(destination.path) { try output.commit() }
        return StampedFile(
            file: file.path, output: destination.path, field: layout.field, digest: digest,
            stamp: stamp,
            warnings: warnings)
    }
}

/// A document timestamp laid out in an incremental update, perhaps with other objects.
struct TimestampLayout {
    let appended: AppendedSignature
    /// The signature field that holds it.
    let field: String
    /// What will be doubtful about earlier signatures, for people.
    let doubts: [String]
    /// What some programs hold against it; nil for nothing.
    let lockRemark: String?
    /// Makes the document's integrity code; nil where it has none.
    private let seal: IntegritySeal?

    /// - Parameters:
    ///   - tokenByteCount: room for the token.
    ///   - prepare: adds what else is to come with it.
    init(
        _ input: ScannedInput, _ document: PDFDocument, digest: DigestAlgorithm,
        tokenByteCount: Int, _ prepare: (inout IncrementalUpdate) throws -> Void = { _ in }
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
        try prepare(&update)
        let prepared = try PreparedSignature(
            NewSignature(
                in: target, .documentTimestamp, reservedByteCount: reservedByteCount,
                isSealed: seal != nil),
            document: document, form: form, update: update,
            fileIdentifier: AppendedSignature.fileIdentifier())
        doubts = try prepared.doubtsAboutEarlierSignatures(in: document, form: form)
        lockRemark = try SigningPermission.lockRemark(on: target, form: form, of: document)
        appended = AppendedSignature(
            input: input, prepared: prepared, digest: digest,
            reservedByteCount: reservedByteCount)
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
