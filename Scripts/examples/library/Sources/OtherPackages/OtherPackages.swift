#if Certificates
    import Crypto
    import Foundation
    import SignetFoundation
    import SignetHTTP
    import SignetKit
    import SignetX509
    import X509

    @main
    enum OtherPackages {
        static func main() async throws {
            // A key and a certificate of swift-certificates sign the file of the first argument. The second
            // is the URL of a TSA, which async-http-client asks.
            let privateKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
            let subject = try DistinguishedName {
                CommonName("Jan Novák")
                CountryName("CZ")
            }
            let certificate = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(),
                publicKey: privateKey.publicKey,
                notValidBefore: Date.now - 60, notValidAfter: Date.now + 86_400, issuer: subject,
                subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true, nonRepudiation: true))
                }, issuerPrivateKey: privateKey)

            let transport = AsyncHTTPTransport()
            var tsa = TimestampOptions(servers: [CommandLine.arguments[2]])
            tsa.transport = transport
            let task = SignDocument(
                credential: try SigningCredential(key: privateKey, certificates: [certificate]),
                options: SigningOptions(), timestamps: try TimestampAuthorities(tsa))
            let signed = OutputBytes()
            let result = try await task.run(
                .file(URL(filePath: CommandLine.arguments[1])), into: Destination(signed))
            print("level \(result.level.rawValue)")
            try await transport.shutdown()

            let verified = try await VerifyDocument(VerificationOptions(roots: [certificate]))
                .run(.data(signed.data))
            for signature in verified.signatures {
                let signer = try signature.signer?.certificate()
                print(signature.verdict, signer?.subject.description ?? "", signer == certificate)
            }
        }
    }
#else
    @main
    enum OtherPackages {
        static func main() { print("add --traits Certificates") }
    }
#endif
