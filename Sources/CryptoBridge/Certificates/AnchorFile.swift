internal import Base
internal import COpenSSL
import Synchronization

/// A file of trust anchors: the bundle of a Linux distribution holds some 150 certificates.
enum AnchorFile {
    static let byteLimit = 67_108_864

    /// The certificates in the PEM file at `path` that may be issuers in a chain above `sought`:
    /// their subject is an issuer or subject of `sought`, or of a certificate found this way.
    /// Blocks with OpenSSL trust settings are left out, since they may contain "reject".
    static func certificates(
        at path: String, above sought: [Certificate]
    ) throws(CryptoError) -> [Certificate] {
        var others = certificates(inBundle: try read(path))
        var needed: Set<[UInt8]> = []
        for certificate in sought {
            needed.formUnion([certificate.canonicalIssuer, certificate.canonicalSubject])
        }
        var found: [Certificate] = []
        while true {
            let count = found.count
            found += others.filter { needed.contains($0.canonicalSubject) }
            guard found.count > count else { return found }
            others.removeAll { needed.contains($0.canonicalSubject) }
            needed.formUnion(found[count...].map(\.canonicalIssuer))
        }
    }

    /// The bundle read last, and its certificates: parsing one takes 50 ms.
    private static let known = Mutex<(bytes: [UInt8], certificates: [Certificate])>(([], []))

    private static func certificates(inBundle bytes: [UInt8]) -> [Certificate] {
        if let found = known.withLock({ $0.bytes == bytes ? $0.certificates : nil }) {
            return found
        }
        let found = certificates(in: bytes)
        known.withLock { $0 = (bytes, found) }
        return found
    }

    /// A damaged certificate in a system bundle must not block the others.
    private static func certificates(in bytes: [UInt8]) -> [Certificate] {
        let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
        let oldBegin = Array("-----BEGIN X509 CERTIFICATE-----".utf8)
        let dash: UInt8 = 0x2D
        var certificates: [Certificate] = []
        var position = 0
        while let start = bytes[position...].firstIndex(of: dash) {
            let rest = bytes[start...]
            let header =
                rest.starts(with: begin)
                ? begin.count : rest.starts(with: oldBegin) ? oldBegin.count : 0
            guard header > 0 else {
                position = rest.firstIndex { $0 != dash } ?? bytes.count
                continue
            }
            let body = start + header
            let end = bytes[body...].firstIndex(of: dash) ?? bytes.count
            if let certificate = Base64.decode(bytes[body..<end]).flatMap({
                try? Certificate(der: $0)
            }) {
                certificates.append(certificate)
            }
            position = end
        }
        return certificates
    }

    private static func read(_ path: String) throws(CryptoError) -> [UInt8] {
        let file = try unsafe OpenSSL.require(
            BIO_new_file(path, "r"), "trust file \(path)", .malformedCertificate)
        defer { unsafe BIO_free(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 262_144)
        while true {
            let count = unsafe Int(BIO_read(file, &buffer, Int32(buffer.count)))
            guard count > 0 else { break }
            bytes += buffer[..<count]
            guard bytes.count <= byteLimit else {
                throw CryptoError(
                    .limitExceeded, "trust file \(path) has more than \(byteLimit) bytes")
            }
        }
        ERR_clear_error()
        return bytes
    }
}
