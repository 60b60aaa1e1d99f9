/// The entries of an encryption dictionary that all security handlers share, checked
/// (ISO 32000-2 Tables 20 and 25).
struct EncryptionDictionary {
    /// The encryption method of a crypt filter.
    enum Method: Equatable, Sendable {
        case identity
        case rc4
        /// AES-128 with a key for every object.
        case aes128
        /// AES-256 with the file's key.
        case aes256
        /// AES-256 in Galois/Counter mode with the file's key (ISO/TS 32003).
        case aes256GCM

        /// Whether data is padded to whole blocks.
        var isBlockwise: Bool { self == .aes128 || self == .aes256 }
    }

    enum Handler {
        case standard(StandardEncryption)
        /// Opens the document with a recipient's private key.
        case publicKey(PublicKeyEncryption)
    }

    /// The entry V: 1, 2, 4, 5 or 6.
    let version: Int
    let handler: Handler
    let encryptsMetadata: Bool
    let stringMethod: Method
    let streamMethod: Method
    let embeddedFileMethod: Method
    private let filters: [PDFName: Method]

    /// - Parameter dictionary: The dictionary with all references resolved.
    /// - Throws: ``PDFError``, `.unsupportedEncryption` or `.malformedEncryption`.
    init(_ dictionary: PDFDictionary) throws(PDFError) {
        let version = dictionary["V"]?.integerValue ?? 0
        self.version = version
        guard let filter = dictionary["Filter"]?.nameValue else {
            throw PDFError(.malformedEncryption, "the encryption dictionary has no handler")
        }
        // The standard handler checks that its revision fits the version.
        if filter == "Standard" { try StandardEncryption.checkRevision(dictionary) }
        guard [1, 2, 4, 5, 6].contains(version) else {
            throw PDFError(.unsupportedEncryption, "encryption of version \(version)")
        }
        let filters = version >= 4 ? Self.filters(dictionary, version: version) : [:]
        self.filters = filters
        func method(_ key: PDFName) throws(PDFError) -> Method? {
            guard version >= 4 else { return .rc4 }
            guard let name = dictionary[key]?.nameValue else { return nil }
            return try Self.method(name, filters)
        }
        let streams = try method("StmF") ?? .identity
        streamMethod = streams
        stringMethod = try method("StrF") ?? .identity
        embeddedFileMethod = try method("EFF") ?? streams
        switch filter {
        case "Standard":
            try Self.rejectDifferingStdCF(dictionary, filters, streams, stringMethod)
            encryptsMetadata = version < 4 || dictionary["EncryptMetadata"]?.booleanValue ?? true
            handler = .standard(try StandardEncryption(dictionary))
        case "Adobe.PubSec":
            let entries = try PublicKeyEncryption(dictionary)
            try Self.requireBothOrNeither(dictionary, streams: streams, strings: stringMethod)
            encryptsMetadata = entries.encryptsMetadata
            handler = .publicKey(entries)
        default:
            throw PDFError(.unsupportedEncryption, "the security handler /\(filter) is unknown")
        }
    }

    /// The length of a key of up to 128 bits, in bytes. The entry is in bits; some producers write
    /// bytes.
    static func keyByteCount(_ value: PDFObject?) -> Int? {
        guard let length = value?.integerValue else { return nil }
        if (5...16).contains(length) { return length }
        return (40...128).contains(length) ? length / 8 : nil
    }

    /// Rejects documents for recipients in which only strings or only streams are encrypted: an
    /// attacker without the key could add unencrypted parts that appear to be the author's. Attached
    /// files may be encrypted separately.
    private static func requireBothOrNeither(
        _ dictionary: PDFDictionary, streams: Method, strings: Method
    ) throws(PDFError) {
        func isIdentity(_ key: PDFName) -> Bool {
            dictionary[key].map { $0.nameValue == "Identity" } ?? true
        }
        guard (streams == .identity) == (strings == .identity),
            streams != .identity || (isIdentity("StmF") && isIdentity("StrF"))
        else {
            throw PDFError(
                .unsupportedEncryption,
                "a displayed part is not encrypted in a document encrypted for "
                    + "recipients")
        }
    }

    // MARK: Crypt filters (ISO 32000-2 §7.6.6)

    /// Some viewers use the method of this crypt filter, whichever one is selected.
    private static let usualFilter: PDFName = "StdCF"

    private static func rejectDifferingStdCF(
        _ dictionary: PDFDictionary, _ filters: [PDFName: Method], _ used: Method...
    ) throws(PDFError) {
        guard dictionary["CF"]?.dictionaryValue?[usualFilter] != nil,
            used.contains(where: { $0 != .identity && $0 != filters[usualFilter] })
        else { return }
        throw PDFError(
            .malformedEncryption,
            "the crypt filter /\(usualFilter) differs from the one that is used: viewers use "
                + "either")
    }

    /// Methods permitted for each version. Viewers interpret other combinations differently.
    private static let methods: [Int: [PDFName: Method]] = [
        4: ["None": .identity, "V2": .rc4, "AESV2": .aes128],
        5: ["None": .identity, "AESV3": .aes256],
        6: ["None": .identity, "AESV3": .aes256, "AESV4": .aes256GCM],
    ]

    /// The crypt filters whose method is known and permitted for the version.
    private static func filters(_ dictionary: PDFDictionary, version: Int) -> [PDFName: Method] {
        var methods: [PDFName: Method] = [:]
        for entry in dictionary["CF"]?.dictionaryValue?.entries ?? [] {
            guard let filter = entry.value.dictionaryValue else { continue }
            methods[entry.key] = Self.methods[version]?[filter["CFM"]?.nameValue ?? "None"]
        }
        return methods
    }

    private static func method(
        _ name: PDFName, _ filters: [PDFName: Method]
    ) throws(PDFError) -> Method {
        if name == "Identity" { return .identity }
        guard let method = filters[name] else {
            throw PDFError(
                .unsupportedEncryption,
                "the crypt filter /\(name) is missing, or its method does not match the version")
        }
        return method
    }

    /// The method of the crypt filter that a stream refers to.
    func method(ofFilter name: PDFName) throws(PDFError) -> Method {
        try Self.method(name, filters)
    }

    /// Whether only attached files are encrypted.
    var leavesDocumentOpen: Bool { stringMethod == .identity && streamMethod == .identity }
}
