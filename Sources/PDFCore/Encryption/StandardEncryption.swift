/// The entries of an encryption dictionary of the standard security handler, checked
/// (ISO 32000-2 Table 21).
struct StandardEncryption {
    let revision: Int
    /// Possible lengths of the file key in bytes, the most likely first.
    let keyByteCounts: [Int]
    /// O and U, cut or padded to their standard length.
    let owner: [UInt8]
    let user: [UInt8]
    let ownerKey: [UInt8]
    let userKey: [UInt8]
    /// The encrypted copy of the permissions; empty before revision 5.
    let encryptedPermissions: [UInt8]
    let permissions: PDFPermissions

    static func checkRevision(_ dictionary: PDFDictionary) throws(PDFError) {
        let version = dictionary["V"]?.integerValue ?? 0
        let revision = dictionary["R"]?.integerValue ?? 0
        let fits =
            switch version {
            case 1, 2: (2...3).contains(revision)
            case 4: revision == 4
            case 5: (5...6).contains(revision)
            case 6: revision == 7
            default: false
            }
        guard fits else {
            throw PDFError(
                .unsupportedEncryption, "encryption of version \(version), revision \(revision)")
        }
    }

    init(_ dictionary: PDFDictionary) throws(PDFError) {
        let version = dictionary["V"]?.integerValue ?? 0
        let revision = dictionary["R"]?.integerValue ?? 0
        self.revision = revision
        // A signed number; some writers use an unsigned one.
        guard let flags = dictionary["P"]?.numberValue, flags.isFinite, flags.magnitude < 1e15
        else { throw PDFError(.malformedEncryption, "the entry /P of the encryption is missing") }
        permissions = PDFPermissions(
            bits: UInt32(truncatingIfNeeded: Int(flags)), revision: revision)
        keyByteCounts = Self.keyByteCounts(version, in: dictionary)

        let isExact = version >= 5
        let byteCount = isExact ? 48 : 32
        owner = try Self.string("O", dictionary, byteCount, isExact: isExact)
        user = try Self.string("U", dictionary, byteCount, isExact: isExact)
        ownerKey = isExact ? try Self.string("OE", dictionary, 32, isExact: true) : []
        userKey = isExact ? try Self.string("UE", dictionary, 32, isExact: true) : []
        encryptedPermissions =
            isExact ? Array((dictionary["Perms"]?.stringValue ?? []).prefix(16)) : []
    }

    /// A string cut or padded to its standard length. Some writers append zeros. Others omit bytes
    /// of the 32-byte strings.
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

    private static func keyByteCounts(_ version: Int, in dictionary: PDFDictionary) -> [Int] {
        let said = EncryptionDictionary.keyByteCount(dictionary["Length"])
        switch version {
        case 1: return [5]
        case 2:
            // The default is 40 bits (Table 20), but some viewers use 128.
            return said.map { [$0] } ?? [5, 16]
        case 4:
            // The standard and most viewers permit only 128 bits here.
            let filters = dictionary["CF"]?.dictionaryValue
            let filter = filters?[dictionary["StmF"]?.nameValue ?? "StdCF"]?.dictionaryValue
            var counts = [16]
            for count in [EncryptionDictionary.keyByteCount(filter?["Length"]), said].compactMap({
                $0
            }) where !counts.contains(count) { counts.append(count) }
            return counts
        default: return [32]
        }
    }
}
