import Base
import CMSKit
import NetworkBridge
import PDFCore
import PDFVerification
import TimestampKit

/// The fuzz targets. Every target must return for any bytes: without a trap, a hang or unbounded
/// memory.
///
/// `Scripts/fuzz` runs a target with libFuzzer. A unit test replays the inputs that failed.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// The input is one object, and the content of a page.
    case lexer = "LexerFuzz"
    /// The input is a file; only its cross-reference sections are read.
    case crossReference = "CrossReferenceFuzz"
    /// The input is a few object streams; see ``ObjectStreamFuzz``.
    case objectStream = "ObjectStreamFuzz"
    /// The input is a line with a stream's dictionary, then the stream's data.
    case filter = "FilterFuzz"
    /// The input is a file; it is read completely and updated.
    case document = "DocumentFuzz"
    /// The input is a file to be signed.
    case sign = "SignFuzz"
    /// The input is an encryption dictionary and more, or a CMS message; see ``EncryptionFuzz``.
    case encryption = "EncryptionFuzz"
    /// The input is a later revision; see ``RevisionFuzz``.
    case revision = "RevisionFuzz"
    /// The input is an encoding in ASN.1; see ``ASN1Fuzz``.
    case asn1 = "ASN1Fuzz"
    /// The input is a CMS message.
    case cms = "CMSFuzz"
    /// The input is a photo.
    case photo = "PhotoFuzz"
    /// The input is handwriting: strokes as JSON.
    case ink = "InkFuzz"
    /// The input is a picture for a stamp, and a photo of handwriting.
    case picture = "PictureFuzz"
    /// The input is a time-stamp request, response or token.
    case timestamp = "TimestampFuzz"
    /// The input is an evidence record, a CMS message with evidence records, or a list of leaves.
    case evidenceRecord = "EvidenceRecordFuzz"
    /// The input is the data that a client sends to the HTTP server.
    case httpServer = "HTTPServerFuzz"

    /// The input is the content of the files in an identity store; see ``IdentityFuzz``.
    case identity = "IdentityFuzz"
    /// The input is a PKCS#11 URI and the attributes of a key on a token; see ``TokenFuzz``.
    case token = "TokenFuzz"

    /// The input is a key name and a response of a signing service; see ``ServiceFuzz``.
    case service = "ServiceFuzz"

    /// The input is a redirect and metadata of an authorization server; see ``AuthorizationFuzz``.
    case authorization = "AuthorizationFuzz"

    /// The input is a settings file or a time zone file.
    case settings = "SettingsFuzz"

    /// The input is the objects of a page; see ``ContentFuzz``.
    case content = "ContentFuzz"

    /// The input is a trusted list.
    case trustList = "TrustListFuzz"

    /// The input is a list of trust anchors in another format.
    case anchorList = "AnchorListFuzz"

    /// The input is a container (ASiC).
    case container = "ContainerFuzz"

    /// The input is a file of XML signatures.
    case signatureFile = "SignatureFileFuzz"

    /// The input is an evidence record in XML.
    case xmlRecord = "XMLRecordFuzz"

    /// The input is names and reasons in a validation report; see ``ReportFuzz``.
    case report = "ReportFuzz"

    /// The input is revocation data; see ``EvidenceFuzz``.
    case evidence = "EvidenceFuzz"

    /// Runs the target in one of its variants. The sum of the input bytes selects the variant: the
    /// same input runs the same variant, and mutated inputs run all of them in turn.
    ///
    /// - Returns: Why the outcome is wrong; `nil` when all is well.
    package func quickFailure(of bytes: [UInt8]) -> String? {
        let way = bytes.reduce(0) { $0 + Int($1) }
        return switch self {
        case .document: DocumentFuzz.failure(of: bytes, way: way)
        case .sign: SignFuzz.failure(of: bytes, way: way)
        case .photo: PhotoFuzz.failure(of: bytes, way: way)
        default: failure(of: bytes)
        }
    }

    /// Runs the target in all its variants.
    ///
    /// - Returns: Why the outcome is wrong; `nil` when all is well.
    package func failure(of bytes: [UInt8]) -> String? {
        switch self {
        case .lexer: Self.lexerFailure(of: bytes)
        case .crossReference: Self.crossReferenceFailure(of: bytes)
        case .objectStream: ObjectStreamFuzz.failure(of: bytes)
        case .filter: Self.filterFailure(of: bytes)
        case .document: DocumentFuzz.failure(of: bytes)
        case .sign: SignFuzz.failure(of: bytes)
        case .encryption: EncryptionFuzz.failure(of: bytes)
        case .revision: RevisionFuzz.failure(of: bytes)
        case .asn1: ASN1Fuzz.failure(of: bytes)
        case .cms: Self.cmsFailure(of: bytes)
        case .photo: PhotoFuzz.failure(of: bytes)
        case .ink: PictureFuzz.inkFailure(of: bytes)
        case .picture: PictureFuzz.failure(of: bytes)
        case .timestamp: TimestampFuzzing.failure(of: bytes)
        case .evidenceRecord: EvidenceRecordFuzzing.failure(of: bytes)
        case .httpServer: Self.httpServerFailure(of: bytes)
        case .identity: IdentityFuzz.failure(of: bytes)
        case .token: TokenFuzz.failure(of: bytes)
        case .service: ServiceFuzz.failure(of: bytes)
        case .authorization: AuthorizationFuzz.failure(of: bytes)
        case .settings: SettingsFuzz.failure(of: bytes)
        case .content: ContentFuzz.failure(of: bytes)
        case .evidence: EvidenceFuzz.failure(of: bytes)
        case .report: ReportFuzz.failure(of: bytes)
        case .trustList: TrustListFuzz.failure(of: bytes)
        case .anchorList: AnchorListFuzz.failure(of: bytes)
        case .container: ContainerFuzz.failure(of: bytes)
        case .signatureFile: ContainerFuzz.signatureFailure(of: bytes)
        case .xmlRecord: ContainerFuzz.recordFailure(of: bytes)
        }
    }

    /// A parsed object, even one parsed leniently, must be the same after writing and parsing
    /// again.
    private static func lexerFailure(of bytes: [UInt8]) -> String? {
        let options = PDFOptions(repair: .whenNeeded)
        let document = try? PDFDocument(
            source: MemorySource(FuzzDocuments.with(bytes)), options: options)
        let lenient = try? document?.object(FuzzDocuments.furtherID)
        for object in [
            try? PDFObject(parsing: bytes), lenient?.dictionaryValue.map { .dictionary($0) },
        ] {
            guard let object else { continue }
            guard let again = try? PDFObject(parsing: PDFWriter.bytes(object)), again == object
            else { return "written differently: \(object)" }
        }
        return nil
    }

    /// Entries from `forEachEntry` must also be found by number.
    private static func crossReferenceFailure(of bytes: [UInt8]) -> String? {
        for repair in [PDFOptions.Repair.never, .whenNeeded, .always] {
            var options = PDFOptions(repair: repair)
            options.permitsEncryption = true
            guard let document = try? PDFDocument(source: MemorySource(bytes), options: options)
            else { continue }
            _ = try? document.hybridDisagreement()
            for section in document.sections {
                _ = try? document.layout(from: section.endOffset, sections: 1)
                var failure: String?
                var remaining = 1000
                try? section.forEachEntry { (entry) throws(PDFError) in
                    remaining -= 1
                    guard remaining > 0 else { throw PDFError(.limitExceeded, "enough") }
                    guard try section.location(of: entry.number) != nil else {
                        failure = "object \(entry.number) is listed and not found"
                        throw PDFError(.wrongObject, "not found")
                    }
                }
                if let failure { return failure }
            }
        }
        return nil
    }

    private static func filterFailure(of bytes: [UInt8]) -> String? {
        let end = bytes.firstIndex(of: 10) ?? bytes.count
        guard let object = try? PDFObject(parsing: Array(bytes[..<end])),
            let dictionary = object.dictionaryValue,
            let document = try? PDFDocument(source: MemorySource(FuzzDocuments.minimal))
        else { return nil }
        let stream = PDFStream(dictionary: dictionary, data: Array(bytes[end...].dropFirst()))
        _ = try? document.decodedData(of: stream)
        return nil
    }

    private static func httpServerFailure(of bytes: [UInt8]) -> String? {
        HTTPServerFuzzing.run(bytes)
        return nil
    }

    private static func cmsFailure(of bytes: [UInt8]) -> String? {
        CMSFuzzing.run(bytes)
        return nil
    }
}
