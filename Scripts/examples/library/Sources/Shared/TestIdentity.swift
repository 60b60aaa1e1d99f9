import SignetKit

/// A key and a self-signed certificate for trying the examples out.
public struct TestIdentity: Sendable {
    public let credential: SigningCredential
    /// DER of the certificate.
    public let certificate: [UInt8]

    /// - Parameter folder: receives `key.pem` and `cert.pem`.
    public init(in folder: String, profile: CertificateProfile = .signer) async throws {
        let (key, file) = ("\(folder)/key.pem", "\(folder)/cert.pem")
        credential = try await SignetThreads.run {
            _ = try GenerateKey(type: "ec:P-256").run(
                into: Destination(path: key, makesFolder: true), passphrase: nil)
            var task = CreateCertificate(profile: profile)
            task.subject = "CN=Jan Novák,O=Example,C=CZ"
            _ = try task.run(
                certifying: .key(file: key, passphrase: .environment("UNSET")),
                into: Destination(path: file))
            return try SigningCredential(
                keyFile: key, certificateFile: file, passphrase: .environment("UNSET"))
        }
        certificate = credential.certificates[0]
    }

    /// Trusts this certificate and no other.
    public var trust: VerificationOptions {
        var options = VerificationOptions()
        options.trustedCertificates = [certificate]
        return options
    }
}
