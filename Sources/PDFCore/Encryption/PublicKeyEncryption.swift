/// The entries of an encryption dictionary of the public-key security handler, checked
/// (ISO 32000-2 §7.6.5, Tables 23, 24 and 27).
struct PublicKeyEncryption {
    /// CMS enveloped data, as the file has them: each holds the seed of the file's key for some of
    /// the recipients.
    let recipients: [[UInt8]]
    /// Length of the file's key.
    let keyByteCount: Int
    let encryptsMetadata: Bool
    /// What the file's key is derived with.
    let hash: PDFHashAlgorithm

    /// Length of the random number that the file's key is derived from.
    static let seedByteCount = 20
    private static let maximumRecipientCount = 1000

    /// - Throws: ``PDFError``, `.unsupportedEncryption` or `.malformedEncryption`.
    init(_ dictionary: PDFDictionary) throws(PDFError) {
        let version = dictionary["V"]?.integerValue ?? 0
        let subFilter = dictionary["SubFilter"]?.nameValue
        let holder: PDFDictionary
        if version < 4 {
            holder = dictionary
        } else {
            // Filters that nothing names, and Identity, encrypt nothing.
            let names = (["StmF", "StrF", "EFF"] as [PDFName])
                .compactMap { dictionary[$0]?.nameValue }.filter { $0 != "Identity" }
            guard let name = names.first, names.allSatisfy({ $0 == name }) else {
                throw PDFError(
                    .unsupportedEncryption,
                    names.isEmpty
                        ? "the encryption names no crypt filter"
                        : "strings and streams are encrypted for different recipients")
            }
            guard let filter = dictionary["CF"]?.dictionaryValue?[name]?.dictionaryValue else {
                throw PDFError(.malformedEncryption, "the crypt filter /\(name) is missing")
            }
            holder = filter
            try Self.requireOneList(dictionary)
        }
        guard subFilter == nil || Self.subFilters.contains(subFilter ?? "") else {
            throw PDFError(
                .unsupportedEncryption,
                "the security handler's format /\(subFilter ?? "") is unknown")
        }
        recipients = try Self.recipients(holder["Recipients"] ?? dictionary["Recipients"])
        encryptsMetadata =
            (holder["EncryptMetadata"] ?? dictionary["EncryptMetadata"])?.booleanValue ?? true
        hash = version >= 5 ? .sha256 : .sha1
        switch version {
        case 1: keyByteCount = 5
        case 2: keyByteCount = EncryptionDictionary.keyByteCount(dictionary["Length"]) ?? 5
        case 4: keyByteCount = 16
        default: keyByteCount = 32
        }
    }

    /// Readers look for the recipients, and for what they say of metadata, in different places.
    private static func requireOneList(_ dictionary: PDFDictionary) throws(PDFError) {
        let filters = dictionary["CF"]?.dictionaryValue?.entries.compactMap(\.value.dictionaryValue)
        for key in ["Recipients", "EncryptMetadata"] as [PDFName] {
            let said = ([dictionary] + (filters ?? [])).compactMap { $0[key] }
            guard said.allSatisfy({ $0 == said.first }) else {
                throw PDFError(
                    .malformedEncryption, "the encryption says twice, and differently: /\(key)")
            }
        }
    }

    private static let subFilters: [PDFName] = [
        "adbe.pkcs7.s3", "adbe.pkcs7.s4", "adbe.pkcs7.s5",
    ]

    private static func recipients(_ entry: PDFObject?) throws(PDFError) -> [[UInt8]] {
        // One string instead of an array of one is seen too.
        let strings = entry?.arrayValue?.map(\.stringValue) ?? [entry?.stringValue]
        let recipients = strings.compactMap { $0 }
        guard recipients.count == strings.count, !recipients.isEmpty else {
            throw PDFError(.malformedEncryption, "the encryption names no recipients")
        }
        guard recipients.count <= maximumRecipientCount else {
            throw PDFError(.limitExceeded, "over \(maximumRecipientCount) groups of recipients")
        }
        return recipients
    }

    /// The file's key and what its author permits (ISO 32000-2 §7.6.5.3).
    ///
    /// - Parameter content: What one of the envelopes holds: the seed, then the permissions, which
    ///   may be missing.
    /// - Returns: `nil` when the content is of another kind, as after a wrong key.
    func opening(
        _ content: [UInt8], _ cryptography: any PDFCryptography
    ) throws(PDFError) -> EncryptionOpening? {
        guard [Self.seedByteCount, Self.seedByteCount + 4].contains(content.count) else {
            return nil
        }
        let flags = Array(content.dropFirst(Self.seedByteCount))
        let permissions = PDFPermissions(
            bits: flags.isEmpty ? .max : Self.bits(flags), revision: Self.permissionRevision)
        var digest = try cryptography.hash(
            hash,
            [Array(content.prefix(Self.seedByteCount))] + recipients
                + [encryptsMetadata ? [] : [0xFF, 0xFF, 0xFF, 0xFF]])
        defer { cryptography.wipe(&digest) }
        return EncryptionOpening(
            access: flags.isEmpty || permissions.isOwner ? .owner : .user,
            fileKey: Array(digest.prefix(keyByteCount)), permissions: permissions,
            confirmedPermissions: permissions)
    }

    /// All bits mean what they mean from revision 3 of the standard handler on.
    private static let permissionRevision = 3

    /// Big-endian. Some writers turn the bytes round, which shows in the reserved bits 14 to 32:
    /// they are 1.
    private static func bits(_ flags: [UInt8]) -> UInt32 {
        func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
            bytes.reduce(0) { $0 << 8 | UInt32($1) }
        }
        let (big, little) = (number(flags), number(flags.reversed()))
        return big >> 13 != 0x7FFFF && little >> 13 == 0x7FFFF ? little : big
    }
}
