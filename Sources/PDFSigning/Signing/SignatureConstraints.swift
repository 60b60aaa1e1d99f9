package import Base
package import CryptoBridge
package import PDFCore

/// What a form's author asks of whoever signs a field, to be written as its seed value dictionary
/// (ISO 32000-2 Tables 237 and 238). ``SeedValue`` reads the same.
package struct SignatureConstraints: Sendable {
    /// Whether the signature is to certify the document.
    package enum Certification: Equatable, Sendable {
        case none
        case permitting(DocMDPPermission)
    }

    /// One of these is to be given.
    package var reasons: [String] = []
    package var formats: [SigningTerms.Format] = []
    package var digests: [DigestAlgorithm] = []
    /// There is no recommending it: it holds.
    package var certification: Certification?
    /// Where a time stamp over the signature is to come from.
    package var timestampAddress: String?
    /// DER; one of these certificates is to sign.
    package var signers: [[UInt8]] = []
    /// DER; one of these is to be among the issuers.
    package var issuers: [[UInt8]] = []
    /// What the subject of the signer's certificate is to have, of several one.
    package var subjects: [DistinguishedName] = []
    /// What the signer's key has to be for, all of it.
    package var keyUsage: KeyUsage = []
    /// Whether all of it is demanded; else it is recommended.
    package var isMandatory = true

    package init() {}

    package var isEmpty: Bool {
        reasons.isEmpty && formats.isEmpty && digests.isEmpty && certification == nil
            && timestampAddress == nil && signers.isEmpty && issuers.isEmpty && subjects.isEmpty
            && keyUsage.isEmpty
    }

    /// - Throws: `seedValueUnmet` for a name with attributes that no seed value has words for.
    package func check() throws {
        for subject in subjects { _ = try Self.names(subject) }
    }

    package var dictionary: PDFDictionary {
        var seed: PDFDictionary = ["Type": .name("SV")]
        var flags = 0
        func demand(_ flag: SeedValue.Flag) { if isMandatory { flags |= flag.bit } }
        if !formats.isEmpty {
            seed["Filter"] = .name("Adobe.PPKLite")
            seed["SubFilter"] = .array(formats.map { .name(PDFName($0.rawValue)) })
            demand(.subFilter)
        }
        if !digests.isEmpty {
            seed["DigestMethod"] = .array(
                digests.map { .string(.text($0.rawValue.uppercased())) })
            demand(.digestMethod)
        }
        if !reasons.isEmpty {
            seed["Reasons"] = .array(reasons.map { .string(.text($0)) })
            demand(.reasons)
        }
        switch certification {
        case .none?: seed["MDP"] = .dictionary(["P": .integer(0)])
        case .permitting(let permission)?:
            seed["MDP"] = .dictionary(["P": .integer(permission.p)])
        case nil: break
        }
        if let timestampAddress {
            seed["TimeStamp"] = .dictionary([
                "URL": .string(.text(timestampAddress)), "Ff": .integer(isMandatory ? 1 : 0),
            ])
        }
        if flags != 0 { seed["Ff"] = .integer(flags) }
        seed["Cert"] = certificate.map { .dictionary($0) }
        return seed
    }

    private var certificate: PDFDictionary? {
        guard !signers.isEmpty || !issuers.isEmpty || !subjects.isEmpty || !keyUsage.isEmpty else {
            return nil
        }
        var constraints: PDFDictionary = ["Type": .name("SVCert")]
        var flags = 0
        func set(_ key: PDFName, _ flag: SeedValue.CertificateFlag, _ values: [PDFObject]) {
            guard !values.isEmpty else { return }
            constraints[key] = .array(values)
            if isMandatory { flags |= flag.bit }
        }
        set("Subject", .subject, signers.map { .string(PDFString(bytes: $0)) })
        set("Issuer", .issuer, issuers.map { .string(PDFString(bytes: $0)) })
        set(
            "SubjectDN", .subjectDN,
            subjects.compactMap { try? Self.names($0) }.map { .dictionary($0) })
        if !keyUsage.isEmpty {
            let pattern = (0..<9).map { keyUsage.contains(KeyUsage(rawValue: 1 << $0)) ? "1" : "X" }
            set("KeyUsage", .keyUsage, [.string(.text(pattern.joined()))])
        }
        if flags != 0 { constraints["Ff"] = .integer(flags) }
        return constraints
    }

    /// A subject as Table 238 writes one: names of attributes to texts.
    private static func names(_ subject: DistinguishedName) throws -> PDFDictionary {
        var names = PDFDictionary()
        for attribute in subject.relativeNames.joined() {
            let key = SeedValue.attributeTypes.first { $0.oid == attribute.type }?.name
            guard let key, let text = attribute.text, names[PDFName(key)] == nil else {
                throw PAdESError(
                    .constraintInvalid,
                    "a field can demand CN, C, L, ST, O, OU and E of a subject, each once, not: "
                        + subject.description)
            }
            names[PDFName(key)] = .string(.text(text))
        }
        return names
    }
}
