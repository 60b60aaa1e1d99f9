import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import SystemBridge
import TimestampKit

/// The result of the first step of a two-step signature.
public struct PreparedDocument: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.remote/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Output: a path, `-` for standard output, or the name given to a destination in memory.
    public let output: String
    /// The file with the bytes to sign.
    public let toSign: String?
    /// `hash` if the key signs the hash itself; `data` if it signs the bytes as a message
    /// (Ed25519).
    public let input: String
    /// The signature field's full name.
    public let field: String
    /// Digest algorithm, such as `sha256`.
    public let digest: String
    /// Required signature algorithm: `rsa-pkcs1`, `ecdsa`.
    public let algorithm: String
    /// Claimed signing time.
    public let claimedTime: Moment
    /// Drawings on pages; nil when there are none.
    public let marks: SignedDocument.Marks?
    /// Requirements of the field (seed value), all accepted.
    public let demands: [SignedDocument.Demand]?
    /// Whether the signature has a visible appearance.
    public let visible: Bool?
    /// Positions of the appearance; nil if invisible.
    public let widgets: [SignedDocument.Widget]?
    /// Content that makes the display depend on more than the signed bytes.
    public let dynamicContent: ShownDynamicContent
    /// Notes for the signer about the document and field.
    public let notes: [String]
    /// Warnings after success, one sentence each.
    public let warnings: [Sentence]

    /// Summary of the signature, for people: `Signature1 on page 1 [10 10 180 66], PAdES B-B`.
    public let summary: Sentence

    private enum CodingKeys: String, CodingKey {
        case schema, file, output, toSign, input, field, digest, algorithm, claimedTime, marks
        case demands, visible, widgets, dynamicContent, notes, warnings
    }
}

extension SignDocument {
    /// First step of a two-step signature: writes everything except the signature value. The
    /// document's digest is in the signed attributes, whose hash is written to `toSign` for an
    /// external key.
    ///
    /// - Parameters:
    ///   - toSign: destination of the bytes to sign; nil to read them from the prepared document,
    ///     see ``EmbedSignature``.
    ///   - leavesRoomForTimestamp: whether to reserve space for a timestamp in the second step.
    /// - Throws: ``SignetError``.
    public func prepareRemotely(
        _ source: InputSource, into destination: Destination, toSign: Destination? = nil,
        leavesRoomForTimestamp: Bool = false
    ) throws -> PreparedDocument {
        try reading(source.name) {
            try writeRemotely(
                ScannedInput(source.open()), into: destination, toSign: toSign,
                tokenByteCount: leavesRoomForTimestamp ? TimestampAuthorities.generousByteCount : 0)
        }
    }

    private func writeRemotely(
        _ file: ScannedInput, into destination: Destination, toSign: Destination?,
        tokenByteCount: Int
    ) throws -> PreparedDocument {
        let input = file.file.path
        let plan = try plan(for: file)
        let hashOutput = try toSign?.output()
        try file.copy(to: destination, hashing: plan.builder.signer.digest, source: input)
        let (update, shown) = try makeUpdate(by: plan, of: file, tokenByteCount: tokenByteCount)
        let hashed = try file.hash(with: update, source: input)
        let message = try reading(input) {
            try plan.builder.prepare(messageDigest: hashed.messageDigest)
        }
        let toBeSigned = try reading(input) { try SigningInput(toBeSignedOf: message) }
        let output = try hashed.holding(
            try reading(input) { try message.encodedWithoutSignature() })
        try writing(destination.path) {
            try hashOutput?.write(toBeSigned.bytes)
            try AtomicOutput.commit([output] + (hashOutput.map { [$0] } ?? []))
        }
        return PreparedDocument(
            file: input, output: destination.path, toSign: toSign?.path,
            input: toBeSigned.isDigest ? "hash" : "data", field: plan.target.name,
            digest: shown.digest,
            algorithm: shown.algorithm, claimedTime: shown.claimedTime, marks: shown.marks,
            demands: shown.demands, visible: shown.visible, widgets: shown.widgets,
            dynamicContent: plan.content, notes: shown.notes, warnings: shown.warnings,
            summary: shown.summary)
    }
}

/// The bytes to sign for a prepared document, and the algorithm.
public struct PendingValue: Sendable, Hashable, Codable {
    /// The input of the key: a hash, or a message.
    public let input: SigningInput
    /// The signature algorithm.
    public let algorithm: SigningAlgorithm
    /// DER of the signing certificate.
    public let certificate: [UInt8]
}

/// The second step of a two-step signature: puts a raw signature value into a prepared document.
public struct EmbedSignature: Sendable {
    /// Maximum size of a signature value file, in bytes.
    private static let signatureByteLimit = 64 * 1024

    private let password: DocumentPassword?
    private let timestamps: TimestampAuthorities?

    /// - Parameters:
    ///   - password: for encrypted documents.
    ///   - timestamps: TSAs for a timestamp over the signature; the first step must have reserved
    ///     space.
    public init(password: DocumentPassword? = nil, timestamps: TimestampAuthorities? = nil) {
        self.password = password
        self.timestamps = timestamps
    }

    /// The bytes to sign and the algorithm of a prepared document.
    ///
    /// - Parameter source: output of `SignDocument.prepareRemotely`.
    /// - Throws: ``SignetError``: `malformedInput` for another document or an unsupported
    ///   algorithm.
    public func pending(in source: InputSource) throws -> PendingValue {
        try reading(source.name) {
            let file = try source.open()
            let document = try PDFDocument.open(file, path: source.name, password: password)
            let message = try PendingSignature(in: document).message
            guard let algorithm = SigningAlgorithm(message.scheme) else {
                throw SignetError(
                    .malformedInput,
                    "the PDF is prepared for another signature algorithm: \(message.scheme.name)"
                )
            }
            return PendingValue(
                input: try SigningInput(toBeSignedOf: message), algorithm: algorithm,
                certificate: message.certificate.der)
        }
    }

    /// Embeds a signature value. Before the output appears, the value is verified with the
    /// certificate, and the document with its digest.
    ///
    /// - Parameters:
    ///   - source: output of `SignDocument.prepareRemotely`.
    ///   - signatureSource: the signature value, raw, hexadecimal or base64; ECDSA as DER or r‖s.
    /// - Returns: the result, with the field's name.
    /// - Throws: ``SignetError``: among others `credentialRefused` if the value does not verify,
    ///   `malformedInput` if the document was changed.
    public func run(
        _ source: InputSource, signature signatureSource: InputSource, into destination: Destination
    ) throws -> SignedDocument {
        let (input, signatureFile) = (source.name, signatureSource.name)
        let file = try reading(input) { try source.open(isReplaced: destination.isInPlace) }
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
        guard let claimedTime = pending.claimedTime else {
            throw SignetError(
                .malformedInput, file: input, "the prepared PDF contains no preparation time")
        }
        let signature = try reading(signatureFile) { try value(for: pending, signatureSource) }
        let output = try destination.output(from: file)
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
        let (gap, stamp) = try gapBytes(for: pending, signature, seal, input)
        try writing(destination.path) {
            try output.replace(at: range.gap.lowerBound, with: gap)
            try output.commit()
        }
        let subject = pending.message.certificate.subject
        var signed = SignedDocument(
            file: input, output: destination.path, field: pending.fieldName,
            level: stamp?.isTrusted == true ? .t : .b,
            digest: pending.message.digest.rawValue, algorithm: pending.message.scheme.name,
            signer: subject.commonName ?? subject.description,
            claimedTime: claimedTime.moment,
            timestamp: stamp.map(TimestampReceipt.init), marks: nil,
            warnings: (stamp?.notes ?? []).map { Sentence($0) })
        signed.visible = !widgets.isEmpty
        signed.widgets = widgets.isEmpty ? nil : widgets
        return signed
    }

    /// The Contents value, with a timestamp if required.
    private func gapBytes(
        for pending: PendingSignature, _ signature: [UInt8], _ seal: IntegritySeal?, _ input: String
    ) throws -> (bytes: [UInt8], stamp: ObtainedTimestamp?) {
        try reading(input) {
            func message(_ stamp: ObtainedTimestamp?) throws -> [UInt8] {
                try pending.message.finish(
                    signature: signature, timestamp: stamp, seal: seal,
                    messageDigest: pending.messageDigest)
            }
            let plain = try message(nil)
            // No hash protects the Contents value, so the complete value is checked.
            let check = try SignedDataVerifier(profile: .adobeDetached).verify(
                SignedData(plain), contentDigests: [pending.message.digest: pending.messageDigest]
            ).first
            guard check?.verified != nil else { throw Self.wasChanged(input) }
            let room = pending.byteRange.gap.count / 2 - plain.count
            guard let timestamps else {
                guard room < TimestampAuthorities.generousByteCount else {
                    throw SignetError(
                        .usage, file: input,
                        "the PDF was prepared for level B-T, but no TSA is given",
                        hint: Sentence(.addAuthorityOrPrepareAnew))
                }
                return (try pending.gapBytes(holding: plain), nil)
            }
            // Last, since a TSA may charge for each timestamp.
            let stamp = try timestamps.stamp(signature: signature)
            return (try pending.gapBytes(holding: message(stamp)), stamp)
        }
    }

    /// Positions of the signature appearance, read from the prepared document.
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
            .malformedInput, file: input, "the PDF was modified after it was prepared",
            hint: Sentence(.prepareAnew))
    }

    /// Decodes the signature value. Of all possible encodings, the one that verifies is used.
    private func value(for pending: PendingSignature, _ source: InputSource) throws -> [UInt8] {
        let bytes = try source.readAll(limit: Self.signatureByteLimit)
        let readings = SignatureSpellings.readings(of: bytes)
        for value in readings { if try Self.verifies(value, pending.message) { return value } }
        let mistake = readings.lazy.compactMap(pending.message.mistake).first
        throw SignetError(
            .credentialRefused, file: source.name, Self.refusal(mistake),
            hint: mistake == nil
                ? Sentence(.signHashWritten)
                : Sentence(.signHashAsHash, pending.message.digest.rawValue))
    }

    private static func refusal(_ mistake: PreparedSignedData.Mistake?) -> String {
        switch mistake {
        case .hashWithoutName?:
            "the signature covers the hash without its algorithm identifier (DigestInfo, RFC "
                + "8017 §9.2)"
        case .hashedTwice?: "the signature covers the hash of the hash, not the hash itself"
        case nil: "the signature does not match the certificate in the prepared PDF"
        }
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
