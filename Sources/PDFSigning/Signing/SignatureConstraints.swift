package import Base
package import CryptoBridge
package import PDFCore

/// Constraints on the signer of a field, written as its seed value dictionary (ISO 32000-2 Tables
/// 237 and 238). ``SeedValue`` reads them.
package struct SignatureConstraints: Sendable {
    /// The permitted reasons.
    package var reasons: [String] = []
    package var formats: [SignatureSubFilter] = []
    package var digests: [DigestAlgorithm] = []
    /// This constraint is always mandatory.
    package var certification: FieldCertification?
    /// URL of the TSA for the signature timestamp.
    package var timestampAddress: String?
    /// The permitted signing certificates, in DER.
    package var signers: [[UInt8]] = []
    /// The permitted issuer certificates, in DER.
    package var issuers: [[UInt8]] = []
    /// The permitted subjects of the signing certificate.
    package var subjects: [DistinguishedName] = []
    /// The key usages that the signing certificate must have.
    package var keyUsage: KeyUsage = []
    /// Whether the constraints are mandatory; otherwise they are recommended.
    package var isMandatory = true

    package init() {}

    package var isEmpty: Bool {
        reasons.isEmpty && formats.isEmpty && digests.isEmpty && certification == nil
            && timestampAddress == nil && signers.isEmpty && issuers.isEmpty && subjects.isEmpty
            && keyUsage.isEmpty
    }

    /// - Throws: `seedValueUnmet` for a name with attributes that seed values cannot express.
    package func check() throws { for subject in subjects { _ = try Self.names(subject) } }

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
            seed["DigestMethod"] = .array(digests.map { .string(.text($0.rawValue.uppercased())) })
            demand(.digestMethod)
        }
        if !reasons.isEmpty {
            seed["Reasons"] = .array(reasons.map { .string(.text($0)) })
            demand(.reasons)
        }
        switch certification {
        case .none?: seed["MDP"] = .dictionary(["P": .integer(0)])
        case .permitting(let permission)?: seed["MDP"] = .dictionary(["P": .integer(permission.p)])
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
        func set(_ key: PDFName, flag: SeedValue.CertificateFlag, values: [PDFObject]) {
            guard !values.isEmpty else { return }
            constraints[key] = .array(values)
            if isMandatory { flags |= flag.bit }
        }
        set("Subject", flag: .subject, values: signers.map { .string(PDFString(bytes: $0)) })
        set("Issuer", flag: .issuer, values: issuers.map { .string(PDFString(bytes: $0)) })
        set(
            "SubjectDN", flag: .subjectDN,
            values: subjects.compactMap { try? Self.names($0) }.map { .dictionary($0) })
        if !keyUsage.isEmpty {
            let pattern = (0..<9).map { keyUsage.contains(KeyUsage(rawValue: 1 << $0)) ? "1" : "X" }
            set("KeyUsage", flag: .keyUsage, values: [.string(.text(pattern.joined()))])
        }
        if flags != 0 { constraints["Ff"] = .integer(flags) }
        return constraints
    }

    /// A subject in the form of Table 238: attribute names with texts.
    private static func names(_ subject: DistinguishedName) throws -> PDFDictionary {
        var names = PDFDictionary()
        for attribute in subject.relativeNames.joined() {
            let key = SeedValue.attributeTypes.first { $0.oid == attribute.type }?.name
            guard let key, let text = attribute.text, names[PDFName(key)] == nil else {
                throw PAdESError(
                    .constraintInvalid,
                    "a field can require CN, C, L, ST, O, OU and E of a subject, each once, but not: "
                        + subject.description)
            }
            names[PDFName(key)] = .string(.text(text))
        }
        return names
    }
}
