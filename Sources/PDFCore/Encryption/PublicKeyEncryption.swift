/// The entries of an encryption dictionary of the public-key security handler, checked
/// (ISO 32000-2 §7.6.5, Tables 23, 24 and 27).
struct PublicKeyEncryption {
    /// CMS EnvelopedData as stored in the file. Each contains the seed of the file key for some of
    /// the recipients.
    let recipients: [[UInt8]]
    /// Length of the file key, in bytes.
    let keyByteCount: Int
    let encryptsMetadata: Bool
    /// Whether some viewers derive another key, because they read its parameters elsewhere or
    /// ignore them.
    let keyDependsOnReader: Bool
    /// The hash function that derives the file key.
    let hash: PDFHashAlgorithm

    /// Length of the random seed of the file key, in bytes.
    static let seedByteCount = 20
    private static let maximumRecipientCount = 1000
    /// Maximum total size of all envelopes, in bytes. Each is read several times, and may contain
    /// certificates and attributes that are not needed.
    private static let maximumByteCount = 2 << 20

    /// - Throws: ``PDFError``, `.unsupportedEncryption` or `.malformedEncryption`.
    init(_ dictionary: PDFDictionary) throws(PDFError) {
        let version = dictionary["V"]?.integerValue ?? 0
        let subFilter = dictionary["SubFilter"]?.nameValue
        var filter: PDFDictionary?
        if version >= 4 {
            let used = try Self.usedFilter(dictionary)
            try Self.requireOneFilter(used, in: dictionary)
            filter = used
        }
        guard subFilter == nil || Self.subFilters.contains(subFilter ?? "") else {
            throw PDFError(
                .unsupportedEncryption,
                "the security handler's format /\(subFilter ?? "") is unknown")
        }
        // Viewers read these entries from different dictionaries.
        let places = [filter, dictionary].compactMap { $0 }
        try Self.requireAgreement("Recipients", in: places)
        try Self.requireAgreement("EncryptMetadata", in: places)
        recipients = try Self.recipients(places.lazy.compactMap { $0["Recipients"] }.first)
        let said = places.compactMap { $0["EncryptMetadata"] }
        guard said.allSatisfy({ $0.booleanValue != nil }),
            version >= 4 || !said.contains(.boolean(false))
        else {
            throw PDFError(
                .unsupportedEncryption,
                "viewers derive different keys from the EncryptMetadata entry")
        }
        encryptsMetadata = !said.contains(.boolean(false))
        hash = version >= 5 ? .sha256 : .sha1
        let method = filter?["CFM"]?.nameValue
        keyByteCount = try Self.keyByteCount(
            version: version, method: method, said: places.compactMap { $0["Length"] })
        keyDependsOnReader =
            Self.dependsOnReader(metadataIn: places, isEncrypted: encryptsMetadata)
            || Self.dependsOnReader(
                lengthIn: places, version: version, isRC4: hash == .sha1 && method != "AESV2",
                keyByteCount: keyByteCount)
            || Self.dependsOnReader(filtersIn: dictionary, filter, version: version)
    }

    /// Whether viewers may use another cipher than the filter names. Some use RC4 if the encryption
    /// dictionary itself has /Recipients. For versions above 5, some use RC4 with a SHA-1 key of the
    /// filter's /Length; SHA-1 cannot yield 256 bits, so that length is safe.
    private static func dependsOnReader(
        filtersIn dictionary: PDFDictionary, _ filter: PDFDictionary?, version: Int
    ) -> Bool {
        if version < 4 { return dictionary["CF"] != nil }
        return dictionary["Recipients"] != nil
            || version > 5 && filter?["Length"]?.integerValue != 256
    }

    /// Null equals absent (ISO 32000-2 §7.3.7), but some viewers read it as false.
    private static func dependsOnReader(
        metadataIn places: [PDFDictionary], isEncrypted: Bool
    ) -> Bool {
        let said = places.compactMap { place in
            place.entries.last { $0.key == "EncryptMetadata" }?.value
        }
        return said.contains(.null) || !isEncrypted && said.count < places.count
    }

    /// For RC4, viewers use the /Length next to /Recipients, in bits, and different defaults
    /// without it. With version 4, some always use 128 bits.
    private static func dependsOnReader(
        lengthIn places: [PDFDictionary], version: Int, isRC4: Bool, keyByteCount: Int
    ) -> Bool {
        guard isRC4, version != 1 else { return false }
        let isSpecified = places.first?["Length"] != nil
        let isInBits = places.allSatisfy { place in
            place["Length"].map { $0.integerValue == keyByteCount * 8 } ?? true
        }
        return !isSpecified || !isInBits || version == 4 && keyByteCount < 16
    }

    /// The only crypt filter in use.
    private static func usedFilter(_ dictionary: PDFDictionary) throws(PDFError) -> PDFDictionary {
        // Unreferenced filters and Identity encrypt nothing.
        let names = (["StmF", "StrF", "EFF"] as [PDFName])
            .compactMap { dictionary[$0]?.nameValue }.filter { $0 != "Identity" }
        guard let name = names.first, names.allSatisfy({ $0 == name }) else {
            throw PDFError(
                .unsupportedEncryption,
                names.isEmpty
                    ? "the encryption dictionary has no crypt filter"
                    : "strings and streams are encrypted for different recipients")
        }
        guard let filter = dictionary["CF"]?.dictionaryValue?[name]?.dictionaryValue else {
            throw PDFError(.malformedEncryption, "the crypt filter /\(name) is missing")
        }
        return filter
    }

    /// Some viewers use the filter of this name, whichever one is selected.
    private static let usualFilter: PDFName = "DefaultCryptFilter"

    private static func requireOneFilter(
        _ used: PDFDictionary, in dictionary: PDFDictionary
    ) throws(PDFError) {
        // Checks the length first, because all filters may contain the same long list.
        _ = try recipientStrings(used["Recipients"] ?? dictionary["Recipients"])
        let wanted = normalized(.dictionary(used))
        for entry in dictionary["CF"]?.dictionaryValue?.entries ?? [] {
            guard let filter = entry.value.dictionaryValue,
                filter["Recipients"] != nil || entry.key == usualFilter
            else { continue }
            let isShort = (filter["Recipients"]?.arrayValue?.count ?? 1) <= maximumRecipientCount
            guard isShort, filter == used || normalized(.dictionary(filter)) == wanted else {
                throw PDFError(
                    .malformedEncryption,
                    "the crypt filter /\(entry.key) differs from the one that is used: viewers "
                        + "use either")
            }
        }
    }

    private static func requireAgreement(
        _ key: PDFName, in places: [PDFDictionary]
    ) throws(PDFError) {
        let said = places.compactMap { $0[key] }.map(normalized)
        guard said.allSatisfy({ $0 == said.first }) else {
            throw PDFError(
                .malformedEncryption, "the encryption dictionary has different values of /\(key)")
        }
    }

    /// A copy for comparison, in which all strings are marked as hexadecimal. Recursion is safe,
    /// because the parser limits the nesting depth.
    private static func normalized(_ object: PDFObject) -> PDFObject {
        switch object {
        case .string(let string): .string(PDFString(bytes: string.bytes, isHexadecimal: true))
        case .array(let elements): .array(elements.map(normalized))
        case .dictionary(let dictionary):
            .dictionary(
                PDFDictionary(
                    entries: dictionary.entries.map {
                        .init(key: $0.key, value: normalized($0.value))
                    }))
        default: object
        }
    }

    /// The key length of the version, in bytes. Lengths in the dictionaries must equal it, because
    /// some viewers use them. They are in bits (Table 20), but some writers use bytes.
    private static func keyByteCount(
        version: Int, method: PDFName?, said: [PDFObject]
    ) throws(PDFError) -> Int {
        let counts = said.map { length in
            length.integerValue.flatMap { count in
                count % 8 == 0 && count >= 40 ? count / 8 : version >= 4 ? count : nil
            }
        }
        let permitted: ClosedRange<Int>
        var count: Int
        switch (version, method) {
        case (1, _): (permitted, count) = (5...5, 5)
        case (2, _): (permitted, count) = (5...16, 5)
        // If only one dictionary has a length, viewers that read the other one derive another key.
        case (4, "V2") where said.count == 2: (permitted, count) = (5...16, 16)
        case (4, _): (permitted, count) = (16...16, 16)
        default: (permitted, count) = (32...32, 32)
        }
        count = (counts.first ?? count) ?? count
        guard counts.allSatisfy({ $0 == count }), permitted.contains(count) else {
            throw PDFError(
                .unsupportedEncryption,
                "the key length does not match the version, or has several values: "
                    + "viewers derive different keys")
        }
        return count
    }

    private static let subFilters: [PDFName] = [
        "adbe.pkcs7.s3", "adbe.pkcs7.s4", "adbe.pkcs7.s5",
    ]

    private static func recipientStrings(_ entry: PDFObject?) throws(PDFError) -> [PDFObject] {
        guard let entry else { return [] }
        // Some writers store one string instead of an array of one.
        let strings = entry.arrayValue ?? [entry]
        guard strings.count <= maximumRecipientCount else {
            throw PDFError(
                .limitExceeded, "more than \(maximumRecipientCount) groups of recipients")
        }
        let byteCount = strings.reduce(0) { $0 + ($1.stringValue?.count ?? 0) }
        guard byteCount <= maximumByteCount else {
            throw PDFError(
                .limitExceeded, "more than \(maximumByteCount >> 20) MB of recipient data")
        }
        return strings
    }

    private static func recipients(_ entry: PDFObject?) throws(PDFError) -> [[UInt8]] {
        let strings = try recipientStrings(entry)
        let recipients = strings.compactMap(\.stringValue)
        guard recipients.count == strings.count, !recipients.isEmpty else {
            throw PDFError(.malformedEncryption, "the encryption dictionary has no recipients")
        }
        return recipients
    }

    /// The file encryption key and the permissions (ISO 32000-2 §7.6.5.3).
    ///
    /// - Parameter content: The content of an envelope: the seed, then the optional permissions.
    /// - Returns: `nil` if the content has another form, as after decryption with a wrong key.
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

    /// The bits have the meaning of revision 3 and later of the standard handler.
    private static let permissionRevision = 3

    /// Big-endian. Some writers reverse the bytes. The reserved bits 14 to 32, which must be 1,
    /// reveal that.
    private static func bits(_ flags: [UInt8]) -> UInt32 {
        func number(_ bytes: some Sequence<UInt8>) -> UInt32 {
            bytes.reduce(0) { $0 << 8 | UInt32($1) }
        }
        let (big, little) = (number(flags), number(flags.reversed()))
        return big >> 13 != 0x7FFFF && little >> 13 == 0x7FFFF ? little : big
    }
}
