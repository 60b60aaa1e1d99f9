import SignetKit
import SignetTestSupport

/// A throwaway key and certificate in a folder of their own.
struct Signer {
    let folder: TemporaryFolder
    let credential: SigningCredential
    let certificateFile: String

    /// 2026-01-01, inside the validity of every certificate made here.
    static let signingTime = Moment(secondsSinceEpoch: 1_767_225_600)

    init(
        keyType: String = "ec:P-256", subject: String = "CN=Jan Novák,O=Firma,C=CZ",
        profile: CertificateProfile = .signer
    ) throws {
        folder = try TemporaryFolder()
        let keyFile = folder.file("key.pem")
        certificateFile = folder.file("cert.pem")
        _ = try GenerateKey(type: keyType).run(into: Destination(path: keyFile), passphrase: nil)
        var task = CreateCertificate(profile: profile)
        task.subject = subject
        task.notBefore = Self.signingTime.adding(.seconds(-86_400))
        _ = try task.run(
            certifying: .key(file: keyFile, passphrase: .environment("UNSET")),
            into: Destination(path: certificateFile))
        credential = try SigningCredential(
            keyFile: keyFile, certificateFile: certificateFile, passphrase: .environment("UNSET"))
    }

    /// Signs `bytes` and gives the signed file's bytes.
    func sign(
        _ bytes: [UInt8], password: DocumentPassword? = nil,
        _ change: (inout SigningOptions) -> Void = { _ in }
    ) throws -> [UInt8] {
        let input = try folder.write("in.pdf", bytes)
        var options = SigningOptions()
        options.claimedTime = Self.signingTime
        change(&options)
        _ = try SignDocument(credential: credential, options: options, password: password).run(
            .file(input), into: Destination(path: folder.file("out.pdf"), replacesExisting: true))
        return try folder.read("out.pdf")
    }

    /// What `show` says about the encryption.
    func show(_ bytes: [UInt8], password: DocumentPassword?) throws -> ShownPDF.Encryption {
        guard let encryption = try shown(bytes, password: password).encryption else {
            throw SignetError(.malformedInput, "no encrypted PDF")
        }
        return encryption
    }

    /// What `show` says of a document that may look otherwise to others.
    func doubts(_ bytes: [UInt8], password: DocumentPassword?) throws -> [String] {
        try shown(bytes, password: password).dynamicContent.findings.map(\.message)
    }

    private func shown(_ bytes: [UInt8], password: DocumentPassword?) throws -> ShownPDF {
        let file = try folder.write("show.pdf", bytes)
        let shown = try ShowFile(passphrase: .environment("UNSET"), password: password).run(
            .file(file))
        guard case .pdf(let pdf)? = shown.first else {
            throw SignetError(.malformedInput, "not a PDF")
        }
        return pdf
    }

    func verify(
        _ bytes: [UInt8], trusted: Bool = true, password: DocumentPassword? = nil
    ) throws -> VerifiedDocument {
        let file = try folder.write("check.pdf", bytes)
        let stranger = try Signer()
        return try withExtendedLifetime(stranger) {
            try VerifyDocument(
                VerificationOptions(
                    trust: [trusted ? certificateFile : stranger.certificateFile],
                    time: Self.signingTime), password: password
            ).run(.file(file))
        }
    }
}
