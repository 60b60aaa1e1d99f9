/// The result of opening a document with a password or a recipient's key.
struct EncryptionOpening {
    let access: PDFEncryption.Access
    /// Empty if only attached files are encrypted and were not opened.
    let fileKey: [UInt8]
    /// Permissions of users who are not the owner.
    let permissions: PDFPermissions
    /// The permissions encrypted with the file key; `nil` if this copy is missing or unreadable.
    var confirmedPermissions: PDFPermissions?
    /// Whether an intact encryption dictionary has such a copy (revision 5 and later).
    var confirmsPermissions = false
    /// Whether that copy agrees with the dictionary.
    var permissionsAgree = true
    /// Whether the same password, or the empty one, also yields another file key.
    var hasOtherKey = false
    /// Whether the key was shorter than its ciphers need and was padded with zeros, which not all
    /// viewers do.
    var isKeyFilledUp = false

    /// This opening, combined with another one of the same document.
    func beside(_ other: EncryptionOpening?) -> EncryptionOpening {
        guard let other else { return self }
        var opening = self
        opening.hasOtherKey = hasOtherKey || other.hasOtherKey || other.fileKey != fileKey
        return opening
    }
}

/// The encryption of an opened document (ISO 32000-2 §7.6), for reading and writing.
package final class PDFEncryption {
    /// The password that opened the document.
    package enum Access: String, Sendable {
        case user
        /// The owner has all permissions.
        case owner
    }

    package let access: Access
    /// Permissions of users who are not the owner.
    package let permissions: PDFPermissions

    /// The dictionary as read, to recognize the same encryption in another revision.
    let source: PDFDictionary
    /// The first part of the trailer's `ID`, which the key depends on.
    let documentID: PDFString
    /// The ID of the encryption dictionary (itself not encrypted); `nil` if it is in the
    /// trailer.
    package let sourceID: ObjectID?

    private let dictionary: EncryptionDictionary
    private let cryptography: any PDFCryptography
    /// Whether an authentication tag was wrong, because data was modified without the file key.
    package private(set) var hasWrongTag = false
    /// Whether a string had no valid padding for this key. It was encrypted with another key, and
    /// so perhaps were the strings near it.
    package private(set) var hasWrongPadding = false
    /// Whether the password fits both the owner's and the user's entry, and these yield different
    /// file keys. Viewers try the entries in different order.
    package let hasOtherKey: Bool
    private let isKeyFilledUp: Bool
    /// Empty if only attached files are encrypted and no password opened them.
    private var fileKey: [UInt8]

    init(
        _ dictionary: EncryptionDictionary, source: PDFDictionary, sourceID: ObjectID?,
        documentID: PDFString, opening: EncryptionOpening, cryptography: any PDFCryptography
    ) {
        self.dictionary = dictionary
        self.source = source
        self.sourceID = sourceID
        self.documentID = documentID
        self.cryptography = cryptography
        access = opening.access
        hasOtherKey = opening.hasOtherKey
        isKeyFilledUp = opening.isKeyFilledUp
        permissions =
            opening.confirmedPermissions.map(opening.permissions.intersected)
            ?? opening.permissions
        if let confirmed = opening.confirmedPermissions {
            integrityCodeDemand =
                confirmed.demandsIntegrityCode
                ? .demanded : confirmed.mayDemandIntegrityCode ? .ambiguous : .none
        } else {
            let hasTraces = source["KDFSalt"] != nil || opening.permissions.demandsIntegrityCode
            integrityCodeDemand =
                if opening.fileKey.isEmpty {
                    hasTraces ? .unknown : .none
                } else if opening.confirmsPermissions {
                    hasTraces ? .demanded : .unknown
                } else {
                    .none
                }
        }
        fileKey = opening.fileKey
    }

    deinit { cryptography.wipe(&fileKey) }

    // MARK: MAC (ISO/TS 32004)

    /// Whether every revision requires a MAC.
    package enum IntegrityCodeDemand: Sendable {
        case none, demanded
        /// The permissions may require a MAC: bit 13 is 0, which requires it, but reserved bits
        /// that must be 1 are 0 too.
        case ambiguous
        /// The requirement was damaged or removed, which is possible without the file key.
        case unknown
    }

    package let integrityCodeDemand: IntegrityCodeDemand
    package var demandsIntegrityCode: Bool { integrityCodeDemand == .demanded }

    /// Whether a requirement for a MAC cannot be read because the file key is unknown.
    package var hidesIntegrityCodeDemand: Bool {
        !hasKey && dictionary.version >= 5 && integrityCodeDemand == .none
    }

    /// Whether the encryption dictionary contains a salt for MAC keys.
    package var hasIntegritySalt: Bool { source["KDFSalt"] != nil }

    /// Whether the file key is known; otherwise only attached files are encrypted.
    package var hasKey: Bool { !fileKey.isEmpty }

    /// The key that wraps MAC keys (ISO/TS 32004 §6.4), 32 bytes that the caller wipes; `nil` if
    /// the salt is missing or the encryption does not support MACs.
    package func integrityKey() throws(PDFError) -> [UInt8]? {
        guard fileKey.count == 32, let salt = source["KDFSalt"]?.stringValue, salt.count == 32
        else { return nil }
        return try cryptography.deriveKey(from: fileKey, salt: salt, info: Array("PDFMAC".utf8))
    }

    // MARK: Description

    /// The revision of the standard security handler; `nil` for public-key encryption.
    package var revision: Int? {
        if case .standard(let entries) = dictionary.handler { entries.revision } else { nil }
    }
    /// CMS EnvelopedData for the recipients; empty for password encryption.
    package var envelopes: [[UInt8]] {
        if case .publicKey(let entries) = dictionary.handler { entries.recipients } else { [] }
    }
    /// Whether viewers may derive different keys from the same envelope or password.
    package var keyDependsOnReader: Bool {
        if case .publicKey(let entries) = dictionary.handler, entries.keyDependsOnReader {
            return true
        }
        return isKeyFilledUp || Self.hasOddString(.dictionary(source))
            || keyDependsOnIdentifier && documentID.isOddlySpelled
    }

    /// Recursion is safe, because the parser limits the nesting depth.
    private static func hasOddString(_ object: PDFObject) -> Bool {
        switch object {
        case .string(let string): string.isOddlySpelled
        case .array(let elements): elements.contains(where: hasOddString)
        case .dictionary(let dictionary): dictionary.entries.contains { hasOddString($0.value) }
        default: false
        }
    }
    /// Whether the file's key depends on the trailer's `ID`.
    package var keyDependsOnIdentifier: Bool { revision.map { $0 < 5 } ?? false }
    /// Whether the document's metadata is encrypted too.
    package var encryptsMetadata: Bool { dictionary.encryptsMetadata }

    private var methods: [EncryptionDictionary.Method] {
        [dictionary.streamMethod, dictionary.stringMethod, dictionary.embeddedFileMethod]
    }

    /// Whether encrypted data has authentication tags.
    package var hasTags: Bool { methods.contains(.aes256GCM) }
    /// Whether nothing at all is encrypted.
    package var isIdle: Bool { methods.allSatisfy { $0 == .identity } }
    /// Whether streams are encrypted, and strings are not.
    package var leavesStringsOpen: Bool {
        dictionary.stringMethod == .identity && dictionary.streamMethod != .identity
    }
    /// Whether programs without support for ISO/TS 32003 treat the document as readable.
    package var isMistakenByPrograms: Bool { dictionary.version > 5 }

    /// The cipher and key length, such as `RC4-128` or `AES-256`.
    package var methodName: String {
        switch methods.first(where: { $0 != .identity }) {
        case .rc4?: return "RC4-\((fileKey.isEmpty ? 16 : fileKey.count) * 8)"
        case .aes128?: return "AES-128"
        case .aes256?: return "AES-256"
        case .aes256GCM?: return "AES-256-GCM"
        case .identity?, nil: return "none"
        }
    }

    /// Whether only attached files are encrypted.
    package var leavesDocumentOpen: Bool { dictionary.leavesDocumentOpen }
    /// Whether some viewers decrypt unencrypted data: with public-key encryption they ignore which
    /// crypt filter applies to streams and strings.
    package var isDecryptedBySome: Bool { leavesDocumentOpen && revision == nil }

    // MARK: Objects

    /// An object of the file with its strings decrypted. Stream data is decrypted later.
    func decrypted(_ object: PDFObject, of id: ObjectID) throws(PDFError) -> PDFObject {
        guard id != sourceID else { return object }
        if case .stream(var stream) = object {
            stream.dictionary =
                try transformed(stream.dictionary, id, .decrypt) ?? stream.dictionary
            stream.encryptedAs = id
            return .stream(stream)
        }
        return try transformed(object, id, .decrypt) ?? object
    }

    /// An object to be written as `id`, with its strings and the data of an in-memory stream
    /// encrypted.
    ///
    /// - Parameter resolve: Resolves references in the stream's dictionary.
    func encrypted(
        _ object: PDFObject, as id: ObjectID, resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) -> PDFObject {
        guard id != sourceID else { return object }
        guard case .stream(var stream) = object, case .data(let bytes) = stream.content else {
            return try transformed(object, id, .encrypt) ?? object
        }
        let method = try method(of: stream.dictionary, resolve)
        stream.content = .data(try apply(.encrypt, method, bytes, id))
        stream.dictionary = try transformed(stream.dictionary, id, .encrypt) ?? stream.dictionary
        return .stream(stream)
    }

    func decrypted(
        _ data: [UInt8], of dictionary: PDFDictionary, _ id: ObjectID,
        resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) -> [UInt8] { try apply(.decrypt, method(of: dictionary, resolve), data, id) }

    /// Whether a stream is not encrypted.
    func isInClear(
        _ stream: PDFDictionary, resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) -> Bool {
        try method(of: stream, resolve) == .identity
    }

    /// Whether the data of a stream has no valid padding for AES. Viewers then remove as many bytes
    /// as the last byte states, or none.
    ///
    /// - Parameters:
    ///   - byteCount: Number of stored bytes.
    ///   - end: The last two blocks, or all bytes if there are fewer.
    func hasOddFilling(
        _ dictionary: PDFDictionary, byteCount: Int, end: [UInt8], _ id: ObjectID,
        resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) -> Bool {
        let method = try method(of: dictionary, resolve)
        // Data that contains only an initialization vector is empty for all viewers.
        guard method.isBlockwise, byteCount > Self.leastByteCount / 2 else { return false }
        guard byteCount % (Self.leastByteCount / 2) == 0 else { return true }
        // The second-to-last block is the initialization vector of the last one.
        return try apply(.decrypt, method, end, id).count == end.count - Self.leastByteCount / 2
    }

    /// A copy with all its strings transformed; `nil` if there are none.
    ///
    /// Recursion is safe, because the parser limits the nesting depth.
    private func transformed(
        _ object: PDFObject, _ id: ObjectID, _ direction: PDFCipherDirection
    ) throws(PDFError) -> PDFObject? {
        guard dictionary.stringMethod != .identity else { return nil }
        switch object {
        case .string(let string):
            let bytes = try apply(direction, dictionary.stringMethod, string.bytes, id)
            if direction == .decrypt, dictionary.stringMethod.isBlockwise,
                string.bytes.count < Self.leastByteCount || string.bytes.count % 16 != 0
                    || bytes.count == string.bytes.count - 16
            {
                hasWrongPadding = hasWrongPadding || !string.bytes.isEmpty
            }
            return .string(
                PDFString(
                    bytes: bytes, isHexadecimal: string.isHexadecimal || direction == .encrypt))
        case .array(let elements):
            var result: [PDFObject]?
            for (index, element) in elements.enumerated() {
                guard let changed = try transformed(element, id, direction) else { continue }
                if result == nil { result = elements }
                result?[index] = changed
            }
            return result.map { .array($0) }
        case .dictionary(let dictionary):
            return try transformed(dictionary, id, direction).map { .dictionary($0) }
        default: return nil
        }
    }

    /// An initialization vector and one block of padding.
    private static let leastByteCount = 32

    private func transformed(
        _ dictionary: PDFDictionary, _ id: ObjectID, _ direction: PDFCipherDirection
    ) throws(PDFError) -> PDFDictionary? {
        let isSignature = dictionary.isSignature
        var result: [PDFDictionary.Entry]?
        for (index, entry) in dictionary.entries.enumerated() {
            // The /Contents of a signature is not encrypted (ISO 32000-2 §7.6.2).
            if isSignature && entry.key == "Contents" { continue }
            guard let changed = try transformed(entry.value, id, direction) else { continue }
            if result == nil { result = dictionary.entries }
            result?[index].value = changed
        }
        return result.map { PDFDictionary(entries: $0) }
    }

    // MARK: Ciphers

    /// The encryption method of a stream (ISO 32000-2 §7.6.6).
    private func method(
        of stream: PDFDictionary, _ resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) -> EncryptionDictionary.Method {
        let type = try resolve(stream["Type"] ?? .null).nameValue
        if let name = try ownFilter(of: stream, resolve) {
            return try dictionary.method(ofFilter: name)
        }
        if type == "Metadata", !dictionary.encryptsMetadata { return .identity }
        return type == "EmbeddedFile" ? dictionary.embeddedFileMethod : dictionary.streamMethod
    }

    /// The name in a stream's own `Crypt` filter, which must be its first filter.
    private func ownFilter(
        of stream: PDFDictionary, _ resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) -> PDFName? {
        func first(_ key: PDFName) throws(PDFError) -> PDFObject {
            switch try resolve(stream[key] ?? .null) {
            case .array(let elements): try resolve(elements.first ?? .null)
            case let single: single
            }
        }
        guard stream["Filter"] != nil, try first("Filter").nameValue == "Crypt" else { return nil }
        guard let parameters = try first("DecodeParms").dictionaryValue else { return "Identity" }
        return try resolve(parameters["Name"] ?? .null).nameValue ?? "Identity"
    }

    private func apply(
        _ direction: PDFCipherDirection, _ method: EncryptionDictionary.Method, _ data: [UInt8],
        _ id: ObjectID
    ) throws(PDFError) -> [UInt8] {
        guard method != .identity else { return data }
        guard !fileKey.isEmpty else {
            throw PDFError(.passwordNeeded, "attached files require a password", object: id)
        }
        switch method {
        case .identity: return data
        case .rc4, .aes128:
            var key = try objectKey(id, isAES: method == .aes128)
            defer { cryptography.wipe(&key) }
            return method == .rc4
                ? RC4.apply(key: key, to: data) : try aes(direction, key, data)
        case .aes256: return try aes(direction, fileKey, data)
        case .aes256GCM: return try gcm(direction, data, id)
        }
    }

    /// Algorithm 1: the key of an object.
    private func objectKey(_ id: ObjectID, isAES: Bool) throws(PDFError) -> [UInt8] {
        let suffix: [UInt8] = [
            UInt8(truncatingIfNeeded: id.number), UInt8(truncatingIfNeeded: id.number >> 8),
            UInt8(truncatingIfNeeded: id.number >> 16), UInt8(truncatingIfNeeded: id.generation),
            UInt8(truncatingIfNeeded: id.generation >> 8),
        ]
        let salt: [UInt8] = isAES ? Array("sAlT".utf8) : []
        var digest = try cryptography.hash(.md5, [fileKey, suffix, salt])
        defer { cryptography.wipe(&digest) }
        return Array(digest.prefix(min(fileKey.count + suffix.count, 16)))
    }

    /// Galois/Counter mode with the nonce before the data and the tag after it (ISO/TS 32003). A
    /// wrong tag is an error; such data is never treated as empty.
    private func gcm(
        _ direction: PDFCipherDirection, _ data: [UInt8], _ id: ObjectID
    ) throws(PDFError) -> [UInt8] {
        let nonceByteCount = 12
        guard fileKey.count == 32 else {
            throw PDFError(.malformedEncryption, "a key of \(fileKey.count) bytes for AES-256")
        }
        switch direction {
        case .encrypt:
            // 96 random bits: NIST SP 800-38D §8.3 permits 2^32 invocations per key, more than any
            // document needs.
            let nonce = try cryptography.randomBytes(nonceByteCount)
            return nonce + (try cryptography.sealGCM(key: fileKey, nonce: nonce, data: data))
        case .decrypt:
            guard data.count >= nonceByteCount,
                let plain = try cryptography.openGCM(
                    key: fileKey, nonce: Array(data.prefix(nonceByteCount)),
                    sealed: Array(data.dropFirst(nonceByteCount)))
            else {
                hasWrongTag = true
                throw PDFError(
                    .wrongTag, "the encrypted data was modified: the AES-GCM tag is wrong",
                    object: id)
            }
            return plain
        }
    }

    /// CBC with the initialization vector before the data, padded to whole blocks (ISO 32000-2
    /// §7.6.3.1).
    private func aes(
        _ direction: PDFCipherDirection, _ key: [UInt8], _ data: [UInt8]
    ) throws(PDFError) -> [UInt8] {
        let block = 16
        // The method of the crypt filter does not fit the file key.
        guard key.count == 16 || key.count == 32 else {
            throw PDFError(.malformedEncryption, "a key of \(key.count) bytes for AES")
        }
        switch direction {
        case .encrypt:
            let vector = try cryptography.randomBytes(block)
            let fill = block - data.count % block
            return vector
                + (try cryptography.aesCBC(
                    .encrypt, key: key, initialVector: vector,
                    data: data + [UInt8](repeating: UInt8(fill), count: fill)))
        case .decrypt:
            // Truncated data keeps its whole blocks, as in other viewers.
            let count = data.count / block * block
            guard count > block else { return [] }
            var plain = try cryptography.aesCBC(
                .decrypt, key: key, initialVector: Array(data[..<block]),
                data: Array(data[block..<count]))
            if let fill = plain.last, (1...block).contains(Int(fill)), fill <= plain.count,
                plain.suffix(Int(fill)).allSatisfy({ $0 == fill })
            {
                plain.removeLast(Int(fill))
            }
            return plain
        }
    }
}

extension PDFObject {
    fileprivate var holdsString: Bool {
        switch self {
        case .string: true
        case .array(let elements): elements.contains(where: \.holdsString)
        case .dictionary(let dictionary): dictionary.entries.contains { $0.value.holdsString }
        default: false
        }
    }
}

extension PDFDictionary {
    /// Whether some viewers do not decrypt its strings, because they treat it as an encryption
    /// dictionary or a signature.
    package var isDecryptedByFew: Bool {
        if self["CF"] != nil { return PDFObject.dictionary(self).holdsString }
        guard self["Contents"]?.stringValue != nil, !isSignature else { return false }
        let type = self["Type"]?.nameValue
        return self["ByteRange"] != nil || type == "Sig" || type == "DocTimeStamp"
    }

    /// Whether it is a signature dictionary, whose `Contents` is not encrypted. `Type` is optional
    /// (ISO 32000-2 Table 255). Annotations, whose `Contents` is text, have a `Subtype`.
    fileprivate var isSignature: Bool {
        guard self["ByteRange"]?.arrayValue != nil, self["Filter"]?.nameValue != nil,
            self["Subtype"] == nil
        else { return false }
        let type = self["Type"]?.nameValue
        return type == nil || type == "Sig" || type == "DocTimeStamp"
    }
}
