extension PDFDocument {
    package var encryption: PDFEncryption? { reader.encryption }

    /// An object with its strings encrypted for the object `id`. Used for objects that are written
    /// as ``PDFObject/verbatim(_:)``.
    package func encrypted(_ object: PDFObject, in id: ObjectID) throws(PDFError) -> PDFObject {
        guard let encryption else { return object }
        return try encryption.encrypted(object, as: id) { (object) throws(PDFError) in
            try self.resolve(object)
        }
    }

    /// Whether the strings of an object in an encrypted document are never encrypted. This applies
    /// to parts of the encryption dictionary and to cross-reference streams (ISO 32000-2 §7.6.2,
    /// §7.5.8.2).
    package func isNeverEncrypted(_ id: ObjectID) throws(PDFError) -> Bool {
        if reader.encryptionParts.contains(id.number) { return true }
        guard case .offset(let offset, _)? = try definition(of: id.number)?.location else {
            return false
        }
        return reader.sectionOffsets.contains(offset)
    }

    /// Finds the key of an encrypted document.
    ///
    /// - Parameter known: The encryption of another revision of the same file: if it is the same,
    ///   the password is not requested again.
    func unlock(sharing known: PDFEncryption?) throws(PDFError) {
        reader.encryption = nil
        reader.encryptionParts = []
        guard isEncrypted, !options.permitsEncryption else { return }
        reader.sectionOffsets = sections.reduce(into: []) { offsets, section in
            offsets.formUnion([section.offset, section.supplementOffset].compactMap { $0 })
        }
        // The objects read so far were not decrypted.
        defer { forgetObjects() }
        let place = sections.first?.offset
        guard let entry = trailer["Encrypt"] else {
            throw PDFError(
                .malformedEncryption,
                "the newest trailer lacks the entry /Encrypt, which an older one has",
                offset: place)
        }
        let resolved = try completeEncryption(entry)
        // Null equals absent (ISO 32000-2 §7.3.7). Content that is encrypted nevertheless is read
        // as it is.
        if resolved == .null, options.repair != .never {
            reader.warnings.add(.encryptionMissing, "Encrypt refers to nothing", offset: place)
            return
        }
        guard case .dictionary(let source) = resolved else {
            throw PDFError(
                .malformedEncryption, "the encryption dictionary is missing", offset: place)
        }
        let documentID = try firstIdentifier()
        if let known, known.source == source, known.documentID.bytes == documentID.bytes,
            known.sourceID == entry.referenceValue
        {
            reader.encryption = known
            return
        }
        guard let decryption = options.decryption else {
            throw PDFError(.encrypted, "the document is encrypted", offset: place)
        }
        let dictionary: EncryptionDictionary
        do {
            dictionary = try EncryptionDictionary(source)
        } catch {
            throw PDFError(
                error.code, error.detail, offset: place, object: entry.referenceValue)
        }
        let opening = try open(dictionary, documentID, decryption)
        if !opening.permissionsAgree {
            reader.warnings.add(
                .encryptionPermissions, "the encrypted copy of the permissions differs",
                object: entry.referenceValue)
        }
        reader.encryption = PDFEncryption(
            dictionary, source: source, sourceID: entry.referenceValue, documentID: documentID,
            opening: opening, cryptography: decryption.cryptography)
    }

    /// The encryption dictionary with all its references resolved.
    private func completeEncryption(_ entry: PDFObject) throws(PDFError) -> PDFObject {
        do {
            var remaining = Self.encryptionEntryLimit
            return try complete(entry, depth: 0, &remaining)
        } catch {
            guard error.code != .readFailed else { throw error }
            throw PDFError(
                .malformedEncryption, error.detail, offset: error.offset, object: error.object)
        }
    }

    private func open(
        _ dictionary: EncryptionDictionary, _ documentID: PDFString, _ decryption: PDFDecryption
    ) throws(PDFError) -> EncryptionOpening {
        switch dictionary.handler {
        case .standard(let entries):
            let handler = StandardSecurityHandler(
                dictionary: entries, encryptsMetadata: dictionary.encryptsMetadata,
                documentID: documentID.bytes, decryption: decryption)
            return try open(handler, leavesOpen: dictionary.leavesDocumentOpen, decryption)
        case .publicKey(let entries):
            return try open(entries, leavesOpen: dictionary.leavesDocumentOpen, decryption)
        }
    }

    /// Opens a document that is encrypted for recipients' certificates.
    private func open(
        _ entries: PublicKeyEncryption, leavesOpen: Bool, _ decryption: PDFDecryption
    ) throws(PDFError) -> EncryptionOpening {
        let closed = EncryptionOpening(
            access: .user, fileKey: [], permissions: PDFPermissions(bits: .max, revision: 3))
        do {
            if var content = try decryption.openEnvelope(entries.recipients) {
                defer { decryption.cryptography.wipe(&content) }
                if let opening = try entries.opening(content, decryption.cryptography) {
                    return opening
                }
            }
        } catch {
            // Other errors are thrown: they may have used up a PIN attempt.
            guard leavesOpen, error.code == .keyNeeded || error.code == .wrongKey else {
                throw error
            }
            if error.code == .wrongKey { warnAboutUnusedKey() }
            return closed
        }
        guard leavesOpen else {
            throw PDFError(.wrongKey, "the key matches no recipient of the document")
        }
        warnAboutUnusedKey()
        return closed
    }

    private func warnAboutUnusedKey() {
        reader.warnings.add(
            .uselessPassword, "the key does not match the encrypted attached files")
    }

    private func open(
        _ handler: StandardSecurityHandler, leavesOpen: Bool, _ decryption: PDFDecryption
    ) throws(PDFError) -> EncryptionOpening {
        let byEmpty = try handler.open([])
        if let byEmpty, byEmpty.access == .owner { return byEmpty }
        let isOpen = byEmpty != nil || leavesOpen
        let open =
            byEmpty
            ?? .init(access: .user, fileKey: [], permissions: handler.dictionary.permissions)
        guard var password = try decryption.password(isOpen) else {
            guard isOpen else {
                throw PDFError(.passwordNeeded, "the document is encrypted and requires a password")
            }
            return open
        }
        defer { decryption.cryptography.wipe(&password) }
        if let opening = try handler.open(password) { return opening.beside(byEmpty) }
        guard isOpen else {
            throw PDFError(.wrongPassword, "the password of the document is wrong")
        }
        reader.warnings.add(
            .uselessPassword,
            "the password is neither the user nor the owner password; the document opens without a password"
        )
        return open
    }

    /// Maximum number of entries of an encryption dictionary with nested ones, and maximum nesting
    /// depth.
    private static let encryptionEntryLimit = 1024
    private static let encryptionDepth = 4

    /// An object with all references inside its dictionaries resolved.
    ///
    /// - Parameter remaining: Number of further entries permitted. A dictionary that is referenced
    ///   several times is expanded each time.
    private func complete(
        _ object: PDFObject, depth: Int, _ remaining: inout Int
    ) throws(PDFError) -> PDFObject {
        guard depth <= Self.encryptionDepth else {
            throw PDFError(.malformedEncryption, "the encryption dictionary is nested too deeply")
        }
        // ISO 32000-2 §7.5.7: not in an object stream, because that would be encrypted itself.
        if let id = object.referenceValue,
            case .compressed? = try definition(of: id.number)?.location
        {
            throw PDFError(
                .malformedEncryption,
                "the encryption dictionary, or a part of it, is in an object stream", object: id)
        }
        if let id = object.referenceValue { reader.encryptionParts.insert(id.number) }
        let resolved = try resolve(object)
        guard case .dictionary(let dictionary) = resolved else { return resolved }
        if let key = dictionary.duplicateKeys.first {
            throw PDFError(
                .malformedEncryption, "the encryption dictionary has the key /\(key) more than once"
            )
        }
        remaining -= dictionary.count
        guard remaining >= 0 else {
            throw PDFError(.malformedEncryption, "the encryption dictionary has too many entries")
        }
        var entries: [PDFDictionary.Entry] = []
        for entry in dictionary.entries {
            let value = try complete(entry.value, depth: depth + 1, &remaining)
            entries.append(.init(key: entry.key, value: value))
        }
        return .dictionary(PDFDictionary(entries: entries))
    }

    /// The first part of `ID`; empty if there is none.
    private func firstIdentifier() throws(PDFError) -> PDFString {
        for section in sections {
            guard let value = section.trailer["ID"] else { continue }
            guard case .array(let parts) = try resolve(value), let first = parts.first else {
                break
            }
            if case .string(let identifier) = try resolve(first) { return identifier }
            break
        }
        return PDFString(bytes: [])
    }
}
