internal import Base
package import CryptoBridge
import TextBridge

/// A document with a valid signature in the form of trusted lists (ETSI TS 119 612 §5.7 and annex
/// B; clause numbers from secondary sources). Tested with the lists of all countries since 2015.
///
/// One `ds:Signature` below the root with exactly two references: the document without the
/// signature, and the signed properties. Canonical XML without comments, RSA or ECDSA with SHA-2.
/// All other features of XML signatures are rejected. Trust in the signing key is not checked here.
package struct SignedList: Sendable {
    /// The digested bytes: the canonical document without its signature. The content of the list
    /// must only be read from these.
    package let octets: [UInt8]
    /// The signing certificate, identified by the signed properties.
    package let signer: Certificate

    private static let signatureName = XMLName("Signature", namespace: Namespace.signature)
    private static let propertiesPath = [
        signatureName, XMLName("Object", namespace: Namespace.signature),
        XMLName("QualifyingProperties", namespace: Namespace.xades),
        XMLName("SignedProperties", namespace: Namespace.xades),
    ]
    private static let parts = [
        CanonicalXML.Part([signatureName]),
        CanonicalXML.Part([
            signatureName, XMLName("SignedInfo", namespace: Namespace.signature),
        ]),
        CanonicalXML.Part(propertiesPath),
        CanonicalXML.Part(propertiesPath, .inclusive),
    ]

    /// Reads and verifies a signed list.
    ///
    /// - Parameter document: the received bytes, UTF-8 or another encoding that Expat supports.
    /// - Throws: ``TrustListError`` if the form or the signature is invalid.
    package init(_ document: [UInt8]) throws(TrustListError) {
        do {
            let canonical = try CanonicalXML(
                of: document, omitting: Self.signatureName, parts: Self.parts,
                byteLimit: TrustListLimits.byteCount)
            guard canonical.root == XMLName("TrustServiceStatusList", namespace: Namespace.list)
            else {
                throw TrustListError(
                    .malformed,
                    "is not a trusted list: its root element is \(canonical.root.local.prefix(64))"
                )
            }
            self = try SignatureForm(canonical).verified()
        } catch let error as XMLError {
            throw TrustListError(error)
        } catch let error as TrustListError {
            throw error
        } catch {
            throw TrustListError(.signatureInvalid, "\(error)")
        }
    }

    init(octets: [UInt8], signer: Certificate) {
        self.octets = octets
        self.signer = signer
    }
}

extension TrustListError {
    init(_ error: XMLError) {
        let code: Code =
            switch error.code {
            case .parserMissing: .parserMissing
            case .limitExceeded: .limitExceeded
            case .unexpected: .signatureForm
            case .malformed, .declarationRefused, .unsupported: .malformed
            }
        self.init(code, error.detail)
    }
}

/// The parts of a signature, read only from canonical bytes.
private struct SignatureForm {
    private let document: CanonicalXML.Form
    private let exclusiveProperties: CanonicalXML.Form
    private let inclusiveProperties: CanonicalXML.Form
    private let signedInfoOctets: [UInt8]
    private let signature: XMLNode
    private let signedInfo: XMLNode

    init(_ canonical: CanonicalXML) throws {
        guard let whole = canonical.parts[0], let info = canonical.parts[1] else {
            throw TrustListError(.signatureForm, "it is not signed")
        }
        guard let exclusive = canonical.parts[2], let inclusive = canonical.parts[3] else {
            throw TrustListError(.signatureForm, "its signature has no signed properties")
        }
        document = canonical.document
        exclusiveProperties = exclusive
        inclusiveProperties = inclusive
        signedInfoOctets = info.octets
        signature = try XMLTreeReader.tree(of: whole.octets)
        signedInfo = try XMLTreeReader.tree(of: info.octets)
    }

    func verified() throws -> SignedList {
        guard algorithm(in: signedInfo, "CanonicalizationMethod") == XMLAlgorithm.exclusive,
            signedInfo.children.count == 4
        else { throw form("its canonicalization method is not exclusive XML canonicalization") }
        let references = signedInfo.all("Reference", in: Namespace.signature)
        guard references.count == 2 else {
            throw form("its signature has \(references.count) references, not 2")
        }
        let propertyOctets = try checkReferences(references)
        let properties = try XMLTreeReader.tree(of: propertyOctets)
        guard
            let signed = properties.only("SignedSignatureProperties", in: Namespace.xades)
        else { throw form("its signed properties are not those of XAdES") }
        let signer = try signer(signed)
        try checkValue(signer)
        let time = signed.only("SigningTime", in: Namespace.xades).flatMap {
            CalendarTime(xmlDateTime: $0.trimmed)
        }
        if let time, !signer.isValid(at: time) {
            throw TrustListError(
                .signatureInvalid,
                "it was signed on \(time.text), when the signing certificate was not valid")
        }
        return SignedList(octets: document.octets, signer: signer)
    }

    private func form(_ detail: String) -> TrustListError { TrustListError(.signatureForm, detail) }

    private func algorithm(in node: XMLNode, _ name: String) -> String? {
        node.only(name, in: Namespace.signature)?[attribute: "Algorithm"]
    }

    // MARK: References (XML Signature §4.4.3)

    private func checkReferences(_ references: [XMLNode]) throws -> [UInt8] {
        var isDocumentSigned = false
        var properties: [UInt8]?
        for reference in references {
            let transforms = try transforms(reference)
            let octets: [UInt8]
            if transforms == [XMLAlgorithm.enveloped, XMLAlgorithm.exclusive], !isDocumentSigned,
                isToDocument(reference[attribute: "URI"])
            {
                isDocumentSigned = true
                octets = document.octets
            } else if properties == nil, isToProperties(reference) {
                switch transforms {
                case [XMLAlgorithm.exclusive]: octets = exclusiveProperties.octets
                // Without transforms, inclusive canonical XML applies (XML Signature §4.4.3.2), as
                // in lists of Austria and Liechtenstein.
                case []: octets = inclusiveProperties.octets
                default: throw form("its signed properties are transformed")
                }
                properties = octets
            } else {
                throw form("its signature has an unexpected reference")
            }
            try checkDigest(reference, of: octets)
        }
        guard isDocumentSigned, let properties else {
            throw form("its signature does not cover both the list and the signed properties")
        }
        return properties
    }

    private func isToDocument(_ uri: String?) -> Bool {
        uri == "" || document.id != nil && uri == "#" + (document.id ?? "")
    }

    private func isToProperties(_ reference: XMLNode) -> Bool {
        guard let id = exclusiveProperties.id else { return false }
        return reference[attribute: "URI"] == "#" + id
            && reference[attribute: "Type"] == "http://uri.etsi.org/01903#SignedProperties"
    }

    private func transforms(_ reference: XMLNode) throws -> [String] {
        let lists = reference.all("Transforms", in: Namespace.signature)
        guard lists.count <= 1 else { throw form("a reference has several lists of transforms") }
        return try (lists.first?.children ?? []).map { transform in
            guard transform.name == XMLName("Transform", namespace: Namespace.signature),
                transform.children.isEmpty, let algorithm = transform[attribute: "Algorithm"]
            else { throw form("a transform has parameters") }
            return algorithm
        }
    }

    private func checkDigest(_ reference: XMLNode, of octets: [UInt8]) throws {
        guard let digest = algorithm(in: reference, "DigestMethod").flatMap(XMLAlgorithm.digest),
            Self.digests.contains(digest)
        else { throw form("its digest algorithm is not SHA-2") }
        guard let value = reference.only("DigestValue", in: Namespace.signature)?.base64 else {
            throw form("a digest cannot be read")
        }
        guard try digest.hash(octets) == value else {
            let what = octets == document.octets ? "the list" : "the signed properties"
            throw TrustListError(
                .signatureInvalid, "digest mismatch: \(what) was modified after signing")
        }
    }

    // MARK: The signer

    /// The certificate identified by the digest in the signed properties. SHA-1 is acceptable here:
    /// the certificate must also be one of the permitted signers.
    private func signer(_ properties: XMLNode) throws -> Certificate {
        let named =
            properties.all("SigningCertificateV2", in: Namespace.xades)
            + properties.all("SigningCertificate", in: Namespace.xades)
        guard named.count == 1,
            let digestNode = named[0].first("Cert", in: Namespace.xades)?
                .only("CertDigest", in: Namespace.xades),
            let digest = algorithm(in: digestNode, "DigestMethod").flatMap(XMLAlgorithm.digest),
            Self.digests.contains(digest) || digest == .sha1,
            let value = digestNode.only("DigestValue", in: Namespace.signature)?.base64
        else { throw form("its signed properties do not name one signing certificate") }
        let carried = signature.all("KeyInfo", in: Namespace.signature)
            .flatMap { $0.all("X509Data", in: Namespace.signature) }
            .flatMap { $0.all("X509Certificate", in: Namespace.signature) }
            .prefix(Self.certificateLimit)
        for node in carried {
            guard let der = node.base64, try digest.hash(der) == value else { continue }
            return try Certificate(der: der)
        }
        throw form("it does not contain its signing certificate")
    }

    private static let certificateLimit = 16

    private func checkValue(_ signer: Certificate) throws {
        guard let method = algorithm(in: signedInfo, "SignatureMethod"),
            let scheme = XMLAlgorithm.signature(method),
            scheme.digest.map(Self.digests.contains) == true
        else { throw form("its signature algorithm is not RSA or ECDSA with SHA-2") }
        guard let written = signature.only("SignatureValue", in: Namespace.signature)?.base64 else {
            throw form("its signature's value cannot be read")
        }
        let isValid = try XMLAlgorithm.verify(
            written, scheme, signer.publicKey, over: signedInfoOctets)
        guard isValid == true else {
            throw TrustListError(
                .signatureInvalid,
                isValid == nil
                    ? "its signature has the wrong length or algorithm for its certificate"
                    : "its signature does not match its certificate")
        }
    }

    private static let digests: Set<DigestAlgorithm> = [.sha256, .sha384, .sha512]
}

extension CalendarTime {
    /// Parses `xs:dateTime`; without an offset the time is UTC.
    package init?(xmlDateTime text: String) {
        if let time = CalendarTime(rfc3339: text) {
            self = time
        } else if let time = CalendarTime(rfc3339: text + "Z") {
            self = time
        } else {
            return nil
        }
    }
}
