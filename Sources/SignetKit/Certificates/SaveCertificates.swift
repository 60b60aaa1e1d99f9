import Base
import CryptoBridge
import SystemBridge

/// Writes the certificates in a verified file, one PEM file each. They are not necessarily trusted.
public struct SaveCertificates: Sendable {
    private let folder: String
    private let replacesExisting: Bool
    private let chain: [String]

    /// Maximum length of the subject in a file name, in bytes.
    private static let nameByteLimit = 60
    private static let fingerprintDigitCount = 8

    /// - Parameters:
    ///   - folder: created if it does not exist.
    ///   - chain: files with given intermediate certificates, which are saved too.
    public init(into folder: String, replacesExisting: Bool, chain: [String] = []) {
        self.folder = folder
        self.replacesExisting = replacesExisting
        self.chain = chain
    }

    /// - Returns: the paths of written files, and of identical existing ones.
    /// - Throws: ``SignetError``; then no file was replaced, and no partial file exists.
    public func run(_ report: VerifiedDocument) throws -> [String] {
        var certificates: [Certificate] = []
        let found = report.certificates.compactMap { try? Certificate(der: $0) }
        for certificate in try found + TrustSettings.certificates(chain)
        where !certificates.contains(certificate) {
            certificates.append(certificate)
        }
        try writing(folder) { try FileSystem.makeFolder(folder) }
        let outputs = try certificates.map { certificate in
            let name = Self.name(
                of: certificate.displayName, sha256: Hex.encode(try certificate.sha256))
            return (certificate, folder + (folder.hasSuffix("/") ? "" : "/") + name)
        }
        let missing = try outputs.filter { try !isThere($0, at: $1) }
        // All files are prepared before the first gets its name.
        let prepared = try missing.map { certificate, path in
            let output = try Destination(path: path, replacesExisting: replacesExisting).output()
            try writing(path) { try output.write(certificate.pem) }
            return output
        }
        for output in prepared { try writing(output.path) { try output.commit() } }
        return outputs.map(\.1)
    }

    /// Whether an identical file exists.
    private func isThere(_ certificate: Certificate, at path: String) throws -> Bool {
        guard FileSystem.isRegularFile(path) else { return false }
        defer { RunFiles.lookedAt(path) }
        return (try? FileSystem.readAll(path, limit: Certificate.byteLimit * 2)) == certificate.pem
    }

    /// `Example-Root-CA-1a2b3c4d.crt`: the subject's name, limited to characters safe in file
    /// names, and the beginning of the SHA-256, which distinguishes equal names.
    public static func name(of subject: String, sha256: String) -> String {
        var name = ""
        for character in subject {
            let isPlain = character.isLetter || character.isNumber
            let next = isPlain ? String(character) : name.isEmpty || name.hasSuffix("-") ? "" : "-"
            guard name.utf8.count + next.utf8.count <= nameByteLimit else { break }
            name += next
        }
        if name.hasSuffix("-") { name.removeLast() }
        return (name.isEmpty ? "" : name + "-") + sha256.prefix(fingerprintDigitCount) + ".crt"
    }
}
