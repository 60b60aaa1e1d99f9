internal import Base
import CMSKit
import CryptoBridge
import SystemBridge

extension ShowFile {
    /// Describes a CMS message, or the certificates of a message without signers and content.
    func describeMessage(_ file: InputFile, path: String) throws -> [ShownArtefact] {
        let message = try MessageFile(file).message
        let certificates = message.certificates.compactMap { try? Certificate(der: $0) }
        if message.signers.isEmpty, message.content == nil, !certificates.isEmpty {
            return try certificates.map { .certificate(try ShownCertificate($0, file: path)) }
        }
        let checks = try SignedDataVerifier(
            profile: message.content == nil ? .detached : .attached
        ).verify(message)
        let signers = zip(message.signers, checks).map { info, check in
            ShownMessage.Signer(
                name: check.signer?.subject.description ?? Self.name(info.identifier),
                digest: check.digest?.rawValue ?? info.digestAlgorithm.oid.description,
                signatureAlgorithm: check.scheme?.name ?? info.signatureAlgorithm.oid.description,
                claimedTime: check.claimedTime?.moment,
                hasSignedAttributes: info.signedAttributesRaw != nil,
                hasTimestamp: !info.unsignedAttributes.all(.signatureTimeStamp).isEmpty,
                archiveTimestamps: info.unsignedAttributes.values(.archiveTimeStamp).count,
                statements: VerifiedStatements(shown: check.statements),
                location: check.statements.location.isEmpty
                    ? nil : check.statements.location.joined(separator: ", "),
                countersigners: check.countersignatures.isEmpty
                    ? nil : Self.countersigners(of: check))
        }
        return [
            .message(
                ShownMessage(
                    file: path,
                    contentType: message.contentType == .data
                        ? "data" : message.contentType.description,
                    contentByteCount: message.content?.count, signers: signers,
                    certificates: certificates.map { $0.subject.description },
                    revocationLists: message.revocationLists.count,
                    validationData: ShownValidationData(message)))
        ]
    }

    private static func countersigners(of check: SignatureCheck) -> [String] {
        check.countersignatures.flatMap { inner in
            [inner.signer?.subject.description ?? "unknown signer"] + countersigners(of: inner)
        }
    }

    private static func name(_ identifier: SignerInfo.Identifier) -> String {
        switch identifier {
        case .issuerAndSerial(let issuer, let serial):
            let name = (try? DistinguishedName(der: issuer))?.description ?? "an unknown issuer"
            return "serial \(Hex.encode(Array(serial.dropFirst(2)))) of \(name)"
        case .subjectKeyIdentifier(let identifier): return "key \(Hex.encode(identifier))"
        }
    }
}

extension ShownRevocationList {
    init(_ list: RevocationList, file: String) {
        self.init(
            file: file, issuer: list.issuer.description, thisUpdate: list.thisUpdate.moment,
            nextUpdate: list.nextUpdate?.moment, revoked: list.entryCount, number: list.numberHex,
            signatureAlgorithm: list.signatureAlgorithmName)
    }
}
