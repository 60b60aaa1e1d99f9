package import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import TimestampKit
import TrustKit

/// A signature as it stands in the document: what its dictionary and its value say. Nothing of it
/// has been verified.
package struct SignatureCandidate: Sendable {
    /// How the value was made (ISO 32000-2 Table 260, ETSI EN 319 142-1 §6).
    enum Format {
        /// CMS over the byte range.
        case cms(SignedDataVerifier.Profile)
        /// adbe.pkcs7.sha1: CMS that carries the byte range's SHA-1.
        case cmsOverSHA1
        /// adbe.x509.rsa_sha1: a bare RSA signature, the certificates beside it.
        case rawRSA
        /// ETSI.RFC3161: a time-stamp token.
        case timestamp

        /// How a CMS is to be verified; nil for what is none.
        var profile: SignedDataVerifier.Profile? {
            switch self {
            case .cms(let profile): profile
            case .cmsOverSHA1: .adobeSHA1
            case .rawRSA, .timestamp: nil
            }
        }
    }

    private(set) var field: FormField
    /// Nil where the dictionary cannot be used.
    private let dictionary: SignatureValue?
    /// Not to be judged, for a reason that the problems give.
    private var isLeftOut = false
    let format: Format?
    let message: SignedData?
    /// A document timestamp's token.
    let token: TimestampToken?
    /// Time stamps over what is signed, made before signing (ETSI EN 319 122-1 §5.2.8).
    let contentTimestamps: [TimestampToken]
    /// The hash of the byte range that verifying asks for.
    let algorithm: DigestAlgorithm?
    /// What speaks against dictionary and value as they stand.
    private(set) var problems: [VerificationProblem]

    /// What is to be judged; nil where nothing can be.
    var value: SignatureValue? { isLeftOut ? nil : dictionary }

    package var kind: SignaturePurpose {
        if case .timestamp? = format { .timestamp } else { .signature }
    }

    /// What must be hashed.
    var requests: [ByteRangeHasher.Request] {
        guard let value else { return [] }
        let stamped = contentTimestamps.compactMap(\.info.messageImprint.digest)
        return ([algorithm].compactMap { $0 } + stamped).map {
            .init(byteRange: value.byteRange, algorithm: $0)
        }
    }

    /// The same value in another field: read once, however many fields have it.
    func standing(in other: FormField) -> SignatureCandidate {
        var copy = self
        copy.field = other
        return copy
    }

    /// The same with what the signatures beside it say of it.
    ///
    /// - Parameter isLeftOut: it is not to be judged, for the last of the reasons.
    func adding(
        _ found: [VerificationProblem], isLeftOut: Bool = false
    ) -> SignatureCandidate {
        var copy = self
        copy.problems += found
        copy.isLeftOut = isLeftOut
        return copy
    }

    /// DER of the certificates that the signature brings.
    var carriedCertificates: [[UInt8]] {
        (message ?? token?.signedData)?.carriedCertificates ?? []
    }

    /// Of the document timestamp, or of the time stamp over the signature.
    var tokenByteCount: Int? {
        token?.encoded.count
            ?? message?.signers.first?.unsignedAttributes.values(.signatureTimeStamp)
            .first?.count
    }

    /// - Parameter value: the field's value.
    init(_ field: FormField, value: PDFObject, in document: PDFDocument) throws {
        self.field = field
        let (dictionary, unreadable) = try Self.dictionary(value, in: document)
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
        _ value: PDFObject, in document: PDFDocument
    ) throws -> (SignatureValue?, [VerificationProblem]) {
        guard let id = value.referenceValue else {
            return (
                nil, [.failure(.signatureDirect, "the field's value is not an indirect object")]
            )
        }
        do {
            return try SignatureValue.read(id, in: document)
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

    /// The format that the dictionary names; nil for an unknown one.
    private static func format(of value: SignatureValue) -> (Format?, [VerificationProblem]) {
        // Signed attributes are not obligatory outside PAdES (ISO 32000-2 §12.8.3.3); a signature
        // without them is told apart later.
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
            .subfilterUnknown, "unknown signature format /\(value.subFilter)")
        let problems = [format == nil ? unknown : nil, typeProblem(of: value, format)]
        return (format, problems.compactMap(\.self))
    }

    /// What the entry /Type has against the format.
    private static func typeProblem(
        of value: SignatureValue, _ format: Format?
    ) -> VerificationProblem? {
        let type = value.dictionary["Type"]?.nameValue
        if case .timestamp? = format {
            // Readers go by the format; who goes by /Type (ISO 32000-2 Table 255) finds no
            // signature in a token, and is not deceived.
            return type == "DocTimeStamp"
                ? nil
                : .remark(
                    .typeUnusual,
                    "the entry /Type is \(type.map { "/\($0)" } ?? "missing"), not /DocTimeStamp")
        }
        guard let type, type != "Sig" else { return nil }
        return .failure(
            .typeContradictsSubfilter,
            "the entry /Type is /\(type) beside the format /\(value.subFilter)")
    }
}

// MARK: What the dictionary says

extension SignatureCandidate {
    package var subFilter: String? { dictionary?.subFilter.description }
    /// Where the second span of the byte range ends; nil when there is no usable one.
    package var coveredByteCount: Int? { dictionary?.byteRange.second.upperBound }
    package var claimedTime: CalendarTime? {
        dictionary?.dictionary["M"]?.stringValue.flatMap { CalendarTime(pdfDate: $0) }
    }
    package var name: String? { text("Name") }
    package var reason: String? { text("Reason") }
    package var location: String? { text("Location") }

    private func text(_ key: PDFName) -> String? {
        dictionary?.dictionary[key]?.stringValue.map {
            PDFString(bytes: $0, isHexadecimal: false).text
        }
    }
}

// MARK: The value

/// What a signature's value holds.
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
            problems.append(.failure(.noSigner, "the message has no signature"))
            return
        }
        algorithm = hash(message)
        if algorithm == nil { problems.append(Self.unknownAlgorithm) }
        timestamps = signer.signedAttributes.values(.contentTimeStamp)
            .prefix(TimestampLimits.tokenCount).compactMap { try? TimestampToken($0) }
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
        .algorithmUnsupported, "the signature uses a hash algorithm that is unknown",
        .cryptoConstraintsFailureNoPOE)

    /// What is at the start of the value; behind it stand zeros and nothing else.
    private static func read<Message>(
        _ contents: [UInt8],
        _ parse: ([UInt8], SignedData.Encoding) throws(CMSError) -> Message
    ) -> (Message?, [VerificationProblem]) {
        guard let length = ASN1Node.byteCount(in: contents, .ber),
            contents[length...].allSatisfy({ $0 == 0 })
        else {
            let problem = VerificationProblem.failure(
                .contentsPadding,
                "part of the file is not protected by the signature, as in known forgeries "
                    + "(something else than zeros stands behind the signature's value)")
            return (nil, [problem])
        }
        let bytes = Array(contents[..<length])
        do {
            return (try parse(bytes, .der), [])
        } catch {
            guard error.code == .notDER, let message = try? parse(bytes, .ber) else {
                return (nil, [.failure(.cmsMalformed, error.detail)])
            }
            // ISO 32000-2 §12.8.3.3.1 and ETSI EN 319 142-1 §6.3 want DER. What can be read in one
            // way only says what it says all the same; of the rest the verifier makes a doubt.
            let remark = VerificationProblem(
                .contentsNotDer,
                "the signature is encoded as BER, where the standard asks for DER",
                verdict: nil)
            return (message, [remark])
        }
    }
}
