internal import CLoaded
internal import CMSKit
package import CryptoBridge
internal import Synchronization

/// The CKO_..., CKA_..., CKK_... constants in use (PKCS#11 2.40 §4).
enum ObjectClass {
    static let certificate: UInt = 1
    static let publicKey: UInt = 2
    static let privateKey: UInt = 3
    static let secretKey: UInt = 4
}

enum ObjectAttribute {
    static let objectClass: UInt = 0x0
    static let isOnToken: UInt = 0x1
    static let isPrivate: UInt = 0x2
    static let label: UInt = 0x3
    static let value: UInt = 0x11
    static let certificateType: UInt = 0x80
    static let issuer: UInt = 0x81
    static let serialNumber: UInt = 0x82
    static let keyType: UInt = 0x100
    static let subject: UInt = 0x101
    static let id: UInt = 0x102
    static let isSensitive: UInt = 0x103
    static let decrypts: UInt = 0x105
    static let unwraps: UInt = 0x107
    static let signs: UInt = 0x108
    static let verifies: UInt = 0x10A
    static let derives: UInt = 0x10C
    static let modulus: UInt = 0x120
    static let modulusBits: UInt = 0x121
    static let publicExponent: UInt = 0x122
    static let publicKeyInfo: UInt = 0x129
    static let prime: UInt = 0x130
    static let subprime: UInt = 0x131
    static let base: UInt = 0x132
    static let valueByteCount: UInt = 0x161
    static let isExtractable: UInt = 0x162
    static let curve: UInt = 0x180
    static let point: UInt = 0x181
    static let isAlwaysAuthenticating: UInt = 0x202
    static let allowedMechanisms: UInt = 0x4000_0600
}

enum TokenKeyType {
    static let rsa: UInt = 0
    static let dsa: UInt = 1
    static let ec: UInt = 3
    static let edwards: UInt = 0x40
    static let genericSecret: UInt = 0x10
}

package enum TokenKeyUse: Sendable {
    case signing
    /// Decryption or key agreement.
    case decrypting
}

package struct TokenContents: Sendable {
    package struct StoredCertificate: Sendable {
        package let certificate: Certificate
        let id: [UInt8]
        let label: [UInt8]
    }

    struct StoredPublicKey: Sendable {
        let key: PublicKey
        let id: [UInt8]
        let label: [UInt8]
    }

    struct StoredPrivateKey: Sendable {
        let handle: UInt
        /// Nil if the token does not provide it.
        let key: PublicKey?
        let type: UInt?
        let id: [UInt8]
        let label: [UInt8]
        let subject: [UInt8]
        let isAlwaysAuthenticating: Bool
        /// Empty permits all mechanisms of the token.
        let allowedMechanisms: [UInt]
    }

    package let certificates: [StoredCertificate]
    let publicKeys: [StoredPublicKey]
    let privateKeys: [StoredPrivateKey]
    /// Unreadable objects, which do not prevent the use of others.
    package let unreadable: Int
}

extension Token {
    /// Maximum number of objects of a class read.
    private static let objectLimit = 4096
    /// Longest value read: certificates are the longest.
    private static let valueLimit = 256 * 1024

    /// The visible contents. Before a login private keys are rarely visible.
    ///
    /// - Parameter use: required use of private keys.
    package func contents(for use: TokenKeyUse = .signing) throws -> TokenContents {
        try atHome { try readContents(use, in: $0) }
    }

    private func readContents(_ use: TokenKeyUse, in session: UInt) throws -> TokenContents {
        func value(_ attribute: UInt, of object: UInt) -> [UInt8] {
            bytes(attribute, of: object, session) ?? []
        }
        let certificateObjects = try find(ObjectClass.certificate, in: session)
        let certificates = certificateObjects.compactMap { object in
            (try? Certificate(der: value(ObjectAttribute.value, of: object))).map {
                TokenContents.StoredCertificate(
                    certificate: $0, id: value(ObjectAttribute.id, of: object),
                    label: value(ObjectAttribute.label, of: object))
            }
        }
        let publicKeyObjects = try find(ObjectClass.publicKey, in: session)
        let publicKeys = publicKeyObjects.compactMap { object in
            publicKey(object, in: session).map {
                TokenContents.StoredPublicKey(
                    key: $0, id: value(ObjectAttribute.id, of: object),
                    label: value(ObjectAttribute.label, of: object))
            }
        }
        let privateKeys = try find(ObjectClass.privateKey, in: session).compactMap { object in
            privateKey(object, use: use, in: session)
        }
        return TokenContents(
            certificates: certificates, publicKeys: publicKeys, privateKeys: privateKeys,
            unreadable: certificateObjects.count - certificates.count + publicKeyObjects.count
                - publicKeys.count)
    }

    func find(_ objectClass: UInt, in session: UInt) throws -> [UInt] {
        var objects: [UInt] = []
        let template = [(ObjectAttribute.objectClass, Self.bytes(objectClass))]
        let code = module.call { functions in
            var code = unsafe Self.withTemplate(template) {
                unsafe functions.FindObjectsInit(session, $0, $1)
            }
            guard code == 0 else { return code }
            var part = [UInt](repeating: 0, count: 256)
            var count: UInt = 0
            // One call need not return all objects.
            repeat {
                code = unsafe functions.FindObjects(session, &part, UInt(part.count), &count)
                guard code == 0, count <= UInt(part.count) else { break }
                objects += part.prefix(Int(count))
            } while count > 0 && objects.count < Self.objectLimit
            _ = functions.FindObjectsFinal(session)
            return code
        }
        guard code == .ok else { throw failure(of: "C_FindObjects", code) }
        return objects
    }

    /// Reads one attribute at a time: an unsupported one would make the whole request fail.
    func bytes(_ attribute: UInt, of object: UInt, _ session: UInt) -> [UInt8]? {
        var value = [UInt8](repeating: 0, count: 2048)
        func read(into room: UnsafeMutableRawBufferPointer?) -> (code: TokenCode, count: UInt) {
            var wanted = unsafe CCryptoki_attribute(
                type: attribute, value: room?.baseAddress, count: UInt(room?.count ?? 0))
            let code = module.call { unsafe $0.GetAttributeValue(session, object, &wanted, 1) }
            return unsafe (code, wanted.count)
        }
        var answer = unsafe value.withUnsafeMutableBytes { unsafe read(into: $0) }
        if answer.code == .bufferTooSmall {
            answer = read(into: nil)
            guard answer.code == .ok, answer.count <= Self.valueLimit else { return nil }
            value = [UInt8](repeating: 0, count: Int(answer.count))
            answer = unsafe value.withUnsafeMutableBytes { unsafe read(into: $0) }
        }
        guard answer.code == .ok, answer.count <= value.count else { return nil }
        return Array(value.prefix(Int(answer.count)))
    }

    private func number(_ attribute: UInt, of object: UInt, _ session: UInt) -> UInt? {
        bytes(attribute, of: object, session).flatMap { Self.numbers($0).first }
    }

    private func flag(_ attribute: UInt, of object: UInt, _ session: UInt) -> Bool? {
        bytes(attribute, of: object, session)?.first.map { $0 != 0 }
    }

    /// Numbers in the byte order of the machine.
    private static func numbers(_ bytes: [UInt8]) -> [UInt] {
        let width = MemoryLayout<UInt>.size
        return stride(from: 0, to: bytes.count - bytes.count % width, by: width).map { start in
            bytes[start..<start + width].reversed().reduce(UInt(0)) { $0 << 8 | UInt($1) }
        }
    }

    func publicKey(_ object: UInt, in session: UInt) -> PublicKey? {
        func value(_ attribute: UInt) -> [UInt8] { bytes(attribute, of: object, session) ?? [] }
        switch number(ObjectAttribute.keyType, of: object, session) {
        case TokenKeyType.rsa:
            return try? PublicKey(
                modulus: value(ObjectAttribute.modulus),
                exponent: value(ObjectAttribute.publicExponent))
        case TokenKeyType.dsa:
            return try? PublicKey(
                prime: value(ObjectAttribute.prime), subprime: value(ObjectAttribute.subprime),
                base: value(ObjectAttribute.base), value: value(ObjectAttribute.value))
        case TokenKeyType.ec, TokenKeyType.edwards:
            return try? PublicKey(
                curve: value(ObjectAttribute.curve), point: value(ObjectAttribute.point))
        default: return nil
        }
    }

    private func privateKey(
        _ object: UInt, use: TokenKeyUse, in session: UInt
    ) -> TokenContents.StoredPrivateKey? {
        func value(_ attribute: UInt) -> [UInt8] { bytes(attribute, of: object, session) ?? [] }
        let type = number(ObjectAttribute.keyType, of: object, session)
        let permission =
            switch use {
            case .signing: ObjectAttribute.signs
            case .decrypting:
                type == TokenKeyType.rsa ? ObjectAttribute.decrypts : ObjectAttribute.derives
            }
        // A key for another use has the attribute false; a missing attribute permits the use.
        if flag(permission, of: object, session) == false { return nil }
        var key: PublicKey?
        if type == TokenKeyType.rsa {
            key = try? PublicKey(
                modulus: value(ObjectAttribute.modulus),
                exponent: value(ObjectAttribute.publicExponent))
        }
        let info = key == nil ? value(ObjectAttribute.publicKeyInfo) : []
        if !info.isEmpty { key = try? PublicKey(spkiDER: info) }
        return TokenContents.StoredPrivateKey(
            handle: object, key: key, type: type, id: value(ObjectAttribute.id),
            label: value(ObjectAttribute.label), subject: value(ObjectAttribute.subject),
            isAlwaysAuthenticating: flag(
                ObjectAttribute.isAlwaysAuthenticating, of: object, session) ?? false,
            allowedMechanisms: Self.numbers(value(ObjectAttribute.allowedMechanisms)))
    }

    /// The purpose of a mechanism (CKF_..., PKCS#11 2.40 §3.4).
    enum MechanismUse: UInt {
        case decrypt = 0x200
        case sign = 0x800
        case derive = 0x80000
    }

    /// Mechanisms with a purpose; nil if unknown. Requested once: some modules need longer for the
    /// list than for a signature.
    func mechanisms(for use: MechanismUse) -> Set<UInt>? {
        let all = knownMechanisms.withLock { known in
            if let known { return known }
            known = askForMechanisms()
            return known ?? [:]
        }
        guard !all.isEmpty else { return nil }
        return Set(all.filter { $0.value & use.rawValue != 0 }.keys)
    }

    private func askForMechanisms() -> [UInt: UInt]? {
        var types = [UInt](repeating: 0, count: 1024)
        var count = UInt(types.count)
        guard
            module.call({ unsafe $0.GetMechanismList(slot, &types, &count) }) == .ok,
            count > 0, count <= UInt(types.count)
        else { return nil }
        var found: [UInt: UInt] = [:]
        for type in types.prefix(Int(count)) {
            var info = CCryptoki_mechanism_info()
            let code = module.call { unsafe $0.GetMechanismInfo(slot, type, &info) }
            found[type] = code == .ok ? info.flags : .max
        }
        return found
    }
}

extension TokenContents {
    func publicKey(of key: StoredPrivateKey) -> PublicKey? {
        if let own = key.key { return own }
        func fits(_ other: PublicKey) -> Bool {
            switch (key.type, other.algorithm) {
            case (TokenKeyType.rsa, .rsa), (TokenKeyType.dsa, .dsa), (TokenKeyType.ec, .ec),
                (TokenKeyType.edwards, .ed25519), (TokenKeyType.edwards, .ed448),
                (TokenKeyType.ec, .ed25519), (nil, _):
                true
            default: false
            }
        }
        let objects = publicKeys.filter { fits($0.key) }
        let stored = certificates.compactMap { item in
            (try? item.certificate.publicKey).map { (key: $0, id: item.id, label: item.label) }
        }.filter { fits($0.key) }
        // Only an unambiguous result is used: identifiers need not be unique.
        for group in [
            key.id.isEmpty
                ? [] : objects.filter { $0.id == key.id && $0.label == key.label }.map(\.key),
            key.id.isEmpty ? [] : objects.filter { $0.id == key.id }.map(\.key),
            key.id.isEmpty ? [] : stored.filter { $0.id == key.id }.map(\.key),
            key.label.isEmpty ? [] : objects.filter { $0.label == key.label }.map(\.key),
            key.label.isEmpty ? [] : stored.filter { $0.label == key.label }.map(\.key),
        ] {
            guard let first = group.first else { continue }
            return group.allSatisfy { $0 == first } ? first : nil
        }
        return nil
    }
}
