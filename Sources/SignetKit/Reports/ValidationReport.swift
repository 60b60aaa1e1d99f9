import Base
import CryptoBridge
import SystemBridge

/// The verification result as a validation report by the schema of ETSI TS 119 102-2 V1.4.1, for
/// other programs and for archives. It is not the report of a qualified validation service. Clause
/// numbers of that document are cited from other sources.
///
/// Equal results at equal times give equal bytes.
public struct ValidationReport: Sendable {
    /// Validation time.
    public var time: Moment
    /// The validating software: name and version.
    public var validator = "Signet"
    /// Whether certificates, timestamps and other objects are embedded, or only their hashes.
    public var embedsObjects = true

    private static let namespaces = [
        ("xmlns", "http://uri.etsi.org/19102/v1.4.1#"),
        ("xmlns:ds", "http://www.w3.org/2000/09/xmldsig#"),
        ("xmlns:xades", "http://uri.etsi.org/01903/v1.3.2#"),
        ("xmlns:signet", "urn:signet:report:1"),
    ]
    static let etsi = "urn:etsi:019102:"

    /// - Parameter time: validation time; nil is now.
    public init(at time: Moment?) { self.time = time ?? SystemClock.now().moment }

    /// Encodes a verification result as XML in UTF-8.
    ///
    /// - Throws: ``SignetError`` if hashing fails.
    public func encoded(_ document: VerifiedDocument) throws -> [UInt8] {
        var objects = ValidationObjects(embeds: embedsObjects)
        var reports: [ReportElement] = []
        // The schema has no element for the problems of a document, so they are listed with each
        // signature.
        let signatures = document.signatures.map { signature in
            var signature = signature
            signature.problems += document.problems
            return signature
        }
        // Timestamps are added first, since signatures refer to them.
        for (index, signature) in signatures.enumerated() where signature.kind == .timestamp {
            try add(signature, covers: signatures[..<index], to: &objects)
        }
        for (index, signature) in signatures.enumerated() where signature.kind == .signature {
            reports.append(try report(signature, number: index + 1, document, signatures, &objects))
        }
        if reports.isEmpty { reports = [Self.nothingSigned(document.integrityCode)] }
        var root = ReportElement("ValidationReport", reports + [objects.element])
        for (name, value) in Self.namespaces { root = root.with(name, value) }
        return root.document
    }

    // MARK: Timestamps

    /// Adds a document timestamp as an object that proves the existence of older signatures.
    private func add(
        _ signature: VerifiedSignature, covers older: ArraySlice<VerifiedSignature>,
        to objects: inout ValidationObjects
    ) throws {
        let record = signature.record
        guard let token = record.token else { return }
        let references = older.filter { $0.kind == .signature }
            .map {
                ReportElement(
                    "SignatureReference", ReportElement("PAdESFieldName", text: $0.field))
            }
        let time = signature.timestamp.map { ReportElement("POETime", text: $0.time.description) }
        let provisioning =
            signature.verdict == .passed && time != nil
            ? ReportElement("POEProvisioning", [time] + references) : nil
        let chain = try chain(record, &objects)
        let report = ReportElement(
            "ValidationReport",
            status(signature, chain: chain, identifier: nil), information(signature))
        try objects.add(.timestamp, token, [provisioning, report])
    }

    // MARK: Signatures

    private func report(
        _ signature: VerifiedSignature, number: Int, _ document: VerifiedDocument,
        _ all: [VerifiedSignature], _ objects: inout ValidationObjects
    ) throws -> ReportElement {
        let record = signature.record
        let digest = signature.digest.flatMap { DigestAlgorithm(name: $0) }
        let chain = try chain(record, &objects)
        // A signature without a value (format failure) has no identifier.
        var identifier: String?
        if !record.value.isEmpty { identifier = "S\(number)-" + (try objects.name(record.value)) }
        let leaf = try record.chain.first.map { try objects.add(.certificate, $0) }
        return ReportElement(
            "SignatureValidationReport",
            try identifier.map { try self.identifier($0, record, digest, signature) },
            constraints(signature, document), try times(signature, &objects),
            try record.contentDigest.flatMap { try Self.hash($0, digest) }
                .map { ReportElement("SignersDocument", $0) },
            try attributes(signature, record, leaf, &objects),
            leaf.map { leaf in
                ReportElement(
                    "SignerInformation", ReportElement("SignerCertificate", "VOReference", leaf),
                    signature.signer.map { ReportElement("Signer", text: $0.subject) })
            },
            signature.qualification.map {
                ReportElement(
                    "SignatureQuality",
                    ReportElement(
                        "SignatureQualityInformation",
                        text: "urn:cef:dss:signatureQualification:"
                            + $0.level.filter { $0 != " " }))
            },
            ReportElement(
                "SignatureValidationProcess",
                ReportElement(
                    "SignatureValidationProcessID",
                    text: Self.etsi + "validationprocess:" + Self.process(signature.level))),
            status(
                signature, chain: chain, identifier: identifier,
                evidence: try record.evidence.map { try objects.add($0) }), information(signature))
    }

    private static func process(_ level: SignatureLevel?) -> String {
        guard let level, level >= .t else { return "Basic" }
        return level >= .lta ? "LTA" : "LTVM"
    }

    private static func hash(_ value: [UInt8], _ digest: DigestAlgorithm?) throws -> ReportElement?
    {
        guard let uri = digest.flatMap(AlgorithmURI.digest) else { return nil }
        return ReportElement(
            "DigestAlgAndValue", ReportElement("ds:DigestMethod", "Algorithm", uri),
            ReportElement("ds:DigestValue", text: Base64.encode(value)))
    }

    private func identifier(
        _ name: String, _ record: SignatureRecord, _ digest: DigestAlgorithm?,
        _ signature: VerifiedSignature
    ) throws -> ReportElement {
        let signed = try record.signedAttributes.flatMap { attributes in
            try digest.flatMap { try Self.hash($0.hash(attributes), $0) }
        }
        return ReportElement(
            "SignatureIdentifier", "id", name,
            signed, ReportElement("ds:SignatureValue", text: Base64.encode(record.value)),
            ReportElement("HashOnly", text: "false"),
            ReportElement("DocHashOnly", text: "false"),
            ReportElement("DAIdentifier", text: signature.field))
    }

    private func times(
        _ signature: VerifiedSignature, _ objects: inout ValidationObjects
    ) throws -> ReportElement {
        // The proof is the signature's own timestamp, or a later document timestamp.
        let proof = try signature.record.proof.map { try objects.add(.timestamp, $0) }
        return ReportElement(
            "ValidationTimeInfo", ReportElement("ValidationTime", text: time.description),
            ReportElement(
                "BestSignatureTime",
                ReportElement("POETime", text: (signature.provenTime ?? time).description),
                ReportElement("TypeOfProof", text: Self.etsi + "poetype:validation"),
                proof.map { ReportElement("POEObject", "VOReference", $0) }))
    }

    // MARK: Attributes

    private func attributes(
        _ signature: VerifiedSignature, _ record: SignatureRecord, _ leaf: String?,
        _ objects: inout ValidationObjects
    ) throws -> ReportElement? {
        let isPDF = signature.subfilter != nil
        func signed(_ name: String, _ value: ReportElement) -> ReportElement {
            ReportElement(name, "Signed", "true", value)
        }
        var stamp: ReportElement?
        if let token = record.token, let time = signature.timestamp?.time {
            stamp = ReportElement(
                "SignatureTimeStamp", "Signed", "false",
                ReportElement("AttributeObject", "VOReference", try objects.add(.timestamp, token)),
                ReportElement("TimeStampValue", text: time.description))
        }
        let element = ReportElement(
            "SignatureAttributes",
            signature.claimedTime.map {
                signed("SigningTime", ReportElement("Time", text: $0.description))
            },
            leaf.map {
                signed("SigningCertificate", ReportElement("AttributeObject", "VOReference", $0))
            },
            signature.location.map {
                signed("SignatureProductionPlace", ReportElement("AddressString", text: $0))
            }, stamp,
            // If the signature is intact, its message-digest attribute equals the computed hash.
            record.signedAttributes == nil || !signature.intact
                ? nil
                : record.contentDigest.map {
                    signed("MessageDigest", ReportElement("Digest", text: Base64.encode($0)))
                },
            signature.reason.map { signed("Reason", ReportElement("ReasonElement", text: $0)) },
            signature.name.map { signed("Name", ReportElement("NameElement", text: $0)) },
            isPDF
                ? signature.subfilter.map {
                    signed("SubFilter", ReportElement("SubFilterElement", text: $0))
                } : nil,
            record.byteRange.map { range in
                ReportElement("ByteRange", text: range.map(String.init).joined(separator: " "))
            })
        return element.isEmpty ? nil : element
    }

    private func chain(
        _ record: SignatureRecord, _ objects: inout ValidationObjects
    ) throws -> [ReportElement?] {
        guard !record.chain.isEmpty else { return [] }
        let names = try record.chain.map { try objects.add(.certificate, $0) }
        let anchor = record.isAnchored ? names.last : nil
        let between = names.dropFirst().dropLast(anchor == nil || names.count == 1 ? 0 : 1)
        return [
            anchor.map { ReportElement("TrustAnchor", "VOReference", $0) },
            ReportElement(
                "CertificateChain",
                [ReportElement("SigningCertificate", "VOReference", names[0])]
                    + between.map { ReportElement("IntermediateCertificate", "VOReference", $0) }
                    + [anchor.map { ReportElement("TrustAnchor", "VOReference", $0) }]),
        ]
    }
}
