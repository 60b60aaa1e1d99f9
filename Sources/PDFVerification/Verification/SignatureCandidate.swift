package import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import TimestampKit

/// A signature parsed from its dictionary and value, before verification.
package struct SignatureCandidate: Sendable {
    /// The signature format (ISO 32000-2 Table 260, ETSI EN 319 142-1 §6).
    enum Format {
        /// CMS over the byte range.
        case cms(SignedDataVerifier.Profile)
        /// adbe.pkcs7.sha1: CMS that carries the byte range's SHA-1.
        case cmsOverSHA1
        /// adbe.x509.rsa_sha1: a bare RSA signature with separate certificates.
        case rawRSA
        /// ETSI.RFC3161: a timestamp token.
        case timestamp

        /// The CMS profile to verify; nil for formats without one.
        var profile: SignedDataVerifier.Profile? {
            switch self {
            case .cms(let profile): profile
            case .cmsOverSHA1: .adobeSHA1
            case .rawRSA, .timestamp: nil
            }
        }
    }

    private(set) var field: FormField
    /// Nil if the dictionary is unusable.
    private let dictionary: SignatureValue?
    /// Whether it is skipped; the problems contain the reason.
    private var isLeftOut = false
    let format: Format?
    let message: SignedData?
    /// A document timestamp's token.
    let token: TimestampToken?
    /// Timestamps over the signed content, made before signing (ETSI EN 319 122-1 §5.2.8).
    let contentTimestamps: [TimestampToken]
    /// The digest algorithm needed to verify the byte range.
    let algorithm: DigestAlgorithm?
    /// Problems of the dictionary and the value, before verification.
    private(set) var problems: [VerificationProblem]

    /// The value to verify; nil if it is skipped or unusable.
    var value: SignatureValue? { isLeftOut ? nil : dictionary }

    package var kind: SignaturePurpose {
        if case .timestamp? = format { .timestamp } else { .signature }
    }

    /// The digests to compute.
    var requests: [ByteRangeHasher.Request] {
        guard let value else { return [] }
        let stamped = contentTimestamps.compactMap(\.info.messageImprint.digest)
        return ([algorithm].compactMap { $0 } + stamped).map {
            .init(byteRange: value.byteRange, algorithm: $0)
        }
    }

    /// The same signature value in another field. A value shared by several fields is read once.
    func standing(in other: FormField) -> SignatureCandidate {
        var copy = self
        copy.field = other
        return copy
    }

    /// A copy with additional problems, such as problems shared with other signatures.
    ///
    /// - Parameter isLeftOut: whether the signature is skipped because of the last of these
    ///   problems.
    func adding(_ found: [VerificationProblem], isLeftOut: Bool = false) -> SignatureCandidate {
        var copy = self
        copy.problems += found
        copy.isLeftOut = isLeftOut
        return copy
    }

    /// DER of the certificates embedded in the signature.
    var carriedCertificates: [[UInt8]] { (message ?? token?.signedData)?.carriedCertificates ?? [] }

    /// Size of the document timestamp or of the signature timestamp.
    var tokenByteCount: Int? {
        token?.encoded.count
            ?? message?.signers.first?.unsignedAttributes.values(.signatureTimeStamp).first?.count
    }

    /// - Parameter value: the field's value.
    init(_ field: FormField, value: PDFObject, in document: PDFDocument) throws {
        self.field = field
        let (dictionary, unreadable) = try Self.dictionary(value, of: field, in: document)
        let (format, unusual) = dictionary.map(Self.format) ?? (nil, [])
        let isUsable = !(unreadable + unusual).contains { $0.verdict == .failed }
        let content = isUsable ? Content(dictionary?.contents ?? [], format) : Content()
        self.dictionary = dictionary
        self.format = format
        message = content.message
        token = content.token
        contentTimestamps = content.timestamps
        algorithm = content.algorithm
        problems = unreadable + unusual + content.problems
    }

    private static func dictionary(
        _ value: PDFObject, of field: FormField, in document: PDFDocument
    ) throws -> (SignatureValue?, [VerificationProblem]) {
        var own: [VerificationProblem] = []
        if field.hasValueInWidget {
            own.append(
                .remark(
                    .valueInWidget,
                    "the signature is in the widget annotation, not in the field: some viewers do not "
                        + "find it"))
        }
        do {
            if value.referenceValue == nil {
                own.append(
                    .doubt(
                        .signatureDirect,
                        "the signature dictionary is a direct object; the standard requires an "
                            + "indirect object"))
            }
            let (value, problems) = try field.signature(in: document)
            return (value, own + problems)
        } catch let error as PDFError where error.code != .readFailed {
            return (
                nil,
                [
                    .failure(
                        .signatureUnreadable,
                        "the signature dictionary cannot be read: \(error.detail)")
                ]
            )
        }
    }

    /// The format named by the dictionary; nil if unknown.
    private static func format(of value: SignatureValue) -> (Format?, [VerificationProblem]) {
        // Signed attributes are optional outside PAdES (ISO 32000-2 §12.8.3.3); signatures without
        // them are detected later.
        var adobe = SignedDataVerifier.Profile.adobeDetached
        adobe.requiresSignedAttributes = false
        let format: Format? =
            switch value.subFilter {
            // Brazil's profile (DOC-ICP-15) is CAdES under another name.
            case "ETSI.CAdES.detached", "PBAD.PAdES": .cms(.pades)
            case "adbe.pkcs7.detached": .cms(adobe)
            case "adbe.pkcs7.sha1": .cmsOverSHA1
            case "adbe.x509.rsa_sha1": .rawRSA
            case "ETSI.RFC3161": .timestamp
            default: nil
            }
        let unknown = VerificationProblem.failure(
            .subfilterUnknown, "unknown SubFilter /\(value.subFilter)")
        let problems = [format == nil ? unknown : nil, typeProblem(of: value, format)]
        return (format, problems.compactMap(\.self))
    }

    /// The problem of a /Type that contradicts the format.
    private static func typeProblem(
        of value: SignatureValue, _ format: Format?
    ) -> VerificationProblem? {
        let type = value.dictionary["Type"]?.nameValue
        if case .timestamp? = format {
            // Viewers use /SubFilter. Viewers that use /Type (ISO 32000-2 Table 255) find no
            // signature in a token, which is harmless.
            return type == "DocTimeStamp"
                ? nil
                : .remark(
                    .typeUnusual,
                    "the entry /Type is \(type.map { "/\($0)" } ?? "missing"), not /DocTimeStamp")
        }
        guard let type, type != "Sig" else { return nil }
        return .failure(
            .typeContradictsSubfilter,
            "the entry /Type is /\(type), but the SubFilter is /\(value.subFilter)")
    }
}

// MARK: Entries of the dictionary

extension SignatureCandidate {
    package var subFilter: String? { dictionary?.subFilter.description }
    /// End of the second span of the byte range; nil if it is unusable.
    package var coveredByteCount: Int? { dictionary?.byteRange.second.upperBound }
    package var claimedTime: CalendarTime? {
        dictionary?.dictionary["M"]?.stringValue.flatMap { CalendarTime(pdfDate: $0) }
    }
    /// Some writers use UTF-8 without a byte order mark.
    package var name: String? {
        guard let bytes = dictionary?.dictionary["Name"]?.stringValue,
            let plain = String(validating: bytes, as: UTF8.self), !bytes.allSatisfy({ $0 < 0x80 })
        else { return text("Name") }
        return plain.first == "\u{FEFF}" ? String(plain.dropFirst()) : plain
    }
    package var reason: String? { text("Reason") }
    package var location: String? { text("Location") }

    private func text(_ key: PDFName) -> String? {
        dictionary?.dictionary[key]?.stringValue.map {
            PDFString(bytes: $0, isHexadecimal: false).text
        }
    }
}

// MARK: The value

/// The parsed value of a signature.
private struct Content {
    var message: SignedData?
    var token: TimestampToken?
    var timestamps: [TimestampToken] = []
    var algorithm: DigestAlgorithm?
    var problems: [VerificationProblem] = []

    init(algorithm: DigestAlgorithm? = nil) { self.algorithm = algorithm }

    init(_ contents: [UInt8], _ format: SignatureCandidate.Format?) {
        switch format {
        case .cms?: self.init(messageIn: contents) { $0.requiredDigests.first }
        case .cmsOverSHA1?: self.init(messageIn: contents) { _ in .sha1 }
        case .timestamp?: self.init(tokenIn: contents)
        case .rawRSA?: self.init(algorithm: .sha1)
        case nil: self.init()
        }
    }

    private init(messageIn contents: [UInt8], hash: (SignedData) -> DigestAlgorithm?) {
        (message, problems) = Self.read(contents) { (bytes, encoding) throws(CMSError) in
            try SignedData(bytes, encoding: encoding)
        }
        guard let message else { return }
        guard let signer = message.signers.first else {
            problems.append(.failure(.noSigner, "the CMS SignedData contains no signature"))
            return
        }
        algorithm = hash(message)
        if algorithm == nil { problems.append(Self.unknownAlgorithm) }
        timestamps = signer.signedAttributes.values(.contentTimeStamp)
            .prefix(TimestampLimits.tokenCount)
            .compactMap { try? TimestampToken(attributeValue: $0) }
    }

    private init(tokenIn contents: [UInt8]) {
        (token, problems) = Self.read(contents) { (bytes, encoding) throws(CMSError) in
            try TimestampToken(bytes, encoding: encoding)
        }
        guard let token else { return }
        algorithm = token.info.messageImprint.digest
        if algorithm == nil { problems.append(Self.unknownAlgorithm) }
    }

    private static let unknownAlgorithm = VerificationProblem.doubt(
        .algorithmUnsupported, "the digest algorithm of the signature is unknown",
        .cryptoConstraintsFailureNoPOE)

    /// The message at the start of the value; only zeros may follow.
    private static func read<Message>(
        _ contents: [UInt8], _ parse: ([UInt8], SignedData.Encoding) throws(CMSError) -> Message
    ) -> (Message?, [VerificationProblem]) {
        guard let length = ASN1Node.byteCount(in: contents, .ber),
            contents[length...].allSatisfy({ $0 == 0 })
        else {
            let problem = VerificationProblem.failure(
                .contentsPadding,
                "unsigned data other than zeros follows the signature value in "
                    + "Contents")
            return (nil, [problem])
        }
        let bytes = Array(contents[..<length])
        do {
            return (try parse(bytes, .der), [])
        } catch {
            guard error.code == .notDER, let message = try? parse(bytes, .ber) else {
                return (nil, [.failure(.cmsMalformed, error.detail)])
            }
            // ISO 32000-2 §12.8.3.3.1 and ETSI EN 319 142-1 §6.3 require DER. Unambiguous BER is
            // accepted with a note; the verifier reports other encodings.
            let remark = VerificationProblem(
                .contentsNotDer,
                "the signature is encoded in BER instead of DER (no effect on the result)",
                verdict: nil)
            return (message, [remark])
        }
    }
}
