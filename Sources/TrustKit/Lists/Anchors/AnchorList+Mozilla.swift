import Base
import CryptoBridge

extension AnchorList {
    /// Reads Mozilla's certdata.txt: PKCS#11 objects as text. Certificates count if their trust
    /// object trusts them as issuers for e-mail, the only purpose in the list for which persons
    /// sign; trust for servers does not count. Distrust applies also to certificates that only
    /// their trust object names, by issuer and serial number or by hash. A trust object with a
    /// missing, repeated or unknown value distrusts.
    package init(certdata: [UInt8]) throws(TrustListError) {
        guard certdata.count <= TrustListLimits.byteCount else {
            throw TrustListError(.limitExceeded, "the list is too large")
        }
        var certificates: [PKCS11Object] = []
        var trusted: Set<[UInt8]> = []
        var distrusted: Set<[UInt8]> = []
        var distrustedHashes: Set<[UInt8]> = []
        guard certdata.last == 0x0A else {
            throw TrustListError(.malformed, "the list is incomplete: its last line has no end")
        }
        var reader = PKCS11TextReader(certdata)
        while let object = try reader.next(
            octetsOf: ["CKA_VALUE", "CKA_ISSUER", "CKA_SERIAL_NUMBER", Self.hash, Self.end],
            wordsOf: [Self.purpose, Self.end])
        {
            switch object.words["CKA_CLASS"] {
            case "CKO_CERTIFICATE": certificates.append(object)
            case "CKO_NSS_TRUST":
                guard let name = object.issuerAndSerial else {
                    throw TrustListError(
                        .malformed,
                        "a trust object names no certificate by issuer and serial number")
                }
                switch object.words[Self.purpose] {
                case Self.trustedIssuer: trusted.insert(name)
                case let value? where Self.neutral.contains(value): break
                default:
                    distrusted.insert(name)
                    if let hash = object.octets[Self.hash] { distrustedHashes.insert(hash) }
                }
            case "CKO_NSS_BUILTIN_ROOT_LIST": break
            case let other:
                throw TrustListError(
                    .malformed, "the list contains objects of the unknown class \(other ?? "")")
            }
            guard
                certificates.count + trusted.count + distrusted.count
                    <= TrustListLimits.serviceCount
            else {
                throw TrustListError(.limitExceeded, "the list has too many certificates")
            }
        }
        let known = certificates.compactMap { object in
            object.octets["CKA_VALUE"].flatMap { try? Certificate(der: $0) }
                .map { Self.anchor(object, $0) }
        }
        for certificate in known.map(\.certificate) {
            if let hash = try? DigestAlgorithm.sha1.hash(certificate.der),
                distrustedHashes.contains(hash)
            {
                distrusted.insert(certificate.issuerAndSerial)
            }
        }
        let accepted = trusted.subtracting(distrusted)
        let found = known.filter { accepted.contains($0.certificate.issuerAndSerial) }
        try self.init(found, distrusted: distrusted, certificates: known)
    }

    private static func anchor(_ object: PKCS11Object, _ certificate: Certificate) -> Anchor {
        var anchor = Anchor(certificate: certificate)
        // CK_FALSE for no limit, or a date in octets.
        let end = object.octets[Self.end]
        if end != nil || object.words[Self.end].map({ $0 != "CK_FALSE" }) ?? false {
            // A malformed date permits nothing.
            anchor.issuedUntil =
                CalendarTime(rfc3339: Self.rfc3339(end ?? []))
                ?? CalendarTime(secondsSinceEpoch: 0)
        }
        return anchor
    }

    private static let purpose = "CKA_TRUST_EMAIL_PROTECTION"
    private static let trustedIssuer = "CKT_NSS_TRUSTED_DELEGATOR"
    /// Neither trust nor distrust: the issuer decides.
    private static let neutral: Set = [
        "CKT_NSS_MUST_VERIFY_TRUST", "CKT_NSS_VALID_DELEGATOR", "CKT_NSS_TRUST_UNKNOWN",
        "CKT_NSS_TRUSTED",
    ]
    private static let hash = "CKA_CERT_SHA1_HASH"
    private static let end = "CKA_NSS_EMAIL_DISTRUST_AFTER"

    /// A UTCTime (RFC 5280 §4.1.2.5.1) as RFC 3339; empty if malformed.
    private static func rfc3339(_ time: [UInt8]) -> String {
        let text = String(decoding: time, as: UTF8.self)
        guard text.utf8.count == 13, text.hasSuffix("Z") else { return "" }
        let parts = (0..<6).map { text.dropFirst(2 * $0).prefix(2) }
        return
            "\(parts[0] < "50" ? "20" : "19")\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])Z"
    }
}

/// The required attributes of an object in certdata.txt.
private struct PKCS11Object {
    /// Values in one word, such as `CKO_CERTIFICATE`.
    var words: [String: String] = [:]
    var octets: [String: [UInt8]] = [:]

    /// Issuer and serial number; nil if malformed, since such values would match no certificate.
    var issuerAndSerial: [UInt8]? {
        guard let issuer = octets["CKA_ISSUER"], let serial = octets["CKA_SERIAL_NUMBER"],
            let number = ASN1Reader.single(serial[...], .der), number.tag == ASN1Tag.integer,
            number.isShortestInteger, ASN1Reader.single(issuer[...], .der) != nil,
            let name = try? DistinguishedName(der: issuer), !name.relativeNames.isEmpty
        else { return nil }
        return issuer + serial
    }
}

/// Reads objects one by one. A line is `NAME TYPE VALUE`; octets follow as `\ooo` until `END`.
private struct PKCS11TextReader {
    private let text: [UInt8]
    private var position = 0
    /// The class in the line before ``position``, which begins an object.
    private var begun: String?
    private static let multiline = "MULTILINE_OCTAL"
    /// The value of an attribute that occurs several times.
    private static let repeated = ""
    /// Longer lines are no attributes; octets have 64 characters a line.
    private static let lineByteLimit = 4096

    init(_ text: [UInt8]) { self.text = text }

    private mutating func nextLine() -> ArraySlice<UInt8>? {
        guard position < text.count else { return nil }
        let end = text[position...].firstIndex(of: 0x0A) ?? text.count
        defer { position = end + 1 }
        let line = text[position..<end]
        return line.last == 0x0D ? line.dropLast() : line
    }

    /// The next object; nil at the end.
    mutating func next(
        octetsOf wanted: Set<String>, wordsOf others: Set<String>
    ) throws(TrustListError) -> PKCS11Object? {
        var object = begun.map { PKCS11Object(words: ["CKA_CLASS": $0]) }
        begun = nil
        while let line = nextLine() {
            guard line.starts(with: "CKA_".utf8), line.count <= Self.lineByteLimit else {
                let isIgnored = object == nil || line.isEmpty || line.first == UInt8(ascii: "#")
                guard isIgnored else {
                    throw TrustListError(.malformed, "a line is not an attribute")
                }
                continue
            }
            let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
            guard words.count >= 2 else { continue }
            if words[0] == "CKA_CLASS", words.count > 2 {
                guard object != nil else {
                    object = PKCS11Object(words: [words[0]: words[2]])
                    continue
                }
                begun = words[2]
                return object
            }
            if words[1] == Self.multiline {
                let bytes = try octets()
                if wanted.contains(words[0]) { object?.octets[words[0]] = bytes }
            } else if words.count > 2, others.contains(words[0]) {
                let isFirst = object?.words[words[0]] == nil
                object?.words[words[0]] = isFirst ? words[2] : Self.repeated
            }
        }
        return object
    }

    private mutating func octets() throws(TrustListError) -> [UInt8] {
        var bytes: [UInt8] = []
        while let line = nextLine() {
            if line.elementsEqual("END".utf8) { return bytes }
            for digits in line.split(separator: UInt8(ascii: "\\")) {
                guard digits.count == 3,
                    let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
                else {
                    throw TrustListError(.malformed, "the octets of an attribute are malformed")
                }
                bytes.append(byte)
            }
        }
        throw TrustListError(.malformed, "the octets of an attribute have no end")
    }
}
