public import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import SystemBridge
import TimestampKit
import TrustKit

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
        try embed(into: source, destination) { pending in
            let signature = try reading(signatureSource.name) {
                try value(for: pending, signatureSource)
            }
            return { seal in try made(for: pending, signature, seal, source.name) }
        }
    }

    /// Embeds a whole CMS signature of a service (``SignDocument/init(signerNamed:options:password:)``). Before the
    /// output appears, the signature, its form and certificate, and the document's hash are
    /// checked.
    ///
    /// - Parameters:
    ///   - source: the prepared document.
    ///   - messageSource: the detached CMS signature in DER, PEM, hexadecimal or base64.
    /// - Returns: the result, with the field's name.
    /// - Throws: ``SignetError``: among others `credentialRefused` if the signature does not
    ///   verify, `malformedInput` if the document was changed.
    public func run(
        _ source: InputSource, message messageSource: InputSource, into destination: Destination
    ) throws -> SignedDocument {
        let file: MessageFile
        do {
            file = try .read(messageSource)
        } catch let error as SignetError where error.code == .malformedInput {
            let hint =
                switch error.hint?.code {
                case .writeValueAlone: error.hint
                case .saveAttachment: Sentence(.embedWhole)
                default: Sentence(.embedValue)
                }
            throw SignetError(error.code, file: error.file, error.message, hint: hint)
        }
        return try embed(into: source, destination) { pending in
            { seal in
                try reading(messageSource.name) {
                    try made(for: pending, file, seal, messageSource.name)
                }
            }
        }
    }

    private struct Made {
        /// The Contents value in the file.
        let gap: [UInt8]
        let certificate: Certificate
        let digest: DigestAlgorithm
        let scheme: SignatureScheme
        var level = SignatureLevel.b
        var stamp: ObtainedTimestamp?
        var warnings: [String] = []
    }

    /// - Parameter prepare: called before the output is created; it returns the value when the
    ///   document's hash was checked.
    private func embed(
        into source: InputSource, _ destination: Destination,
        _ prepare: (PendingSignature) throws -> (IntegritySeal?) throws -> Made
    ) throws -> SignedDocument {
        let input = source.name
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
        let finish = try prepare(pending)
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
        let made = try finish(seal)
        try writing(destination.path) {
            try output.replace(at: range.gap.lowerBound, with: made.gap)
            try output.commit()
        }
        var signed = SignedDocument(
            file: input, output: destination.path, field: pending.field.fullName.text,
            level: made.level,
            digest: made.digest.rawValue, algorithm: made.scheme.name,
            signer: made.certificate.displayName,
            claimedTime: claimedTime.moment,
            timestamp: made.stamp.map(TimestampReceipt.init), marks: nil,
            warnings: made.warnings.map { Sentence($0) })
        signed.visible = !widgets.isEmpty
        signed.widgets = widgets.isEmpty ? nil : widgets
        return signed
    }

    /// A signature value in the prepared message, with a timestamp if required.
    private func made(
        for pending: PendingSignature, _ signature: [UInt8], _ seal: IntegritySeal?, _ input: String
    ) throws -> Made {
        let (gap, stamp) = try gapBytes(for: pending, signature, seal, input)
        return Made(
            gap: gap, certificate: pending.message.certificate, digest: pending.message.digest,
            scheme: pending.message.scheme,
            level: pending.isPAdES ? stamp?.isTrusted == true ? .t : .b : .cms,
            stamp: stamp, warnings: stamp?.notes ?? [])
    }

    /// Verifies a CMS signature, and says why it is not accepted.
    private static func check(
        _ message: SignedData, of pending: PendingSignature
    ) throws -> (check: SignatureCheck?, refusal: (detail: String, hint: Sentence?)?) {
        let wanted = pending.message.digest
        let verifier = SignedDataVerifier(profile: pending.isPAdES ? .pades : .adobeDetached)
        func verify(_ digest: [UInt8]) throws -> SignatureCheck? {
            try verifier.verify(message, contentDigests: [wanted: digest]).first
        }
        let check = try verify(pending.messageDigest)
        if let other = check?.digest, other != wanted {
            let (detail, hint) = pending.message.refusal(of: other)
            return (check, (detail, hint))
        }
        if check?.digestMatches == false {
            let twice = try verify(wanted.hash(pending.messageDigest))?.digestMatches == true
            let detail =
                twice
                ? "the CMS signature covers the hash of the hash, not the hash itself"
                : "the CMS signature is of another hash than that of the prepared PDF "
                    + "(\(wanted.displayName))"
            return (check, (detail, Sentence(twice ? .embedDigest : .signHashWritten)))
        }
        guard let problem = check?.failures.first else { return (check, nil) }
        let hint: Sentence? =
            switch problem.code {
            case .signingCertificateReferenceMissing, .signedAttributesMissing:
                Sentence(.signAsCAdESOrPrepare)
            case .contentEmbedded, .signerCertificateMissing: Sentence(.embedWhole)
            default: nil
            }
        return (check, ("the CMS signature is not valid: \(problem.message)", hint))
    }

    /// A CMS signature of a service, after all checks.
    private func made(
        for pending: PendingSignature, _ file: MessageFile, _ seal: IntegritySeal?, _ path: String
    ) throws -> Made {
        func refused(_ detail: String, hint: Sentence? = nil) -> SignetError {
            SignetError(.credentialRefused, file: path, detail, hint: hint)
        }
        guard seal == nil else {
            throw refused("the PDF has a message authentication code, which the CMS lacks")
        }
        guard (try? SignedData(file.encoded)) != nil else {
            throw refused("the CMS signature is not DER, which PDF requires")
        }
        let (check, refusal) = try Self.check(file.message, of: pending)
        if let refusal { throw refused(refusal.detail, hint: refusal.hint) }
        guard let check, check.isVerified, let certificate = check.signer,
            let digest = check.digest, let scheme = check.scheme
        else {
            throw refused(
                "the CMS contains no signature with its certificate",
                hint: Sentence(.embedWhole))
        }
        let time = pending.claimedTime ?? SystemClock.now()
        let eligibility = SigningEligibility.check(
            certificate: certificate, key: try certificate.publicKey, at: time)
        if let refusal = eligibility.refusals.first {
            throw refused(refusal.message, hint: Sentence(.useForSigning))
        }
        var warnings = eligibility.warnings.map(\.message)
        let name = certificate.subject.shortText
        if let expected = pending.message.certificate.subject.commonName, expected != name {
            warnings.append(
                "the PDF was prepared for \(expected.inQuotes), but the certificate is of "
                    + name.inQuotes)
        }
        let isStamped = check.unsignedAttributes.contains { $0.oid == .signatureTimeStamp }
        let isForService = pending.message.certificate.isStandIn
        let prepared = try pending.message.encodedWithoutSignature()
        guard isStamped || isForService || !Self.hasRoomForTimestamp(pending, besides: prepared)
        else {
            throw SignetError(
                .usage, file: path,
                "the PDF was prepared for level B-T, but the CMS signature has no timestamp",
                hint: Sentence(.embedStamped))
        }
        let gap: [UInt8]
        do {
            gap = try pending.gapBytes(holding: file.encoded)
        } catch {
            throw SignetError(
                .malformedInput, file: path, error.detail,
                hint: isForService ? nil : Sentence(.prepareForMessage))
        }
        return Made(
            gap: gap, certificate: certificate,
            digest: digest, scheme: scheme, level: pending.isPAdES ? isStamped ? .t : .b : .cms,
            warnings: warnings)
    }

    /// Whether the document was prepared for level B-T.
    private static func hasRoomForTimestamp(
        _ pending: PendingSignature, besides message: [UInt8]
    ) -> Bool {
        pending.byteRange.gap.count / 2 - message.count >= TimestampAuthorities.generousByteCount
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
            guard check?.isVerified == true else { throw Self.wasChanged(input) }
            guard let timestamps else {
                guard !Self.hasRoomForTimestamp(pending, besides: plain) else {
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
            SignedDocument.Widget(
                page: placement.pageNumber(of: $0.id), rect: $0.rect, in: document)
        }
    }

    private static func wasChanged(_ input: String) -> SignetError {
        SignetError(
            .malformedInput, file: input, "the PDF was modified after it was prepared",
            hint: Sentence(.prepareAnew))
    }

    /// Decodes the signature value. Of all possible encodings, the one that verifies is used.
    private func value(for pending: PendingSignature, _ source: InputSource) throws -> [UInt8] {
        guard !pending.message.certificate.isStandIn else {
            throw SignetError(
                .usage, "the PDF was prepared without a certificate",
                hint: Sentence(.embedMessage))
        }
        let bytes = try source.readAll(limit: Self.signatureByteLimit)
        guard !bytes.isEmpty else {
            throw SignetError(
                .malformedInput, file: source.name, "the file is empty",
                hint: Sentence(.signHashWritten))
        }
        let readings = SignatureSpellings.readings(of: bytes)
        for value in readings {
            if try Self.verifies(value, message: pending.message) { return value }
        }
        if (try? MessageFile(bytes: bytes, path: source.name)) != nil {
            throw SignetError(
                .malformedInput, file: source.name,
                "the file is a CMS signature, not a signature value",
                hint: Sentence(.prepareForMessage))
        }
        if let found = FoundFile(head: Array(bytes.prefix(FoundFile.headByteCount))) {
            throw SignetError(
                .malformedInput, file: source.name, "the file is \(found.name), not a signature",
                hint: found.hint ?? Sentence(.signHashWritten))
        }
        let mistake = readings.lazy.compactMap(pending.message.mistake).first
        let (detail, hint) = pending.message.refusal(mistake)
        throw SignetError(.credentialRefused, file: source.name, detail, hint: hint)
    }

    private static func verifies(
        _ signature: [UInt8], message: PreparedSignedData
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
