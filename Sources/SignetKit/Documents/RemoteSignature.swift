import ByteKit
import CMSKit
import CryptoBridge
import FileBridge
import PAdES
import PDFCore
import TimestampClient

/// What the first step of a two-step signature left.
public struct PreparedDocument: Encodable, Sendable {
    public let schema = "signet.remote/1"
    public let file: String
    public let output: String
    /// The file that holds what the key has to sign.
    public let toSign: String
    /// `hash`: the hash itself is signed. `data`: Ed25519 signs the bytes as a message.
    public let input: String
    public let field: String
    public let digest: String
    public let algorithm: String
    /// RFC 3339.
    public let claimedTime: String
    /// Drawings on pages; nil when there are none.
    public let marks: SignedDocument.Marks?
    /// What the field demands of its signature, all of it agreed to.
    public let demands: [SignedDocument.Demand]?
    /// Whether the signature will show anywhere.
    public let visible: Bool?
    /// Where it will show; nil for one that will not.
    public let widgets: [SignedDocument.Widget]?
    /// What makes the document's look depend on more than its signed bytes.
    public let dynamicContent: ShownDynamicContent
    public let warnings: [String]

    /// What will be signed, for people: `Signature1 on page 1 [10 10 180 66], PAdES B-B`.
    public let summary: String

    private enum CodingKeys: String, CodingKey {
        case schema, file, output, toSign, input, field, digest, algorithm, claimedTime, marks
        case demands, visible, widgets, dynamicContent, warnings
    }
}

extension SignDocument {
    /// The first step: everything but the signature's value. The document's digest is inside the
    /// signed attributes, whose hash goes into `toSign` for a key that is elsewhere.
    ///
    /// - Parameter leavesRoomForTimestamp: lets the second step add one.
    public func prepareRemotely(
        _ input: String, into destination: Destination, toSign: Destination,
        leavesRoomForTimestamp: Bool = false
    ) throws -> PreparedDocument {
        try reading(input) {
            let file = ScannedInput(try InputFile(path: input))
            return try file.settled {
                let job = try prepare(
                    file,
                    tokenByteCount: leavesRoomForTimestamp
                        ? TimestampAuthorities.generousByteCount : 0)
                return try writeRemotely(job, input, into: destination, toSign: toSign)
            }
        }
    }

    private func writeRemotely(
        _ job: Job, _ input: String, into destination: Destination, toSign: Destination
    ) throws -> PreparedDocument {
        let hashOutput = try writing(toSign.path) {
            try AtomicOutput(
                path: toSign.path, mode: .normal, replace: toSign.replacesExisting)
        }
        var attributes: [UInt8] = []
        var hash: [UInt8]?
        let output = try job.appended.write(into: destination, source: input) { digest in
            try reading(input) {
                let message = try job.builder.prepare(messageDigest: digest)
                attributes = message.toBeSigned
                hash = message.scheme.digest == nil ? nil : try message.digestToBeSigned()
                return try message.encodedWithoutSignature()
            }
        }
        try writing(destination.path) {
            try hashOutput.write(hash ?? attributes)
            try AtomicOutput.commit([output, hashOutput])
        }
        let shown = try job.result(file: input)
        return PreparedDocument(
            file: input, output: destination.path, toSign: toSign.path,
            input: hash == nil ? "data" : "hash", field: job.fieldName, digest: shown.digest,
            algorithm: shown.algorithm, claimedTime: shown.claimedTime, marks: shown.marks,
            demands: shown.demands, visible: shown.visible, widgets: shown.widgets,
            dynamicContent: job.dynamicContent, warnings: shown.warnings, summary: shown.summary)
    }
}

/// The second step of a two-step signature: puts a raw signature value into a prepared document.
public struct EmbedSignature: Sendable {
    /// Largest signature value in a file.
    private static let signatureByteLimit = 64 * 1024

    private let password: DocumentPassword?
    private let timestamps: TimestampAuthorities?

    /// - Parameters:
    ///   - password: for encrypted documents.
    ///   - timestamps: asked for a timestamp over the signature; the first step must have left
    ///     room for it.
    public init(password: DocumentPassword? = nil, timestamps: TimestampAuthorities? = nil) {
        self.password = password
        self.timestamps = timestamps
    }

    /// - Parameters:
    ///   - input: what `SignDocument.prepareRemotely` wrote.
    ///   - signatureFile: the signature value, raw, hexadecimal or base64; ECDSA as DER or r‖s.
    /// - Returns: the field's name. The value is verified against the certificate, and the
    ///   document against its digest, before the output appears.
    public func run(
        _ input: String, signature signatureFile: String, into destination: Destination
    ) throws -> SignedDocument {
        let file = try reading(input) {
            try InputFile(path: input, isReplaced: destination.isInPlace)
        }
        let (pending, seal, widgets) = try reading(input) {
            let document = try PDFDocument.open(file, path: input, password: password)
            let pending = try PendingSignature(in: document)
            return (
                pending, try IntegritySeal.ofPending(pending.id, in: document),
                try Self.widgets(of: pending, in: document)
            )
        }
        let range = pending.byteRange
        guard range.second.upperBound == file.byteCount else { throw Self.wasChanged(input) }
        let signature = try reading(signatureFile) { try value(for: pending, signatureFile) }
        let output = try writing(destination.path) {
            try AtomicOutput(
                path: destination.path, mode: destination.isInPlace ? .like(file) : .normal,
                replace: destination.replacesExisting)
        }
        let digest = try reading(input) { try DigestContext(pending.message.digest) }
        do {
            try output.copy(from: file, range: range.first) { try digest.update($0) }
            try output.copy(from: file, range: range.gap)
            try output.copy(from: file, range: range.second) { try digest.update($0) }
        } catch {
            throw SignetError(reading: input, error)
        }
        guard try reading(input, { try digest.finish() }) == pending.messageDigest else {
            throw Self.wasChanged(input)
        }
        // Last: an authority may count what it stamps.
        let stamp = try reading(input) { try timestamps?.stamp(signature: signature) }
        let gap = try reading(input) {
            try pending.gapBytes(
                holding: pending.message.finish(
                    signature: signature, timestamp: stamp, seal: seal,
                    messageDigest: pending.messageDigest))
        }
        try writing(destination.path) {
            try output.overwrite(at: range.gap.lowerBound, gap)
            try output.commit()
        }
        let subject = pending.message.certificate.subject
        var signed = SignedDocument(
            file: input, output: destination.path, field: pending.fieldName,
            level: stamp?.isTrusted == true ? .t : .b,
            digest: pending.message.digest.rawValue, algorithm: pending.message.scheme.name,
            signer: subject.commonName ?? subject.description,
            claimedTime: pending.claimedTime?.rfc3339 ?? "",
            timestamp: stamp.map(TimestampReceipt.init), marks: nil,
            warnings: stamp?.notes ?? [])
        signed.visible = !widgets.isEmpty
        signed.widgets = widgets.isEmpty ? nil : widgets
        return signed
    }

    /// Where the signature shows, read from the prepared document.
    private static func widgets(
        of pending: PendingSignature, in document: PDFDocument
    ) throws -> [SignedDocument.Widget] {
        let placement = try FieldPlacement(of: pending.field, in: document)
        return placement.widgets.map {
            SignedDocument.Widget(page: placement.pageNumber(of: $0.id), rect: $0.rect)
        }
    }

    private static func wasChanged(_ input: String) -> SignetError {
        SignetError(
            .malformedInput, file: input, "was changed after it was prepared",
            hint: "prepare it again, and have the new hash signed")
    }

    /// The signature value: of the spellings in the file the one that verifies.
    private func value(for pending: PendingSignature, _ file: String) throws -> [UInt8] {
        let bytes = try FileSystem.readAll(file, limit: Self.signatureByteLimit)
        for value in SignatureSpellings.readings(of: bytes) {
            if try Self.verifies(value, pending.message) { return value }
        }
        throw SignetError(
            .credentialRefused, file: file,
            "the signature does not verify with the certificate in the prepared document",
            hint: "sign exactly the hash that was written, with the key of that certificate")
    }

    private static func verifies(
        _ signature: [UInt8], _ message: PreparedSignedData
    ) throws(CMSError) -> Bool {
        do {
            try message.check(signature)
            return true
        } catch {
            if error.code == .signatureDoesNotVerify { return false }
            throw error
        }
    }
}
