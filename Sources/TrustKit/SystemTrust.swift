package import CryptoBridge

/// Where a system keeps its trust anchors.
package struct SystemTrust: Sendable {
    /// Looks at the file system; a parameter so that tests need none.
    package struct Probe: Sendable {
        package let isDirectory: @Sendable (String) -> Bool
        package let isFile: @Sendable (String) -> Bool

        package init(
            isDirectory: @escaping @Sendable (String) -> Bool,
            isFile: @escaping @Sendable (String) -> Bool
        ) {
            self.isDirectory = isDirectory
            self.isFile = isFile
        }
    }

    /// Directories of hashed certificates, then bundles, of the distributions.
    package static let directories = ["/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/openssl/certs"]
    package static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// The anchors that `SSL_CERT_FILE` and `SSL_CERT_DIR` name, else the distribution's. Only
    /// Debian's directory and SUSE's are hashed for certain; there nothing is read but the issuer
    /// that is sought. A bundle is read whole and skimmed.
    package static func anchors(
        certificateFile: String?, certificateDirectory: String?, probe: Probe
    ) -> TrustAnchors {
        var parts: [TrustAnchors] = []
        if let file = certificateFile, !file.isEmpty, probe.isFile(file) {
            parts.append(.file(file))
        }
        if let list = certificateDirectory, !list.isEmpty {
            for path in list.split(separator: ":").map(String.init) where probe.isDirectory(path) {
                parts.append(.hashedDirectory(path))
            }
        }
        if certificateFile?.isEmpty == false || certificateDirectory?.isEmpty == false {
            return .combined(parts)
        }
        // Fedora's directory of that name holds only bundles, so a bundle decides there.
        if probe.isDirectory(directories[0]), !probe.isFile(bundles[1]) {
            return .hashedDirectory(directories[0])
        }
        if let bundle = bundles.first(where: probe.isFile) { return .file(bundle) }
        if let directory = directories.first(where: probe.isDirectory) {
            return .hashedDirectory(directory)
        }
        return .combined([])
    }
}
