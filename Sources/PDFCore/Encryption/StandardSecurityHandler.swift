/// Checks passwords and derives the file key (ISO 32000-2 §7.6.4).
struct StandardSecurityHandler {
    let dictionary: StandardEncryption
    let encryptsMetadata: Bool
    /// The first part of the trailer's `ID`.
    let documentID: [UInt8]
    let decryption: PDFDecryption
    private var cryptography: any PDFCryptography { decryption.cryptography }

    /// Tries a password, first as the owner's, which grants more permissions.
    ///
    /// - Throws: The error of the normalization, if the password does not fit without it.
    func open(_ password: [UInt8]) throws(PDFError) -> EncryptionOpening? {
        var normalized: [UInt8]?
        var obstacle: PDFError?
        if dictionary.revision >= 5, PasswordEncoding.isText(password) {
            do {
                normalized = try decryption.normalize(password)
            } catch {
                obstacle = error
            }
        }
        var found: EncryptionOpening?
        for var candidate in PasswordEncoding.candidates(
            password, normalized: normalized, dictionary.revision)
        {
            defer { cryptography.wipe(&candidate) }
            guard dictionary.revision >= 5 else {
                if let opening = try openOld(candidate) { return opening }
                continue
            }
            let opening = try openNew(candidate)
            found = found.map { $0.beside(opening) } ?? opening
        }
        if let found { return found }
        if let obstacle { throw obstacle }
        return nil
    }

    // MARK: Revisions 2 to 4

    /// Pads passwords to 32 bytes.
    private static let padding: [UInt8] = [
        0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01,
        0x08, 0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53,
        0x69, 0x7A,
    ]

    private func openOld(_ password: [UInt8]) throws(PDFError) -> EncryptionOpening? {
        var secret = Array((password.prefix(32) + Self.padding).prefix(32))
        defer { cryptography.wipe(&secret) }
        for byteCount in dictionary.keyByteCounts {
            // Some writers truncate the key between the rounds, others afterwards.
            for roundByteCount in Set([16, byteCount]).sorted(by: >) {
                var userPassword = try userPassword(
                    owner: secret, byteCount: byteCount, roundByteCount: roundByteCount)
                defer { cryptography.wipe(&userPassword) }
                if let key = try fileKey(user: userPassword, byteCount: byteCount) {
                    return try openingOld(.owner, key: key)
                }
                // Revision 2 has no rounds.
                if dictionary.revision == 2 { break }
            }
            if let key = try fileKey(user: secret, byteCount: byteCount) {
                return try openingOld(.user, key: key)
            }
        }
        return nil
    }

    /// Acrobat pads a short key of revision 4 with zeros.
    private func openingOld(
        _ access: PDFEncryption.Access, key: [UInt8]
    ) throws(PDFError) -> EncryptionOpening {
        guard dictionary.revision == 4, key.count < 16 else {
            return try opening(access, fileKey: key)
        }
        var opening = try opening(
            access, fileKey: key + [UInt8](repeating: 0, count: 16 - key.count))
        opening.isKeyFilledUp = true
        return opening
    }

    /// Algorithms 2, 4, 5 and 6: the key, if the password is the user password.
    private func fileKey(user password: [UInt8], byteCount: Int) throws(PDFError) -> [UInt8]? {
        let bits = dictionary.permissions.bits
        let flags = (0..<4).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
        let isMetadataOpen = dictionary.revision >= 4 && !encryptsMetadata
        var digest = try cryptography.hash(
            .md5,
            [
                password, dictionary.owner, flags, documentID,
                isMetadataOpen ? [0xFF, 0xFF, 0xFF, 0xFF] : [],
            ])
        defer { cryptography.wipe(&digest) }
        if dictionary.revision >= 3 {
            for _ in 0..<50 {
                digest = try cryptography.hash(.md5, [Array(digest.prefix(byteCount))])
            }
        }
        let key = Array(digest.prefix(byteCount))
        if dictionary.revision == 2 {
            return RC4.apply(key: key, to: Self.padding) == dictionary.user ? key : nil
        }
        var check = try cryptography.hash(.md5, [Self.padding, documentID])
        for round in 0..<20 { check = RC4.apply(key: key.map { $0 ^ UInt8(round) }, to: check) }
        return check.elementsEqual(dictionary.user.prefix(16)) ? key : nil
    }

    /// Algorithm 7: decrypts the padded user password in /O with an owner password.
    private func userPassword(
        owner password: [UInt8], byteCount: Int, roundByteCount: Int
    ) throws(PDFError) -> [UInt8] {
        var digest = try cryptography.hash(.md5, [password])
        if dictionary.revision >= 3 {
            for _ in 0..<50 {
                digest = try cryptography.hash(.md5, [Array(digest.prefix(roundByteCount))])
            }
        }
        let key = Array(digest.prefix(byteCount))
        guard dictionary.revision >= 3 else { return RC4.apply(key: key, to: dictionary.owner) }
        var hidden = dictionary.owner
        for round in (0..<20).reversed() {
            hidden = RC4.apply(key: key.map { $0 ^ UInt8(round) }, to: hidden)
        }
        return hidden
    }

    // MARK: Revisions 5 and 6

    /// Algorithm 2.A.
    private func openNew(_ password: [UInt8]) throws(PDFError) -> EncryptionOpening? {
        let owner = Salted(dictionary.owner)
        let user = Salted(dictionary.user)
        var found: EncryptionOpening?
        if try hash(password, owner.validationSalt, dictionary.user) == owner.hash {
            var key = try hash(password, owner.keySalt, dictionary.user)
            defer { cryptography.wipe(&key) }
            found = try opening(.owner, fileKey: unwrapped(dictionary.ownerKey, with: key))
        }
        // A password may be both. Then some viewers use it as the owner's, others as the user's.
        if try hash(password, user.validationSalt, []) == user.hash {
            var key = try hash(password, user.keySalt, [])
            defer { cryptography.wipe(&key) }
            let asUser = try opening(.user, fileKey: unwrapped(dictionary.userKey, with: key))
            found = found?.beside(asUser) ?? asUser
        }
        return found
    }

    /// The parts of O and U.
    private struct Salted {
        let hash: [UInt8]
        let validationSalt: [UInt8]
        let keySalt: [UInt8]

        init(_ bytes: [UInt8]) {
            hash = Array(bytes.prefix(32))
            validationSalt = Array(bytes.dropFirst(32).prefix(8))
            keySalt = Array(bytes.dropFirst(40).prefix(8))
        }
    }

    private func unwrapped(_ wrapped: [UInt8], with key: [UInt8]) throws(PDFError) -> [UInt8] {
        try cryptography.aesCBC(
            .decrypt, key: key, initialVector: [UInt8](repeating: 0, count: 16), data: wrapped)
    }

    private func hash(
        _ password: [UInt8], _ salt: [UInt8], _ user: [UInt8]
    ) throws(PDFError) -> [UInt8] {
        let start = try cryptography.hash(.sha256, [password, salt, user])
        guard dictionary.revision >= 6 else { return start }
        return try PasswordHash.hardened(start, password, user, cryptography)
    }

    // MARK: Permissions

    private func opening(
        _ access: PDFEncryption.Access, fileKey: [UInt8]
    ) throws(PDFError) -> EncryptionOpening {
        let (confirmed, agrees) = try confirmedPermissions(fileKey: fileKey)
        return EncryptionOpening(
            access: access, fileKey: fileKey, permissions: dictionary.permissions,
            confirmedPermissions: confirmed, confirmsPermissions: dictionary.revision >= 5,
            permissionsAgree: agrees)
    }

    /// Algorithm 13: the encrypted copy of the permissions, and whether the dictionary agrees with
    /// it. The copy cannot be changed without the file key. `nil` if there is none.
    private func confirmedPermissions(
        fileKey: [UInt8]
    ) throws(PDFError) -> (PDFPermissions?, agrees: Bool) {
        guard dictionary.revision >= 5 else { return (nil, true) }
        guard dictionary.encryptedPermissions.count == 16 else { return (nil, false) }
        // A single block: CBC with a zero initialization vector equals ECB.
        let plain = try unwrapped(dictionary.encryptedPermissions, with: fileKey)
        guard plain[9...11].elementsEqual(Array("adb".utf8)) else { return (nil, false) }
        let bits = plain.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (
            PDFPermissions(bits: bits, revision: dictionary.revision),
            bits == dictionary.permissions.bits
                && (plain[8] == UInt8(ascii: "T")) == encryptsMetadata
        )
    }
}

/// Algorithm 2.B of ISO 32000-2 §7.6.4.3.4.
enum PasswordHash {
    /// Maximum number of rounds. The last byte of a round's output ends them; it is at most 255.
    private static let roundLimit = 256 + 32

    static func hardened(
        _ start: [UInt8], _ password: [UInt8], _ user: [UInt8], _ cryptography: any PDFCryptography
    ) throws(PDFError) -> [UInt8] {
        var key = start
        defer { cryptography.wipe(&key) }
        for round in 0..<roundLimit {
            // Reserved, so that growing leaves no copies of the password in memory.
            var repeated: [UInt8] = []
            repeated.reserveCapacity(64 * (password.count + key.count + user.count))
            for _ in 0..<64 {
                repeated += password
                repeated += key
                repeated += user
            }
            defer { cryptography.wipe(&repeated) }
            let output = try cryptography.aesCBC(
                .encrypt, key: Array(key.prefix(16)), initialVector: Array(key[16..<32]),
                data: repeated)
            // 256 mod 3 is 1, so the big-endian number and the sum of its bytes have the same
            // remainder.
            let remainder = output.prefix(16).reduce(0) { $0 + Int($1) } % 3
            let algorithm: PDFHashAlgorithm =
                remainder == 0 ? .sha256 : remainder == 1 ? .sha384 : .sha512
            key = try cryptography.hash(algorithm, [output])
            if round >= 63, let last = output.last, Int(last) <= round - 31 { break }
        }
        return Array(key.prefix(32))
    }
}
