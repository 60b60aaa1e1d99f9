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

/// Names folded for comparison (RFC 5280 §7.1): ASCII in lower case, runs of spaces as one, every
/// string type as UTF-8.
enum CanonicalName {
    static func fold(_ der: ArraySlice<UInt8>) -> [UInt8] {
        var folded: [UInt8] = []
        guard var names = ASN1Reader.single(der, .definite)?.reader else { return Array(der) }
        while let set = names.next() {
            var attributes = set.reader
            while let attribute = attributes.next() {
                var parts = attribute.reader
                guard let type = parts.next(), let value = parts.next() else { return Array(der) }
                folded += type.whole
                folded += fold(value)
                folded.append(0)
            }
            folded.append(1)
        }
        return folded
    }

    private static func fold(_ value: ASN1Node) -> [UInt8] {
        let text: [UInt8]
        switch value.tag {
        case 0x0C, 0x12, 0x13, 0x16, 0x1A: text = Array(value.content)
        case 0x14, 0x1C, 0x1E:
            guard
                let decoded = DistinguishedName.text(value.tag, value.content)
            else { return Array(value.whole) }
            text = Array(decoded.utf8)
        default: return Array(value.whole)
        }
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count)
        for byte in text {
            switch byte {
            case 0x09...0x0D, 0x20: if let last = folded.last, last != 0x20 { folded.append(0x20) }
            case 0x41...0x5A: folded.append(byte + 0x20)
            default: folded.append(byte)
            }
        }
        if folded.last == 0x20 { folded.removeLast() }
        return folded
    }
}
