import ByteKit
import CMSKit
import CryptoBridge
import PDFCore
import SignatureTerms
import TimestampKit
import TrustKit

/// A signature on its way through the checks: what its dictionary and its value say, and the
/// report that grows with each step.
struct SignatureCandidate {
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
    }

    private(set) var field: FormField
    var report: SignatureReport
    private(set) var value: SignatureValue?
    private(set) var format: Format?
    private(set) var message: SignedData?
    /// A document timestamp's token.
    private(set) var token: TimestampToken?
    /// Time stamps over what is signed, made before signing (ETSI EN 319 122-1 §5.2.8).
    private(set) var contentTimestamps: [TimestampToken] = []
    /// The hash of the byte range that verifying asks for.
    private(set) var algorithm: DigestAlgorithm?
    /// What coverage and later changes led to.
    var revisionProblems: [VerificationProblem] = []

    /// Leaves the value unjudged, for a reason that the report gives.
    mutating func dropValue() { value = nil }

    /// What must be hashed.
    var requests: [ByteRangeHasher.Request] {
        guard let value else { return [] }
        let stamped = contentTimestamps.compactMap(\.info.messageImprint.digest)
        return ([algorithm].compactMap { $0 } + stamped).map {
            .init(byteRange: value.byteRange, algorithm: $0)
        }
    }

    /// What each request of `candidates` must hash to for their signatures to be good; nil when a
    /// signature does not say. Nothing of it is verified.
    static func claimedDigests(
        of candidates: [SignatureCandidate]
    ) -> [(request: ByteRangeHasher.Request, digest: [UInt8])]? {
        var claims: [(request: ByteRangeHasher.Request, digest: [UInt8])] = []
        for candidate in candidates where !candidate.requests.isEmpty {
            guard let digest = candidate.claimedDigest else { return nil }
            let digests =
                [digest]
                + candidate.contentTimestamps.compactMap { token in
                    token.info.messageImprint.digest.map { _ in
                        token.info.messageImprint.hashedMessage
                    }
                }
            guard digests.count == candidate.requests.count else { return nil }
            for index in digests.indices {
                claims.append((candidate.requests[index], digests[index]))
            }
        }
        return claims
    }

    /// The same value in another field: read once, however many fields have it.
    func standing(in other: FormField) -> SignatureCandidate {
        var copy = self
        copy.field = other
        copy.report.field = other.fullName
        return copy
    }

    /// Takes over what was judged of the same value in another field.
    mutating func adopt(_ judged: SignatureCandidate, ownProblems: [VerificationProblem]) {
        var report = judged.report
        report.field = self.report.field
        report.coverage = self.report.coverage
        report.changes = self.report.changes
        report.changesDetail = self.report.changesDetail
        report.contentChanges = self.report.contentChanges
        report.certification = self.report.certification
        report.problems = ownProblems + judged.report.problems.filter { !ownProblems.contains($0) }
        self.report = report
    }

    /// DER of the certificates that the signature brings.
    var carriedCertificates: [[UInt8]] {
        (message ?? token?.signedData)?.carriedCertificates ?? []
    }

    /// Of the document timestamp, or of the time stamp over the signature.
    var tokenByteCount: Int? {
        token?.encoded.count
            ?? message?.signers.first?.unsignedAttributes.values(CMSOID.signatureTimeStamp)
            .first?.count
    }

    private var claimedDigest: [UInt8]? {
        switch format {
        case .cms?: message?.signers.count == 1 ? message?.signers[0].messageDigest : nil
        case .cmsOverSHA1?: message?.content
        case .timestamp?: token?.info.messageImprint.hashedMessage
        case .rawRSA?, nil: nil
        }
    }

    /// - Parameter value: the field's value.
    init(_ field: FormField, value: PDFObject, in document: PDFDocument) throws {
        self.field = field
        report = SignatureReport(field: field.fullName)
        guard let id = value.referenceValue else {
            report.problems.append(
                .failure(.signatureDirect, "the field's value is not an indirect object"))
            return
        }
        let (signature, problems) = try Self.readValue(id, in: document)
        report.problems += problems
        guard let signature else { return }
        self.value = signature
        describe(signature)
        readFormat(signature)
        guard let format, !report.problems.contains(where: { $0.verdict == .failed }) else {
            return
        }
        switch format {
        case .cms, .cmsOverSHA1: readMessage(signature.contents, format)
        case .timestamp: readToken(signature.contents)
        case .rawRSA: algorithm = .sha1
        }
    }

    private static func readValue(
        _ id: ObjectID, in document: PDFDocument
    ) throws -> (SignatureValue?, [VerificationProblem]) {
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

    private mutating func describe(_ value: SignatureValue) {
        func text(_ key: PDFName) -> String? {
            value.dictionary[key]?.stringValue.map {
                PDFString(bytes: $0, isHexadecimal: false).text
            }
        }
        report.subFilter = value.subFilter.description
        report.coveredByteCount = value.byteRange.second.upperBound
        report.claimedTime = value.dictionary["M"]?.stringValue.flatMap {
            CalendarTime(pdfDate: $0)
        }
        report.name = text("Name")
        report.reason = text("Reason")
        report.location = text("Location")
    }

    private mutating func readFormat(_ value: SignatureValue) {
        // Signed attributes are not obligatory outside PAdES (ISO 32000-2 §12.8.3.3); a signature
        // without them is told apart later.
        var adobe = SignedDataVerifier.Profile.adobeDetached
        adobe.requiresSignedAttributes = false
        switch value.subFilter {
        // Brazil's profile (DOC-ICP-15) is CAdES under another name.
        case "ETSI.CAdES.detached", "PBAD.PAdES": format = .cms(.pades)
        case "adbe.pkcs7.detached": format = .cms(adobe)
        case "adbe.pkcs7.sha1": format = .cmsOverSHA1
        case "adbe.x509.rsa_sha1": format = .rawRSA
        case "ETSI.RFC3161":
            format = .timestamp
            report.kind = .timestamp
        default:
            report.problems.append(
                .failure(.subfilterUnknown, "unknown signature format /\(value.subFilter)"))
        }
        let type = value.dictionary["Type"]?.nameValue
        if report.kind == .timestamp, type != "DocTimeStamp" {
            // Readers go by the format; who goes by /Type (ISO 32000-2 Table 255) finds no
            // signature in a token, and is not deceived.
            report.problems.append(
                VerificationProblem(
                    .typeUnusual,
                    "the entry /Type is \(type.map { "/\($0)" } ?? "missing"), not /DocTimeStamp",
                    verdict: nil))
        } else if report.kind == .signature, type != nil, type != "Sig" {
            report.problems.append(
                .failure(
                    .typeContradictsSubfilter,
                    "the entry /Type is \(type.map { "/\($0)" } ?? "missing") beside the format "
                        + "/\(value.subFilter)"))
        }
    }

    // MARK: The value

    /// What is at the start of the value; behind it stand zeros and nothing else.
    private mutating func read<Message>(
        _ contents: [UInt8],
        _ parse: ([UInt8], SignedData.Encoding) throws(CMSError) -> Message
    ) -> Message? {
        let length =
            DERElementLength.isIndefinite(contents)
            ? BERElementLength.first(in: contents) : DERElementLength.first(in: contents)
        guard let length, contents[length...].allSatisfy({ $0 == 0 }) else {
            report.problems.append(
                .failure(
                    .contentsPadding,
                    "part of the file is not protected by the signature, as in known forgeries "
                        + "(something else than zeros stands behind the signature's value)"))
            return nil
        }
        let bytes = Array(contents[..<length])
        do {
            return try parse(bytes, .der)
        } catch {
            guard error.code == .notDER, let message = try? parse(bytes, .ber) else {
                report.problems.append(.failure(.cmsMalformed, error.detail))
                return nil
            }
            // ISO 32000-2 §12.8.3.3.1 and ETSI EN 319 142-1 §6.3 want DER. What can be read in one
            // way only says what it says all the same; of the rest the verifier makes a doubt.
            report.problems.append(
                VerificationProblem(
                    .contentsNotDer,
                    "the signature is encoded as BER, where the standard asks for DER",
                    verdict: nil))
            return message
        }
    }

    private mutating func readMessage(_ contents: [UInt8], _ format: Format) {
        let message = read(contents) { (bytes, encoding) throws(CMSError) in
            try SignedData(bytes, encoding: encoding)
        }
        guard let message else { return }
        self.message = message
        guard !message.signers.isEmpty else {
            report.problems.append(.failure(.noSigner, "the message has no signature"))
            return
        }
        if case .cmsOverSHA1 = format {
            algorithm = .sha1
        } else {
            algorithm = message.requiredDigests.first
        }
        if algorithm == nil { noteUnknownAlgorithm() }
        contentTimestamps = message.signers[0].signedAttributes.values(CMSOID.contentTimeStamp)
            .prefix(TimestampLimits.tokenCount).compactMap { try? TimestampToken($0) }
    }

    private mutating func readToken(_ contents: [UInt8]) {
        let token = read(contents) { (bytes, encoding) throws(CMSError) in
            try TimestampToken(bytes, encoding: encoding)
        }
        guard let token else { return }
        self.token = token
        algorithm = token.info.messageImprint.digest
        if algorithm == nil { noteUnknownAlgorithm() }
    }

    private mutating func noteUnknownAlgorithm() {
        report.problems.append(
            .doubt(
                .algorithmUnsupported, "the signature uses a hash algorithm that is unknown",
                .cryptoConstraintsFailureNoPOE))
    }
}
