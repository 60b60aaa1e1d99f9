import CryptoBridge
import FileBridge
import TrustKit

/// Whom verification believes.
struct TrustSettings {
    let validator: PathValidator
    /// The one certificate that counts as signer; nil for any.
    let pinned: Certificate?

    /// - Parameters:
    ///   - trust: files or folders of trust anchors; none means the system's.
    ///   - signer: a file with the one certificate that counts as signer. Without `trust` it is
    ///     trusted, without a path to an anchor.
    ///   - revocationLists: files with revocation lists.
    ///   - fetcher: fetches revocation data that is missing; nil is no access to the network.
    init(
        trust: [String], signer: String?, revocationLists: [String] = [],
        fetcher: RevocationFetcher? = nil
    ) throws {
        pinned = try signer.map { try Self.single($0) }
        var validator = PathValidator(
            anchors: try trust.isEmpty && pinned != nil
                ? .certificates([pinned].compactMap { $0 }) : Self.anchors(trust))
        validator.evidence = RevocationEvidence(
            lists: try revocationLists.map(Self.revocationList), responses: [])
        validator.source = fetcher
        self.validator = validator
    }

    private static func revocationList(_ path: String) throws -> RevocationList {
        let bytes = try reading(path) {
            try FileSystem.readAll(path, limit: RevocationList.byteLimit)
        }
        guard let list = RevocationList(bytes) else {
            throw SignetError(
                .malformedInput, file: path, "is no revocation list that can be used",
                hint: "give a whole list as PEM or DER, no delta and no indirect one")
        }
        return list
    }

    private static func single(_ path: String) throws -> Certificate {
        let certificates = try SigningCredential.readCertificates(path)
        guard certificates.count == 1 else {
            throw SignetError(
                .usage, file: path, "holds \(certificates.count) certificates",
                hint: "--signer takes a file with one certificate")
        }
        return certificates[0]
    }

    private static func anchors(_ paths: [String]) throws -> TrustAnchors {
        guard !paths.isEmpty else {
            return SystemTrust.anchors(
                certificateFile: ProcessEnvironment.string("SSL_CERT_FILE"),
                certificateDirectory: ProcessEnvironment.string("SSL_CERT_DIR"),
                probe: SystemTrust.Probe(
                    isDirectory: { FileSystem.isDirectory($0) },
                    isFile: { FileSystem.exists($0) && !FileSystem.isDirectory($0) }))
        }
        var certificates: [Certificate] = []
        for path in paths {
            let files =
                FileSystem.isDirectory(path)
                ? try reading(path) { try FileSystem.list(path) }.map { "\(path)/\($0)" } : [path]
            for file in files where !FileSystem.isDirectory(file) {
                if files.count == 1 {
                    certificates += try SigningCredential.readCertificates(file)
                } else {
                    // A folder of anchors may hold other files as well.
                    certificates += (try? SigningCredential.readCertificates(file)) ?? []
                }
            }
        }
        guard !certificates.isEmpty else {
            throw SignetError(
                .malformedInput, file: paths[0], "holds no certificate",
                hint: "give the authority's certificate as PEM or DER")
        }
        return .certificates(certificates)
    }
}
