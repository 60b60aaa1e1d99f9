import ByteKit
import CMSKit
import CryptoBridge
import PDFCore
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

    let field: FormField
    var report: SignatureReport
    private(set) var value: SignatureValue?
    private(set) var format: Format?
    private(set) var message: SignedData?
    /// The hash of the byte range that verifying asks for.
    private(set) var algorithm: DigestAlgorithm?

    /// What must be hashed.
    var request: ByteRangeHasher.Request? {
        guard let value, let algorithm else { return nil }
        return .init(byteRange: value.byteRange, algorithm: algorithm)
    }

    /// - Parameter value: the field's value.
    init(_ field: FormField, value: PDFObject, in document: PDFDocument) throws {
        self.field = field
        report = SignatureReport(field: field.fullName)
        guard let id = value.referenceValue else {
            report.problems.append(
                .failure("signature-direct", "the field's value is not an indirect object"))
            return
        }
        let (signature, problems) = try SignatureValue.read(id, in: document)
        report.problems += problems
        guard let signature else { return }
        self.value = signature
        describe(signature)
        readFormat(signature)
        guard let format, !report.problems.contains(where: { $0.verdict == .failed }) else {
            return
        }
        switch format {
        case .cms, .cmsOverSHA1, .timestamp:
            guard let message = readMessage(signature.contents) else { return }
            self.message = message
            algorithm =
                if case .cmsOverSHA1 = format { .sha1 } else { message.requiredDigests.first }
            if algorithm == nil {
                report.problems.append(
                    .doubt(
                        "algorithm-unsupported",
                        "the signature uses a hash algorithm that is unknown",
                        .cryptoConstraintsFailureNoPOE))
            }
        case .rawRSA: algorithm = .sha1
        }
    }

    private mutating func describe(_ value: SignatureValue) {
        func text(_ key: PDFName) -> String? {
            value.dictionary[key]?.stringValue.map {
                PDFString(bytes: $0, isHexadecimal: false).text
            }
        }
        report.subFilter = value.subFilter.description
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
                .failure("subfilter-unknown", "unknown signature format /\(value.subFilter)"))
        }
        let type = value.dictionary["Type"]?.nameValue
        if report.kind == .timestamp, type != "DocTimeStamp" {
            // Readers go by the format, and so do other verifiers (ISO 32000-2 Table 255 by /Type).
            report.problems.append(
                .doubt(
                    "type-unusual",
                    "the entry /Type is \(type.map { "/\($0)" } ?? "missing"), not /DocTimeStamp",
                    .signatureConstraintsFailure))
        } else if report.kind == .signature, type != nil, type != "Sig" {
            report.problems.append(
                .failure(
                    "type-contradicts-subfilter",
                    "the entry /Type is \(type.map { "/\($0)" } ?? "missing") beside the format "
                        + "/\(value.subFilter)"))
        }
    }

    /// The message at the start of the value; behind it stand zeros and nothing else.
    private mutating func readMessage(_ contents: [UInt8]) -> SignedData? {
        let isIndefinite = DERElementLength.isIndefinite(contents)
        let length =
            isIndefinite
            ? BERElementLength.first(in: contents) : DERElementLength.first(in: contents)
        guard let length, contents[length...].allSatisfy({ $0 == 0 }) else {
            report.problems.append(
                .failure(
                    "contents-padding",
                    "behind the signature's value stands something else than zeros"))
            return nil
        }
        let bytes = Array(contents[..<length])
        do {
            return try SignedData(bytes)
        } catch {
            guard error.code == .notDER, let message = try? SignedData(bytes, encoding: .ber) else {
                report.problems.append(.failure("cms-malformed", error.detail))
                return nil
            }
            // ISO 32000-2 §12.8.3.3.1 and ETSI EN 319 142-1 §6.3 want DER.
            report.problems.append(
                .doubt(
                    "contents-not-der",
                    "the signature is encoded as BER, where the standard asks for DER",
                    .signatureConstraintsFailure))
            return message
        }
    }
}
