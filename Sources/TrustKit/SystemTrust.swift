package import CryptoBridge

package struct SystemTrust: Sendable {
    /// Access to the file system, replaceable in tests.
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

    /// Hashed directories, then bundles, of Linux distributions.
    package static let directories = ["/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/openssl/certs"]
    package static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// The trust anchors in `SSL_CERT_FILE` and `SSL_CERT_DIR`, else the distribution's. Only the
    /// directories of Debian and SUSE are always hashed; only the needed issuer is read there. A
    /// bundle is read completely, but only the needed certificates are parsed.
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
        // Fedora's directory of that name contains only bundles, so the bundle is used.
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
