import Base
import CMSKit
import CryptoBridge
import SignetTestSupport
import Testing

@Suite("Certificates and requests")
struct CertificateTests {
    @Test func signerProfileSaysWhatSignersMayDo() throws {
        let root = try TestPKI.root()
        let signer = try TestPKI.issue(by: root).certificate
        #expect(signer.version == 3)
        #expect(signer.subject.description == "CN=Jan Novák,O=Firma,C=CZ")
        #expect(signer.issuer == root.certificate.subject)
        #expect(signer.keyUsage == [.digitalSignature, .nonRepudiation])
        #expect(signer.extendedKeyUsage == [OID.documentSigning, OID.emailProtection])
        #expect(!signer.isCA)
        #expect(signer.extensions.filter(\.isCritical).map(\.oid) == ["2.5.29.19", "2.5.29.15"])
        #expect(signer.subjectKeyIdentifier == (try signer.publicKey.keyIdentifier()))
        #expect(signer.notBefore == TestPKI.start)
        #expect(signer.notAfter == TestPKI.end)
        #expect(signer.isSigned(by: root.certificate))
        #expect(!signer.isSelfIssued)
        #expect(root.certificate.isSelfSigned && root.certificate.isCA)
        #expect(signer.serialDER.count <= 22 && signer.serialDER.count >= 21)
        #expect(signer.signatureDigest == .sha256)
    }

    @Test func timestampUsageIsCriticalAndAlone() throws {
        let tsa = try TestPKI.issue(by: TestPKI.root(), profile: .tsa).certificate
        #expect(tsa.extendedKeyUsage == [OID.timeStamping])
        #expect(tsa.extensions.contains { $0.isCritical && $0.oid == "2.5.29.37" })
    }

    @Test(arguments: [KeyType.rsa(bits: 2048), .ec(curve: .p384), .ed25519])
    func requestsProvePossession(type: KeyType) throws {
        let key = try PrivateKey.generate(type)
        var builder = CertificateRequestBuilder(
            subject: try DistinguishedName(rfc4514: "CN=Jan Novák,C=CZ"))
        builder.alternativeNames = [
            "email:jan@firma.cz", "dns:firma.cz", "ip:192.0.2.1", "ip:2001:db8::1",
            "upn:jan@firma.local", "rid:1.2.3.4", "dirname:CN=Jan,C=CZ",
        ]
        let request = try builder.signed(by: key)
        let again = try CertificateRequest.read(request.pem)
        #expect(try again.isSignatureValid)
        #expect(again.subject.description == "CN=Jan Novák,C=CZ")
        #expect(try again.publicKey == key.publicKey)
        #expect(again.keyUsage == [.digitalSignature, .nonRepudiation])
        #expect(again.extendedKeyUsage == [OID.documentSigning])
        #expect(
            again.subjectAlternativeNames == [
                "email:jan@firma.cz", "dns:firma.cz", "ip:192.0.2.1", "ip:2001:db8:0:0:0:0:0:1",
                "upn:jan@firma.local", "rid:1.2.3.4", "dn:CN=Jan,C=CZ",
            ])
        var forged = request.der
        forged[forged.count - 10] ^= 1
        #expect(try !CertificateRequest(der: forged).isSignatureValid)
    }

    @Test(arguments: [
        "email:a@b.cz,upn:x@y", "email:foo", "email:a b@c.cz", "uri:foo", "uri:https://", "upn:jan",
        "upn:a@b@c", "rid:1", "dirname:x", "dns:a..b", "ip:1.2.3", "phone:1", "foo", "email:",
    ])
    func refusesAlternativeNames(name: String) {
        #expect(throws: CryptoError(.malformedName, "")) { try GeneralNames.encode([name]) }
    }

    @Test func agreesWithOpenSSL() throws {
        guard let openssl = try ExternalTool.find("openssl") else { return }
        let root = try TestPKI.root()
        let signer = try TestPKI.issue(by: root)
        try ExternalTool.withFolder { folder in
            let file = "\(folder)/cert.pem"
            try ExternalTool.write(signer.certificate.pem, to: file)
            let shown = try ExternalTool.run(
                openssl,
                ["x509", "-in", file, "-noout", "-subject", "-nameopt", "RFC2253,-esc_msb,utf8"])
            #expect(
                String(decoding: shown.output, as: UTF8.self)
                    == "subject=CN=Jan Novák,O=Firma,C=CZ\n")
            let rootFile = "\(folder)/root.pem"
            try ExternalTool.write(root.certificate.pem, to: rootFile)
            let verified = try ExternalTool.run(
                openssl,
                [
                    "verify", "-x509_strict", "-attime",
                    "\(TestPKI.now.secondsSinceEpoch)", "-CAfile", rootFile, file,
                ])
            #expect(verified.status == 0, "\(verified.errors)")
            let key = "\(folder)/key.pem"
            let secret = SecretBytes(copying: Array("x y".utf8))
            try ExternalTool.write(try signer.key.pkcs8PEM(passphrase: secret).copyOut(), to: key)
            let checked = try ExternalTool.run(
                openssl, ["pkey", "-in", key, "-passin", "pass:x y", "-check", "-noout"])
            #expect(checked.status == 0, "\(checked.errors)")
        }
    }

    @Test func refusesTrailingBytesAndSurvivesDamage() throws {
        let der = try TestPKI.selfSigned().certificate.der
        #expect(throws: CryptoError(.malformedCertificate, "")) { try Certificate(der: der + [0]) }
        for index in der.indices {
            var damaged = der
            damaged[index] ^= 0x81
            guard let certificate = try? Certificate(der: damaged) else { continue }
            _ = certificate.subject.description
            _ = certificate.keyUsage
            _ = certificate.extendedKeyUsage
            _ = certificate.notAfter
            _ = certificate.subjectAlternativeNames
            _ = try? certificate.publicKey
        }
    }
}
