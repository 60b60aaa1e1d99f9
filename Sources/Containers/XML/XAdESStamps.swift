import Base
import CMSKit
import CryptoBridge
import TextBridge
import TimestampKit
import TrustKit

/// The data of an XML signature that timestamps are over (ETSI EN 319 132-1 §5.3, §5.5.2).
struct XMLStampInput {
    enum Part {
        case bytes([UInt8])
        case file(ZIPEntry)
    }

    let tree: XMLTree
    let element: XMLBranch
    let info: XMLBranch
    let value: XMLBranch
    let references: [Part]

    /// The data of a signature timestamp.
    func signatureParts(_ form: XMLTransforms.Canonicalization) throws -> [Part] {
        [.bytes(try form.octets(of: value, in: tree))]
    }

    /// The data of an archive timestamp after some unsigned properties.
    func archiveParts(
        _ form: XMLTransforms.Canonicalization, after properties: [XMLBranch]
    ) throws -> [Part] {
        let keys = element.all("KeyInfo", in: XMLAlgorithm.namespace)
        let objects = element.all("Object", in: XMLAlgorithm.namespace).filter {
            $0.all("QualifyingProperties", in: XAdESReader.namespace).isEmpty
        }
        let elements = [info, value] + keys + properties + objects
        return references
            + (try elements.map { .bytes(try form.octets(of: $0, in: tree)) })
    }
}

/// The unsigned properties of an XML signature: timestamps and validation data (ETSI EN 319 132-1
/// §5.3 to §5.5).
struct XAdESStamps {
    private(set) var signatureStamps: [XAdESSignature.Stamp] = []
    private(set) var archiveStamps: [XAdESSignature.Stamp] = []
    private(set) var material = ValidationMaterial()
    private(set) var problems: [VerificationProblem] = []

    /// Maximum number of timestamps, and of items of validation data.
    private static let stampLimit = 64
    private static let itemLimit = 1000
    /// The other unsigned properties (ETSI EN 319 132-1 §5.2.7, §5.4, §5.5.1 and Annex A).
    private static let unsignedProperties: Set = [
        "AnyValidationData", "AttrAuthoritiesCertValues", "AttributeCertificateRefs",
        "AttributeCertificateRefsV2", "AttributeRevocationRefs", "AttributeRevocationValues",
        "CertificateValues", "CompleteCertificateRefs", "CompleteCertificateRefsV2",
        "CompleteRevocationRefs", "CounterSignature", "RefsOnlyTimeStamp", "RefsOnlyTimeStampV2",
        "RenewedDigests", "RenewedDigestsV2", "RevocationValues", "SigAndRefsTimeStamp",
        "SigAndRefsTimeStampV2", "SignaturePolicyStore", "TimeStampValidationData",
    ]

    init() {}

    /// - Parameter unsigned: the unsigned signature properties; nil for none.
    init(_ unsigned: XMLBranch?, _ input: XMLStampInput, _ files: CoveredFiles) throws {
        var before: [XMLBranch] = []
        for property in unsigned?.children ?? [] {
            switch (property.name.local, property.name.namespace) {
            case ("SignatureTimeStamp", XAdESReader.namespace):
                try add(property, files, isArchive: false) { try input.signatureParts($0) }
            case ("ArchiveTimeStamp", XAdESReader.namespace),
                ("ArchiveTimeStamp", XAdESReader.laterNamespace):
                let earlier = before
                try add(property, files, isArchive: true) {
                    try input.archiveParts($0, after: earlier)
                }
            default: addMaterial(property)
            }
            before.append(property)
        }
    }

    private mutating func add(
        _ property: XMLBranch, _ files: CoveredFiles, isArchive: Bool,
        _ parts: (XMLTransforms.Canonicalization) throws -> [XMLStampInput.Part]
    ) throws {
        guard signatureStamps.count + archiveStamps.count < Self.stampLimit else { return }
        let encoded = property.all("EncapsulatedTimeStamp", in: XAdESReader.namespace)
        guard encoded.count == 1, let bytes = encoded[0].base64,
            let token = try? TimestampToken(attributeValue: bytes)
        else {
            problems.append(
                .doubt(
                    .timestampInvalid,
                    "a timestamp of the signature cannot be read, or is not the only one of its element"
                ))
            return
        }
        var hash: [UInt8]?
        do {
            let form = try XMLTransforms.Canonicalization(
                property.only("CanonicalizationMethod", in: XMLAlgorithm.namespace))
            if let digest = token.info.messageImprint.digest {
                hash = try files.hash(of: parts(form), digest)
            }
        } catch let error as ContainerError where error.code == .unsupported {
            problems.append(.doubt(.timestampInvalid, error.detail))
        } catch let error as XMLError {
            problems.append(.doubt(.timestampInvalid, error.detail))
        }
        let stamp = XAdESSignature.Stamp(token: token, hash: hash, material: material)
        if isArchive { archiveStamps.append(stamp) } else { signatureStamps.append(stamp) }
        material.certificates += token.signedData.carriedCertificates
            .compactMap { try? Certificate(der: $0) }
        material.evidence.formUnion(RevocationEvidence(in: token.signedData))
    }

    /// Adds certificates, CRLs and OCSP responses, also those for timestamps.
    private mutating func addMaterial(_ property: XMLBranch) {
        let space = XAdESReader.namespace
        if !Self.unsignedProperties.contains(property.name.local) {
            problems.append(
                .remark(
                    .signatureFormUnsupported,
                    "not signed: the unknown property \(property.name.local.inQuotes)"))
        }
        var groups = [property]
        if property.name
            == XMLName("TimeStampValidationData", namespace: XAdESReader.laterNamespace)
        {
            groups = property.children
        }
        for group in groups where group.name.namespace == space {
            let items: [XMLBranch]
            switch group.name.local {
            case "CertificateValues":
                material.certificates += group.all("EncapsulatedX509Certificate", in: space)
                    .prefix(Self.itemLimit).compactMap(\.base64)
                    .compactMap { try? Certificate(der: $0) }
                continue
            case "RevocationValues": items = group.children
            default: continue
            }
            let lists = items.flatMap { $0.all("EncapsulatedCRLValue", in: space) }
            let responses = items.flatMap { $0.all("EncapsulatedOCSPValue", in: space) }
            material.evidence.formUnion(
                RevocationEvidence(
                    listsIn: lists.compactMap(\.base64), responsesIn: responses.compactMap(\.base64)
                ))
        }
    }
}

extension CoveredFiles {
    func hash(of parts: [XMLStampInput.Part], _ digest: DigestAlgorithm) throws -> [UInt8] {
        let context = try DigestContext(digest)
        for part in parts {
            switch part {
            case .bytes(let bytes): try context.update(bytes)
            case .file(let entry): try stream(entry) { try context.update($0) }
            }
        }
        return try context.finish()
    }
}
