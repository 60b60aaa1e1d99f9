import ByteKit
import CMSKit
import CryptoBridge
import FileBridge
import PAdES
import PDFCore

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
    public let warnings: [String]
}

extension SignDocument {
    /// The first step: everything but the signature's value. The document's digest is inside the
    /// signed attributes, whose hash goes into `toSign` for a key that is elsewhere.
    public func prepareRemotely(
        _ input: String, into destination: Destination, toSign: Destination
    ) throws -> PreparedDocument {
        let job = try prepare(input)
        let hashOutput = try writing(toSign.path) {
            try AtomicOutput(
                path: toSign.path, mode: .normal, replace: toSign.replacesExisting)
        }
        var attributes: [UInt8] = []
        var hash: [UInt8]?
        let output = try write(job, into: destination) { digest in
            let message = try job.builder.prepare(messageDigest: digest)
            attributes = message.toBeSigned
            hash = message.scheme.digest == nil ? nil : try message.digestToBeSigned()
            return try message.encodedWithoutSignature()
        }
        try writing(destination.path) {
            try hashOutput.write(hash ?? attributes)
            try output.commit()
            try hashOutput.commit()
        }
        return PreparedDocument(
            file: input, output: destination.path, toSign: toSign.path,
            input: hash == nil ? "data" : "hash", field: job.fieldName,
            digest: job.builder.signer.digest.rawValue, algorithm: job.builder.signer.scheme.name,
            warnings: job.warnings)
    }
}

/// The second step of a two-step signature: puts a raw signature value into a prepared document.
public struct EmbedSignature: Sendable {
    /// Largest signature value in a file.
    private static let signatureByteLimit = 64 * 1024

    private let password: DocumentPassword?

    /// - Parameter password: for encrypted documents.
    public init(password: DocumentPassword? = nil) { self.password = password }

    /// - Parameters:
    ///   - input: what `SignDocument.prepareRemotely` wrote.
    ///   - signatureFile: the signature value, raw, hexadecimal or base64; ECDSA as DER or r‖s.
    /// - Returns: the field's name. The value is verified against the certificate, and the
    ///   document against its digest, before the output appears.
    public func run(
        _ input: String, signature signatureFile: String, into destination: Destination
    ) throws -> SignedDocument {
        let file = try reading(input) { try InputFile(path: input) }
        let pending = try reading(input) {
            try PendingSignature(in: PDFDocument.open(file, path: input, password: password))
        }
        let cms = try reading(signatureFile) { try finish(pending, signatureFile) }
        let output = try writing(destination.path) {
            try AtomicOutput(
                path: destination.path, mode: destination.isInPlace ? .like(file) : .normal,
                replace: destination.replacesExisting)
        }
        let digest = try reading(input) { try DigestContext(pending.message.digest) }
        let range = pending.byteRange
        do {
            try output.copy(from: file, range: range.first) { try digest.update($0) }
            try output.write(try pending.gapBytes(holding: cms))
            try output.copy(from: file, range: range.second) { try digest.update($0) }
            try output.copy(from: file, range: range.second.upperBound..<file.byteCount)
        } catch {
            throw SignetError(reading: input, error)
        }
        guard try reading(input, { try digest.finish() }) == pending.messageDigest else {
            throw SignetError(
                .malformedInput, file: input, "was changed after it was prepared",
                hint: "prepare it again, and have the new hash signed")
        }
        try writing(destination.path) { try output.commit() }
        let subject = pending.message.certificate.subject
        return SignedDocument(
            file: input, output: destination.path, field: pending.fieldName, level: "B-B",
            digest: pending.message.digest.rawValue, algorithm: pending.message.scheme.name,
            signer: subject.commonName ?? subject.description,
            claimedTime: pending.claimedTime?.rfc3339 ?? "", warnings: [])
    }

    /// Tries each spelling of the value; the one that verifies counts.
    private func finish(_ pending: PendingSignature, _ file: String) throws -> [UInt8] {
        let bytes = try FileSystem.readAll(file, limit: Self.signatureByteLimit)
        let text = bytes.filter { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
        let spellings = [bytes, Hex.decode(text), Base64.decode(text)].compactMap { $0 }
        for value in spellings + spellings.compactMap({ RawSignature.der(fromP1363: $0) }) {
            if let cms = try Self.message(pending.message, signature: value) { return cms }
        }
        throw SignetError(
            .credentialRefused, file: file,
            "the signature does not verify with the certificate in the prepared document",
            hint: "sign exactly the hash that was written, with the key of that certificate")
    }

    /// The finished message; nil when the signature does not verify.
    private static func message(
        _ prepared: PreparedSignedData, signature: [UInt8]
    ) throws(CMSError) -> [UInt8]? {
        do {
            return try prepared.finish(signature: signature)
        } catch {
            if error.code == .signatureDoesNotVerify { return nil }
            throw error
        }
    }
}
