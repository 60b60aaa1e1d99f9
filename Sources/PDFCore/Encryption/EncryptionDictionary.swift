/// The entries of an encryption dictionary of the standard security handler, checked
/// (ISO 32000-2 Tables 20, 21 and 25).
struct EncryptionDictionary {
    /// How a crypt filter encrypts.
    enum Method: Equatable, Sendable {
        case identity
        case rc4
        /// AES-128 with a key for every object.
        case aes128
        /// AES-256 with the file's key.
        case aes256
    }

    let revision: Int
    /// Lengths of the file's key in bytes that writers may have meant, the likeliest first.
    let keyByteCounts: [Int]
    /// O and U without what makes them longer or shorter than they should be.
    let owner: [UInt8]
    let user: [UInt8]
    let ownerKey: [UInt8]
    let userKey: [UInt8]
    /// The encrypted copy of the permissions; empty before revision 5.
    let encryptedPermissions: [UInt8]
    let permissions: PDFPermissions
    let encryptsMetadata: Bool
    let stringMethod: Method
    let streamMethod: Method
    let embeddedFileMethod: Method
    private let filters: [PDFName: Method]

    /// - Parameter dictionary: With all references inside it followed.
    /// - Throws: ``PDFError``, `.unsupportedEncryption` or `.malformedEncryption`.
    init(_ dictionary: PDFDictionary) throws(PDFError) {
        let handler = dictionary["Filter"]?.nameValue ?? "Standard"
        guard handler == "Standard" else {
            throw PDFError(
                .unsupportedEncryption,
                handler == "Adobe.PubSec"
                    ? "encrypted for the holders of certificates (/Adobe.PubSec), which signet does "
                        + "not open" : "the security handler /\(handler) is unknown")
        }
        let version = dictionary["V"]?.integerValue ?? 0
        let revision = dictionary["R"]?.integerValue ?? 0
        self.revision = revision
        if version == 6 || revision == 7 {
            throw PDFError(
                .unsupportedEncryption,
                "encrypted with AES-GCM (ISO/TS 32003), which signet does "
                    + "not open")
        }
        let fits =
            switch version {
            case 1, 2: (2...3).contains(revision)
            case 4: revision == 4
            case 5: (5...6).contains(revision)
            default: false
            }
        guard fits else {
            throw PDFError(
                .unsupportedEncryption, "encryption of version \(version), revision \(revision)")
        }
        let filters = version >= 4 ? try Self.filters(dictionary) : [:]
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
        encryptsMetadata = version < 4 || dictionary["EncryptMetadata"]?.booleanValue ?? true

        // Written as a signed number, and by some as an unsigned one.
        guard let flags = dictionary["P"]?.numberValue, flags.isFinite, flags.magnitude < 1e15
        else {
            throw PDFError(.malformedEncryption, "the entry /P of the encryption is missing")
        }
        permissions = PDFPermissions(
            bits: UInt32(truncatingIfNeeded: Int(flags)), revision: revision)
        keyByteCounts = Self.keyByteCounts(version, dictionary)

        let byteCount = version == 5 ? 48 : 32
        owner = try Self.string("O", dictionary, byteCount, isExact: version == 5)
        user = try Self.string("U", dictionary, byteCount, isExact: version == 5)
        ownerKey = version == 5 ? try Self.string("OE", dictionary, 32, isExact: true) : []
        userKey = version == 5 ? try Self.string("UE", dictionary, 32, isExact: true) : []
        encryptedPermissions =
            version == 5 ? Array((dictionary["Perms"]?.stringValue ?? []).prefix(16)) : []
    }

    /// A string cut to its length: some writers fill it up with zeros. Others lose bytes of the
    /// short ones, which are filled up.
    private static func string(
        _ key: PDFName, _ dictionary: PDFDictionary, _ byteCount: Int, isExact: Bool
    ) throws(PDFError) -> [UInt8] {
        guard let bytes = dictionary[key]?.stringValue else {
            throw PDFError(.malformedEncryption, "the entry /\(key) of the encryption is missing")
        }
        guard bytes.count >= byteCount || !isExact else {
            throw PDFError(
                .malformedEncryption,
                "the entry /\(key) of the encryption has \(bytes.count) bytes, not \(byteCount)")
        }
        return Array(bytes.prefix(byteCount))
            + [UInt8](repeating: 0, count: max(0, byteCount - bytes.count))
    }

    private static func keyByteCounts(_ version: Int, _ dictionary: PDFDictionary) -> [Int] {
        // Said in bits; in bytes by some.
        func byteCount(_ value: PDFObject?) -> Int? {
            guard let length = value?.integerValue else { return nil }
            if (5...16).contains(length) { return length }
            return (40...128).contains(length) ? length / 8 : nil
        }
        let said = byteCount(dictionary["Length"])
        switch version {
        case 1: return [5]
        case 2:
            // 40 bits where nothing is said (Table 20), but some readers take that for 128.
            return said.map { [$0] } ?? [5, 16]
        case 4:
            // The standard and most readers know no other length than 128 bits here.
            let filters = dictionary["CF"]?.dictionaryValue
            let filter = filters?[dictionary["StmF"]?.nameValue ?? "StdCF"]?.dictionaryValue
            var counts = [16]
            for count in [byteCount(filter?["Length"]), said].compactMap({ $0 })
            where !counts.contains(count) {
                counts.append(count)
            }
            return counts
        default: return [32]
        }
    }

    // MARK: Crypt filters (ISO 32000-2 §7.6.6)

    private static func filters(_ dictionary: PDFDictionary) throws(PDFError) -> [PDFName: Method] {
        var methods: [PDFName: Method] = [:]
        for entry in dictionary["CF"]?.dictionaryValue?.entries ?? [] {
            guard let filter = entry.value.dictionaryValue else { continue }
            switch filter["CFM"]?.nameValue ?? "None" {
            case "None": methods[entry.key] = .identity
            case "V2": methods[entry.key] = .rc4
            case "AESV2": methods[entry.key] = .aes128
            case "AESV3": methods[entry.key] = .aes256
            case "AESV4":
                throw PDFError(
                    .unsupportedEncryption,
                    "encrypted with AES-GCM (ISO/TS 32003), which signet does not open")
            default: continue
            }
        }
        return methods
    }

    private static func method(
        _ name: PDFName, _ filters: [PDFName: Method]
    ) throws(PDFError) -> Method {
        if name == "Identity" { return .identity }
        guard let method = filters[name] else {
            throw PDFError(.unsupportedEncryption, "the crypt filter /\(name) is unknown")
        }
        return method
    }

    /// The method of a crypt filter that a stream names itself.
    func method(ofFilter name: PDFName) throws(PDFError) -> Method {
        try Self.method(name, filters)
    }

    /// Whether nothing but attached files is encrypted.
    var leavesDocumentOpen: Bool { stringMethod == .identity && streamMethod == .identity }
}
