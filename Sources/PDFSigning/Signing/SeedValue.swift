package import Base
package import CryptoBridge
package import PDFCore

/// The signature settings. They begin with the requests of the caller; the field then adds its
/// requirements.
package struct SigningTerms: Equatable, Sendable {
    /// Nil means PAdES, unless the field requires another format.
    package var requestedFormat: SignatureSubFilter?
    package var format = SignatureSubFilter.pades
    package var digest: DigestAlgorithm?
    package var reason: String?
    /// Whether the signature will have a timestamp.
    package var isTimestamped = false
    package var restriction: SignatureRestriction
    /// Requirements of the field for visible content of the signature; the signer must accept them.
    package var demands: [SigningDemand] = []

    package init(digest: DigestAlgorithm?, reason: String?, restriction: SignatureRestriction) {
        self.digest = digest
        self.reason = reason
        self.restriction = restriction
    }
}

/// A signature field's seed value dictionary: constraints by the form's author (ISO 32000-2
/// §12.7.5.5, Tables 237 and 238).
///
/// Mandatory constraints on visible content are added to the demands of the terms, which the signer
/// must accept. A constraint that cannot be met is an error.
package struct SeedValue {
    package let dictionary: PDFDictionary
    package let document: PDFDocument
    private let flags: Int

    /// Bits of /Ff, numbered from 1 in Table 237.
    enum Flag: Int {
        case filter = 1
        case subFilter, version, reasons, legalAttestation, revocationInfo, digestMethod
        case lockDocument, appearanceFilter

        var bit: Int { 1 << (rawValue - 1) }
        static let known = (1 << appearanceFilter.rawValue) - 1
    }

    /// Highest supported version of the dictionary's format.
    private static let knownVersion = 3.0

    package init?(of field: FormField, in document: PDFDocument) throws(PDFError) {
        guard let dictionary = try document.value(field.dictionary, "SV").dictionaryValue else {
            return nil
        }
        self.dictionary = dictionary
        self.document = document
        flags = try Self.flags(of: dictionary, in: document)
    }

    /// Which constraints are mandatory (/Ff); all of them if the entry is unreadable.
    package static func flags(
        of dictionary: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> Int {
        let entry = try document.value(dictionary, "Ff")
        return entry == .null ? 0 : entry.integerValue ?? -1
    }

    func isMandatory(_ flag: Flag) -> Bool { flags & flag.bit != 0 }

    /// Applies the constraints to `terms`, or throws an error that names the constraint.
    ///
    /// - Parameter chain: the signer's certificate and its issuers.
    package func apply(to terms: inout SigningTerms, chain: [Certificate]) throws {
        guard flags & ~Flag.known == 0 else {
            throw refusal("an unknown requirement (/Ff \(flags))")
        }
        if isMandatory(.filter), let filter = try texts("Filter").first,
            filter != "Adobe.PPKLite"
        {
            throw refusal("the signature handler \(filter)")
        }
        if isMandatory(.version), let version = try texts("V").first,
            try value("V").numberValue.map({ $0 > Self.knownVersion }) ?? true
        {
            throw refusal("version \(version) of signature constraints")
        }
        try applyFormat(&terms)
        try applyDigest(&terms)
        try applyReason(&terms)
        try applyCertification(&terms)
        if isMandatory(.legalAttestation), terms.restriction.certification != nil {
            throw refusal("a legal attestation")
        }
        if isMandatory(.revocationInfo),
            try ![.null, .boolean(false)].contains(value("AddRevInfo"))
        {
            throw refusal("revocation information inside the signature")
        }
        if isMandatory(.lockDocument), let lock = try texts("LockDocument").first {
            switch lock {
            case "true": try demandCertification(.noChanges, &terms)
            case "false", "auto": break
            default: throw refusal("a lock of the document of unknown kind")
            }
        }
        if isMandatory(.appearanceFilter), try value("AppearanceFilter") != .null {
            throw refusal("a specific appearance")
        }
        if !terms.isTimestamped, let timestamp = try part("TimeStamp"),
            try Self.flags(of: timestamp, in: document) & 1 == 1
        {
            let address = try document.value(timestamp, "URL").stringValue.map {
                " (\(PDFString(bytes: $0, isHexadecimal: false).text))"
            }
            throw refusal("a timestamp\(address ?? "")", .timestampDemanded)
        }
        if let constraints = try part("Cert") { try checkCertificate(constraints, chain: chain) }
    }

    package func value(_ key: PDFName) throws(PDFError) -> PDFObject {
        try document.value(dictionary, key)
    }

    /// A nested dictionary; nil if it is missing.
    private func part(_ key: PDFName) throws -> PDFDictionary? {
        let entry = try value(key)
        guard entry == .null || entry.dictionaryValue != nil else {
            throw refusal("an unreadable requirement (/\(key))")
        }
        return entry.dictionaryValue
    }

    package func list(_ object: PDFObject) throws(PDFError) -> [PDFObject] {
        var elements: [PDFObject] = []
        for element in object.arrayValue ?? [object] {
            elements.append(try document.resolve(element))
        }
        return elements.filter { $0 != .null }
    }

    /// The strings or names in a list as texts.
    package func texts(_ key: PDFName) throws -> [String] {
        try list(value(key)).map { Self.text($0) ?? Self.unreadable }
    }

    private func refusal(
        _ demand: String, _ code: PAdESError.Code = .seedValueUnmet
    ) -> PAdESError {
        PAdESError(code, "the field requires \(demand)")
    }

    private func applyFormat(_ terms: inout SigningTerms) throws {
        let offered = try texts("SubFilter")
        guard isMandatory(.subFilter), !offered.isEmpty else { return }
        let formats = offered.compactMap { SignatureSubFilter(rawValue: $0) }
        guard let first = formats.first,
            terms.requestedFormat.map({ formats.contains($0) }) ?? true
        else {
            throw refusal("one of the formats \(offered.joined(separator: ", "))")
        }
        guard !formats.contains(.pades) else { return }
        terms.format = first
        terms.demands.append(
            SigningDemand(.subfilter, first.rawValue, isAgreed: terms.requestedFormat == first))
    }

    private func applyDigest(_ terms: inout SigningTerms) throws {
        let offered = try texts("DigestMethod")
        guard isMandatory(.digestMethod), !offered.isEmpty else { return }
        let known = offered.compactMap { DigestAlgorithm(name: $0.lowercased()) }
            .filter { $0 != .sha1 && $0 != .md5 }
        if let digest = terms.digest {
            guard known.contains(digest) else {
                throw refusal("one of the hash algorithms \(offered.joined(separator: ", "))")
            }
            guard !known.contains(.sha256) else { return }
            terms.demands.append(SigningDemand(.digest, digest.rawValue, isAgreed: true))
        } else if known.contains(.sha256) {
            terms.digest = .sha256
        } else if let first = known.first {
            terms.digest = first
            terms.demands.append(SigningDemand(.digest, first.rawValue, isAgreed: false))
        } else {
            throw refusal("one of the hash algorithms \(offered.joined(separator: ", "))")
        }
    }

    /// An empty list of reasons, or a single period, forbids a reason (Table 237).
    private func applyReason(_ terms: inout SigningTerms) throws {
        guard isMandatory(.reasons) else { return }
        let offered = try list(value("Reasons")).map { object in
            guard let text = Self.text(object) else {
                throw refusal("an unreadable reason")
            }
            return text
        }
        if offered.isEmpty || offered == ["."] {
            guard terms.reason == nil else { throw refusal("no reason") }
        } else if let reason = terms.reason {
            guard offered.contains(reason) else {
                throw refusal(SigningDemand(.reason, oneOf: offered).description, .reasonDemanded)
            }
            terms.demands.append(SigningDemand(.reason, reason, isAgreed: true))
        } else if offered.count == 1 {
            terms.reason = offered[0]
            terms.demands.append(SigningDemand(.reason, offered[0], isAgreed: false))
        } else {
            terms.demands.append(SigningDemand(.reason, oneOf: offered))
        }
    }

    private func applyCertification(_ terms: inout SigningTerms) throws {
        guard let mdp = try part("MDP") else { return }
        guard let p = try document.value(mdp, "P").integerValue else {
            throw refusal("an unknown certification")
        }
        let wanted = terms.restriction.certification
        // 0 requires an approval signature (ISO 32000-2 Table 237).
        guard p != 0 else {
            guard wanted == nil else { throw refusal("a signature without certification") }
            return
        }
        guard let permission = DocMDPPermission(p: p) else {
            throw refusal("an unknown certification")
        }
        try demandCertification(permission, &terms)
    }

    private func demandCertification(
        _ permission: DocMDPPermission, _ terms: inout SigningTerms
    ) throws {
        let wanted = terms.restriction.certification
        let isDemanded = terms.demands.contains { $0.code == .certification }
        guard wanted == nil || wanted == permission else {
            throw refusal("the certification \(permission.rawValue.inQuotes)")
        }
        terms.restriction.certification = permission
        guard !isDemanded else { return }
        terms.demands.append(
            SigningDemand(.certification, permission.rawValue, isAgreed: wanted == permission))
    }

    // MARK: The signer's certificate

    /// Bits of /Ff, numbered from 1 in Table 238.
    enum CertificateFlag: Int {
        case subject = 1
        case issuer, oid, subjectDN
        case keyUsage = 6
        case url

        var bit: Int { 1 << (rawValue - 1) }
        static let known = (1 << url.rawValue) - 1
    }

    private func checkCertificate(_ constraints: PDFDictionary, chain: [Certificate]) throws {
        guard let leaf = chain.first else { return }
        let flags = try Self.flags(of: constraints, in: document)
        guard flags & ~CertificateFlag.known == 0 else {
            throw refusal("an unknown certificate requirement (/Ff \(flags))")
        }
        func demands(_ flag: CertificateFlag) -> Bool { flags & flag.bit != 0 }
        func entries(_ key: PDFName) throws -> [PDFObject] {
            try list(document.value(constraints, key))
        }
        /// An unreadable constraint cannot be checked.
        func readable<Value>(
            _ key: PDFName, _ read: (PDFObject) throws -> Value?
        ) throws -> [Value] {
            try entries(key).map {
                guard let found = try read($0) else {
                    throw refusal("an unreadable certificate requirement (/\(key))")
                }
                return found
            }
        }
        if demands(.subject) {
            let allowed = try readable("Subject", \.stringValue)
            guard allowed.isEmpty || allowed.contains(leaf.der) else {
                throw refusal("another signing certificate")
            }
        }
        if demands(.issuer) {
            let allowed = try readable("Issuer") {
                $0.stringValue.flatMap { try? Certificate(der: $0) }
            }
            let isIssued = allowed.contains { issuer in
                chain.contains {
                    $0 == issuer || (issuer.isNamedAsIssuer(of: $0) && $0.isSigned(by: issuer))
                }
            }
            guard allowed.isEmpty || isIssued else {
                throw refusal("a certificate of another issuer")
            }
        }
        if demands(.keyUsage) {
            let patterns = try readable("KeyUsage", \.stringValue)
            guard
                patterns.isEmpty
                    || patterns.contains(where: { Self.fits(leaf.keyUsage, pattern: $0) })
            else { throw refusal("a certificate with other key usage") }
        }
        if demands(.oid), try !entries("OID").isEmpty {
            throw refusal("a certificate with a specific policy (not supported)")
        }
        if demands(.url), let place = try entries("URL").first {
            throw refusal(
                "a certificate from a specific source ("
                    + TextExcerpt.short(Self.text(place) ?? Self.unreadable) + ")")
        }
        if demands(.subjectDN) {
            try checkNames(readable("SubjectDN", \.dictionaryValue), leaf: leaf)
        }
    }

    /// Whether a key usage matches a pattern of Table 238: nine characters, 0 (clear), 1 (set) or X
    /// (any), starting with digitalSignature.
    private static func fits(_ usage: KeyUsage?, pattern: [UInt8]) -> Bool {
        for (bit, character) in pattern.prefix(9).enumerated() {
            let isSet = usage.map { $0.contains(KeyUsage(rawValue: 1 << UInt16(bit))) } ?? true
            if character == UInt8(ascii: "1") && !isSet { return false }
            if character == UInt8(ascii: "0") && isSet && usage != nil { return false }
        }
        return true
    }

    /// Attribute names (RFC 4519) that a subject constraint may contain, and their object
    /// identifiers.
    static let attributeTypes: [(name: String, oid: OID)] = [
        ("CN", .commonName), ("C", .country), ("L", .locality), ("ST", .state),
        ("O", .organization), ("OU", .organizationalUnit), ("E", .emailAddress),
        ("EMAIL", .emailAddress),
    ]

    /// Maximum number of subjects named in an error.
    private static let toldCount = 4

    private func checkNames(_ alternatives: [PDFDictionary], leaf: Certificate) throws {
        guard !alternatives.isEmpty else { return }
        let fits = try alternatives.contains { names in
            try names.keys.allSatisfy { key in
                guard let bytes = try document.value(names, key).stringValue else { return false }
                let name = key.description.uppercased()
                let type =
                    Self.attributeTypes.first { $0.name == name }?.oid ?? OID(key.description)
                guard let type else { return false }
                let text = PDFString(bytes: bytes, isHexadecimal: false).text
                return leaf.subject.values(ofType: type).contains(text)
            }
        }
        guard fits else {
            let wanted = try alternatives.prefix(Self.toldCount).map { try self.names($0) }
            throw refusal(
                "a certificate with another subject ("
                    + wanted.map(\.inQuotes).joined(separator: " or ") + ")")
        }
    }
}
