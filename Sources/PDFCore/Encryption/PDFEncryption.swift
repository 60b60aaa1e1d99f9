/// The result of opening a document with a password or a recipient's key.
struct EncryptionOpening {
    let access: PDFEncryption.Access
    /// Empty if only attached files are encrypted and were not opened.
    let fileKey: [UInt8]
    /// Permissions of users who are not the owner.
    let permissions: PDFPermissions
    /// The permissions encrypted with the file key; `nil` if this copy is missing or unreadable.
    var confirmedPermissions: PDFPermissions?
    /// Whether the encryption has such a copy where it is whole.
    var confirmsPermissions = false
    /// Whether that copy says what the dictionary says.
    var permissionsAgree = true
    /// Whether the same password, or none, leads to another key of the file as well.
    var hasOtherKey = false
    /// Whether the key was shorter than its ciphers need and filled up with zeros, as not all viewers do.
    var isKeyFilledUp = false

    /// This opening, where there is another one as well.
    func beside(_ other: EncryptionOpening?) -> EncryptionOpening {
        guard let other else { return self }
        var opening = self
        opening.hasOtherKey = hasOtherKey || other.hasOtherKey || other.fileKey != fileKey
        return opening
    }
}

/// The encryption of an opened document (ISO 32000-2 §7.6), for reading and writing.
package final class PDFEncryption {
    /// Whose password opened the document.
    package enum Access: String, Sendable {
        case user
        /// The owner may do everything.
        case owner
    }

    package let access: Access
    /// Permissions of users who are not the owner.
    package let permissions: PDFPermissions

    /// The dictionary as it was read, to recognise the same encryption again.
    let source: PDFDictionary
    /// The first part of the trailer's `ID`, which the key depends on.
    let documentID: PDFString
    /// Where the dictionary is, for it is not encrypted itself; `nil` when it is in the trailer.
    package let sourceID: ObjectID?

    private let dictionary: EncryptionDictionary
    private let cryptography: any PDFCryptography
    /// Whether data were found that somebody changed without the file's key.
    package private(set) var hasWrongTag = false
    /// Whether a string was found that is not filled up to whole blocks as encryption with this key
    /// does it: it was made with another, and so are its neighbours perhaps.
    package private(set) var hasWrongPadding = false
    /// Whether what opened the document leads to another key of the file as well, by the other one of
    /// the owner's and the user's entries: readers ask these in different order.
    package let hasOtherKey: Bool
    private let isKeyFilledUp: Bool
    /// Empty when nothing but attached files is encrypted and no password opened them.
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
        /// The permissions may require a MAC: reserved bits that must be 1 are 0, together with the
        /// bit that requires it.
        case ambiguous
        /// The requirement was damaged or removed, which is possible without the file key.
        case unknown
    }

    package let integrityCodeDemand: IntegrityCodeDemand
    package var demandsIntegrityCode: Bool { integrityCodeDemand == .demanded }

    /// Whether a requirement for a MAC can be read only with the document's key, which is unknown.
    package var hidesIntegrityCodeDemand: Bool {
        !hasKey && dictionary.version >= 5 && integrityCodeDemand == .none
    }

    /// Whether the document has a salt for MAC keys.
    package var hasIntegritySalt: Bool { source["KDFSalt"] != nil }

    /// Whether the document's key is known; otherwise only attached files are encrypted.
    package var hasKey: Bool { !fileKey.isEmpty }

    /// The key that wraps MAC keys (ISO/TS 32004 §6.4), 32 bytes that the caller wipes; `nil` if
    /// the salt is missing or the encryption does not support MACs.
    package func integrityKey() throws(PDFError) -> [UInt8]? {
        guard fileKey.count == 32, let salt = source["KDFSalt"]?.stringValue, salt.count == 32
        else { return nil }
        return try cryptography.deriveKey(from: fileKey, salt: salt, info: Array("PDFMAC".utf8))
    }

    // MARK: In words

    /// The revision of the standard security handler; `nil` when the document is encrypted for
    /// the holders of certificates.
    package var revision: Int? {
        if case .standard(let entries) = dictionary.handler { entries.revision } else { nil }
    }
    /// CMS enveloped data for the holders of certificates; empty where passwords open the document.
    package var envelopes: [[UInt8]] {
        if case .publicKey(let entries) = dictionary.handler { entries.recipients } else { [] }
    }
    /// Whether readers may derive different keys from one envelope, or one password.
    package var keyDependsOnReader: Bool {
        if case .publicKey(let entries) = dictionary.handler, entries.keyDependsOnReader {
            return true
        }
        return isKeyFilledUp || Self.hasOddString(.dictionary(source))
            || keyDependsOnIdentifier && documentID.isOddlySpelled
    }

    /// The parser limits how deep it nests.
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
    /// Whether the document's metadata are encrypted too.
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
    /// Whether programs that do not know ISO/TS 32003 take the document for one that they can read.
    package var isMistakenByPrograms: Bool { dictionary.version > 5 }

    /// The cipher: `RC4-128`, `AES-256`.
    package var methodName: String {
        switch methods.first(where: { $0 != .identity }) {
        case .rc4?: return "RC4-\((fileKey.isEmpty ? 16 : fileKey.count) * 8)"
        case .aes128?: return "AES-128"
        case .aes256?: return "AES-256"
        case .aes256GCM?: return "AES-256-GCM"
        case .identity?, nil: return "none"
        }
    }

    /// Whether nothing but attached files is encrypted.
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

    /// An object to be written under `id`: its strings encrypted, and the data of a stream in
    /// memory.
    ///
    /// - Parameter resolve: Follows references in the stream's dictionary.
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

    /// The data of a stream that is encrypted under `id`.
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

    /// Whether the data of a stream are not filled up to whole blocks as AES needs it: readers drop
    /// as many bytes as the last one says, or keep all.
    ///
    /// - Parameters:
    ///   - byteCount: how many bytes are stored.
    ///   - end: the last two blocks of them, or all where they are fewer.
    func hasOddFilling(
        _ dictionary: PDFDictionary, byteCount: Int, end: [UInt8], _ id: ObjectID,
        resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) -> Bool {
        let method = try method(of: dictionary, resolve)
        // Data that contains only an initialization vector is empty for all viewers.
        guard method.isBlockwise, byteCount > Self.leastByteCount / 2 else { return false }
        guard byteCount % (Self.leastByteCount / 2) == 0 else { return true }
        // The block before serves as the initial vector of the last.
        return try apply(.decrypt, method, end, id).count == end.count - Self.leastByteCount / 2
    }

    /// The object with all strings inside it transformed; `nil` when there are none.
    ///
    /// Recursion is safe: the parser limits how deep objects nest.
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

    /// An initial vector and a block that is nothing but filling.
    private static let leastByteCount = 32

    private func transformed(
        _ dictionary: PDFDictionary, _ id: ObjectID, _ direction: PDFCipherDirection
    ) throws(PDFError) -> PDFDictionary? {
        let isSignature = dictionary.isSignature
        var result: [PDFDictionary.Entry]?
        for (index, entry) in dictionary.entries.enumerated() {
            // ISO 32000-2 §7.6.2: the value of a signature.
            if isSignature && entry.key == "Contents" { continue }
            guard let changed = try transformed(entry.value, id, direction) else { continue }
            if result == nil { result = dictionary.entries }
            result?[index].value = changed
        }
        return result.map { PDFDictionary(entries: $0) }
    }

    // MARK: Ciphers

    /// Which filter encrypts a stream (ISO 32000-2 §7.6.6).
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

    /// The name that a stream's own `Crypt` filter gives, which must be its first.
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

    /// Algorithm 1: the key for one object.
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

    /// Galois/Counter mode with the nonce before the data and the tag behind them
    /// (ISO/TS 32003). Data whose tag is wrong are an error, never taken for empty.
    private func gcm(
        _ direction: PDFCipherDirection, _ data: [UInt8], _ id: ObjectID
    ) throws(PDFError) -> [UInt8] {
        let nonceByteCount = 12
        guard fileKey.count == 32 else {
            throw PDFError(.malformedEncryption, "a key of \(fileKey.count) bytes for AES-256")
        }
        switch direction {
        case .encrypt:
            // 96 random bits: one key would have to encrypt 2^32 strings and streams before a
            // nonce is likely to come again (NIST SP 800-38D §8.3).
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

    /// CBC with the initial vector before the data, filled up to whole blocks
    /// (ISO 32000-2 §7.6.3.1).
    private func aes(
        _ direction: PDFCipherDirection, _ key: [UInt8], _ data: [UInt8]
    ) throws(PDFError) -> [UInt8] {
        let block = 16
        // A filter of the wrong kind for the file's key.
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
            // Data cut short keep their whole blocks, as other readers have it.
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

    /// Whether it is a signature dictionary, whose `Contents` are not encrypted. `Type` is
    /// optional (ISO 32000-2 Table 255); annotations, whose `Contents` are words, have a `Subtype`.
    fileprivate var isSignature: Bool {
        guard self["ByteRange"]?.arrayValue != nil, self["Filter"]?.nameValue != nil,
            self["Subtype"] == nil
        else { return false }
        let type = self["Type"]?.nameValue
        return type == nil || type == "Sig" || type == "DocTimeStamp"
    }
}
