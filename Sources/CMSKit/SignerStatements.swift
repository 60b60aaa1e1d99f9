package import Base
package import CryptoBridge

/// The statements of a signer in signed attributes (ETSI EN 319 122-1 §5.2).
package struct SignerStatements: Sendable {
    /// The rules under which the signer signed (§5.2.9).
    package struct Policy: Sendable {
        /// Nil for a policy that the content implies.
        package var identifier: OID?
        /// Algorithm of ``hash``.
        package var digestOID: OID?
        /// Hash of the policy document; nil if the signer gave none.
        package var hash: [UInt8]?
        package var address: String?

        package var digest: DigestAlgorithm? { digestOID.flatMap { DigestAlgorithm(oid: $0) } }

        package init(identifier: OID?) { self.identifier = identifier }
    }

    package var policy: Policy?
    package var commitments: [OID] = []
    package var roles: [String] = []
    /// The place of signing, from country to postal address; empty for none.
    package var location: [String] = []
    package var contentTimestamps: [[UInt8]] = []
    /// Names of attributes that cannot be read.
    package private(set) var unreadable: [String] = []

    package init() {}

    // MARK: Reading

    init(in attributes: [CMSAttribute]) {
        contentTimestamps = attributes.values(.contentTimeStamp)
        var failed: [String] = []
        func read(_ oid: OID, _ name: String, _ body: (ASN1Node) throws(CMSError) -> Void) {
            for value in attributes.values(oid) {
                guard let node = ASN1Node.parse(value, .ber), (try? body(node)) != nil else {
                    failed.append(name)
                    continue
                }
            }
        }
        read(.signaturePolicy, "signature-policy-identifier") { node throws(CMSError) in
            policy = try Policy(node)
        }
        read(.commitmentType, "commitment-type-indication") { node throws(CMSError) in
            var reader = try NodeReader(node, ASN1Tag.sequence, "commitment-type-indication")
            commitments.append(try reader.next().objectIdentifier("the commitment"))
        }
        read(.signerLocation, "signer-location") { node throws(CMSError) in
            location = try Self.texts(in: node)
            guard !location.isEmpty else { throw CMSError(.malformed, "signer-location is empty") }
        }
        for (oid, name) in [
            (OID.signerAttributesV2, "signer-attributes-v2"),
            (.signerAttributes, "signer-attributes"),
        ] {
            read(oid, name) { node throws(CMSError) in
                var reader = try NodeReader(node, ASN1Tag.sequence, name)
                for claimed in try reader.parts(
                    if: ASN1Tag.context(0), name, limit: CMSLimits.attributeCount)
                {
                    var list = try NodeReader(claimed, ASN1Tag.sequence, name)
                    for attribute in try list.rest(limit: CMSLimits.attributeCount) {
                        for value in try CMSAttribute(attribute).values {
                            guard let node = ASN1Node.parse(value, .ber) else { continue }
                            roles += try Self.texts(in: node)
                        }
                    }
                }
            }
        }
        unreadable = failed
    }

    /// Texts of a structure, in sequence. Tags of optional parts are skipped.
    private static func texts(in node: ASN1Node) throws(CMSError) -> [String] {
        if let text = node.directoryText { return [text] }
        guard node.isConstructed else { return [] }
        var reader = try NodeReader(node, node.tag, "the text")
        var texts: [String] = []
        for part in try reader.rest(limit: CMSLimits.attributeValueCount) {
            texts += try Self.texts(in: part)
        }
        return texts
    }

    // MARK: Writing

    /// The signed attributes; a policy without a hash has one zero byte instead, which stands for an
    /// unknown hash (RFC 5126 §5.8.1).
    ///
    /// - Parameter digest: the algorithm of the policy's hash.
    package func attributes(_ digest: DigestAlgorithm) -> [CMSAttribute] {
        func utf8(_ text: String) -> [UInt8] {
            DERWriter.element(ASN1Tag.utf8String, Array(text.utf8))
        }
        var attributes: [CMSAttribute] = []
        func add(_ oid: OID, _ values: [[UInt8]]) {
            attributes.append(CMSAttribute(oid: oid, values: values))
        }
        if let policy, let identifier = policy.identifier {
            let hash = DERWriter.sequence(
                digest.identifier.encoded, DERWriter.octets(policy.hash ?? [0]))
            add(
                .signaturePolicy,
                [DERWriter.sequence(DERWriter.objectIdentifier(identifier), hash)])
        }
        if !commitments.isEmpty {
            add(
                .commitmentType,
                commitments.map { DERWriter.sequence(DERWriter.objectIdentifier($0)) })
        }
        if !roles.isEmpty {
            // X.520: the position or function of a person is a title.
            let claimed = CMSAttribute(oid: .title, values: roles.map(utf8)).encoded
            add(
                .signerAttributesV2,
                [
                    DERWriter.sequence(
                        DERWriter.element(ASN1Tag.context(0), DERWriter.sequence(claimed)))
                ])
        }
        if !location.isEmpty {
            let place = DERWriter.element(
                ASN1Tag.context(1), utf8(location.joined(separator: ", ")))
            add(.signerLocation, [DERWriter.sequence(place)])
        }
        for token in contentTimestamps { add(.contentTimeStamp, [token]) }
        return attributes
    }
}

extension SignerStatements.Policy {
    /// SignaturePolicy ::= CHOICE { signaturePolicyId SEQUENCE {
    ///     sigPolicyId OID, sigPolicyHash OtherHashAlgAndValue OPTIONAL,
    ///     sigPolicyQualifiers SEQUENCE OF OPTIONAL }, signaturePolicyImplied NULL }
    fileprivate init(_ node: ASN1Node) throws(CMSError) {
        let name = "signature-policy-identifier"
        guard node.isConstructed else {
            self.init(identifier: nil)
            return
        }
        var reader = try NodeReader(node, ASN1Tag.sequence, name)
        self.init(identifier: try reader.next().objectIdentifier(name))
        guard !reader.isAtEnd else { return }
        var hashed = try NodeReader(try reader.next(), ASN1Tag.sequence, name)
        digestOID = try AlgorithmIdentifier(try hashed.next(), name).oid
        let value = try hashed.next().octets(name)
        hash = value.allSatisfy { $0 == 0 } ? nil : value
        guard !reader.isAtEnd else { return }
        var qualifiers = try NodeReader(try reader.next(), ASN1Tag.sequence, name)
        for qualifier in try qualifiers.rest(limit: CMSLimits.attributeValueCount) {
            var parts = try NodeReader(qualifier, ASN1Tag.sequence, name)
            guard try parts.next().objectIdentifier(name) == .policyAddress, !parts.isAtEnd else {
                continue
            }
            address = try parts.next().directoryText
        }
    }

    /// The hashes that may stand for a policy document: of its bytes, and of a policy in ASN.1 without
    /// its outer tag and hash (ETSI TR 102 272 §4, RFC 3125 §3.1). The last one is the one to sign.
    package static func hashes(
        of document: [UInt8], _ digest: DigestAlgorithm
    ) throws(CryptoError) -> [[UInt8]] {
        let whole = try digest.hash(document)
        guard let node = ASN1Node.parse(document, .der),
            var reader = try? NodeReader(node, ASN1Tag.sequence, "a policy"),
            let algorithm = try? reader.next(),
            (try? AlgorithmIdentifier(algorithm, "a policy")) != nil,
            let info = try? reader.next(), info.tag == ASN1Tag.sequence
        else { return [whole] }
        return [whole, try digest.hash(algorithm.bytes + info.bytes)]
    }

    /// The problem if this is not the policy with the given document; nil if the hash matches.
    package static func problem(
        with policy: Self?, _ document: [UInt8]
    ) throws(CryptoError) -> VerificationProblem? {
        guard let policy else {
            return .doubt(
                .signaturePolicyMismatch, "the signature names no signature policy",
                .signatureConstraintsFailure)
        }
        guard let hash = policy.hash, let digest = policy.digest else {
            return .doubt(
                .signaturePolicyMismatch,
                "the signature contains no hash of its policy, so the policy file was not compared",
                .signatureConstraintsFailure)
        }
        return try hashes(of: document, digest).contains(hash)
            ? nil
            : .doubt(
                .signaturePolicyMismatch,
                "the policy file is not the signature policy \(policy.identifier?.description ?? "")"
                    + " (digest mismatch)", .signatureConstraintsFailure)
    }
}

extension ASN1Node {
    /// The text of a DirectoryString or IA5String; nil for other elements.
    fileprivate var directoryText: String? {
        switch tag {
        case ASN1Tag.utf8String, ASN1Tag.printableString, ASN1Tag.ia5String:
            String(decoding: content, as: UTF8.self)
        case ASN1Tag.teletexString: String(decoding: content.map(UInt16.init), as: UTF16.self)
        case ASN1Tag.bmpString:
            String(
                decoding: stride(from: content.startIndex, to: content.endIndex - 1, by: 2).map {
                    UInt16(content[$0]) << 8 | UInt16(content[$0 + 1])
                }, as: UTF16.self)
        default: nil
        }
    }
}
