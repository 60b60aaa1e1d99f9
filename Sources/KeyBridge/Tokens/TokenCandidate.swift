package import CryptoBridge

/// A key on a token that may match, with its certificates.
package struct TokenCandidate: Sendable {
    package let token: Token
    /// Nil if the token does not provide it: then a given certificate must contain it.
    package let publicKey: PublicKey?
    /// The certificates of the key, without duplicates.
    let stored: [TokenContents.StoredCertificate]
    let id: [UInt8]
    let label: [UInt8]

    package var certificates: [Certificate] { stored.map(\.certificate) }

    /// The label in quotes; empty if there is none.
    package var name: String { label.isEmpty ? "" : "'\(String(decoding: label, as: UTF8.self))'" }

    /// A URI that identifies this key, as far as the token distinguishes keys.
    package var uri: PKCS11URI {
        var uri = token.uri
        if !id.isEmpty { uri[.id] = id }
        if !label.isEmpty { uri[.object] = label }
        uri[.type] = Array("private".utf8)
        return uri
    }

    /// A URI of a certificate of the key, if there are several that the token distinguishes; else
    /// that of the key.
    package func uri(of certificate: Certificate) -> PKCS11URI {
        guard stored.count > 1, let item = stored.first(where: { $0.certificate == certificate }),
            stored.count(where: { $0.id == item.id && $0.label == item.label }) == 1
        else { return uri }
        var uri = token.uri
        if !item.id.isEmpty { uri[.id] = item.id }
        if !item.label.isEmpty { uri[.object] = item.label }
        uri[.type] = PKCS11URI.certificateType
        return uri
    }

    /// The key's certificates that match a URI: all, unless it identifies a certificate and not the
    /// key.
    package func certificates(meantBy uri: PKCS11URI) -> [Certificate] {
        if uri[.type] != PKCS11URI.certificateType, uri.matches(id: id, label: label) {
            return certificates
        }
        let named = stored.filter { uri.matches(id: $0.id, label: $0.label) }
        return named.isEmpty ? certificates : named.map(\.certificate)
    }

    /// Whether it is the same key on the same token in another module.
    package func isAlso(_ other: TokenCandidate) -> Bool {
        guard let publicKey, publicKey == other.publicKey else { return false }
        return token.module !== other.token.module && !token.info.serial.isEmpty
            && token.info.serial == other.token.info.serial
    }
}

extension Token {
    package func isAlso(_ other: Token) -> Bool {
        module !== other.module && !info.serial.isEmpty && info.isSame(as: other.info)
    }

    /// Tokens without duplicates, from the first module that has each.
    package static func distinct(_ tokens: [Token]) -> [Token] {
        tokens.reduce(into: []) { kept, token in
            if !kept.contains(where: token.isAlso) { kept.append(token) }
        }
    }

    /// Whether a PIN from a file or a variable would be sent to it.
    package var takesGivenPIN: Bool {
        needsLogin && info.flags.isDisjoint(with: [.pinPad, .pinLocked])
    }

    package var uri: PKCS11URI {
        var uri = PKCS11URI()
        for (attribute, text) in [
            (PKCS11URI.Attribute.model, info.model), (.manufacturer, info.manufacturer),
            (.serial, info.serial), (.token, info.label),
        ] where !text.isEmpty { uri[attribute] = Array(text.utf8) }
        uri.modulePath = module.path
        return uri
    }

    /// Whether the URI's library, slot and token attributes match.
    package func matches(_ uri: PKCS11URI) -> Bool {
        let library = module.library
        let version = uri[.libraryVersion].map {
            String(decoding: $0, as: UTF8.self).split(separator: ".").compactMap { UInt8($0) }
        }
        if let version,
            version.first != library.version.major
                || (version.count > 1 ? version[1] : 0) != library.version.minor
        {
            return false
        }
        if let id = uri[.slotID], String(decoding: id, as: UTF8.self) != String(slot) {
            return false
        }
        return [
            (PKCS11URI.Attribute.token, info.label), (.manufacturer, info.manufacturer),
            (.serial, info.serial), (.model, info.model),
            (.slotDescription, info.slotDescription), (.slotManufacturer, info.slotManufacturer),
            (.libraryManufacturer, library.manufacturer),
            (.libraryDescription, library.description),
        ].allSatisfy { attribute, text in uri[attribute].map { $0 == Array(text.utf8) } ?? true }
    }

    /// The visible keys that match the URI.
    ///
    /// If private keys are hidden before login, the keys of public key objects and of end-entity
    /// certificates are used instead.
    package func candidates(for uri: PKCS11URI, in contents: TokenContents) -> [TokenCandidate] {
        let isHidden = needsLogin && contents.privateKeys.isEmpty
        var found: [TokenCandidate] = []
        func add(_ key: PublicKey?, id: [UInt8], label: [UInt8]) {
            if let key, found.contains(where: { $0.publicKey == key }) { return }
            let certificates = contents.certificates.filter { item in
                key.map { item.certificate.certifies($0) } ?? false
            }
            let objects =
                [(id, label)] + certificates.map { ($0.id, $0.label) }
                + contents.publicKeys.filter { $0.key == key }.map { ($0.id, $0.label) }
            guard objects.contains(where: { uri.matches(id: $0, label: $1) }) else { return }
            var unique: [TokenContents.StoredCertificate] = []
            for item in certificates
            where !unique.contains(where: { $0.certificate == item.certificate }) {
                unique.append(item)
            }
            found.append(
                TokenCandidate(token: self, publicKey: key, stored: unique, id: id, label: label))
        }
        for key in contents.privateKeys {
            add(contents.publicKey(of: key), id: key.id, label: key.label)
        }
        guard isHidden else { return found }
        for key in contents.publicKeys { add(key.key, id: key.id, label: key.label) }
        for item in contents.certificates where !item.certificate.isCA {
            add(try? item.certificate.publicKey, id: item.id, label: item.label)
        }
        return found
    }
}

extension PKCS11URI {
    fileprivate static let certificateType = Array("cert".utf8)

    fileprivate func matches(id: [UInt8], label: [UInt8]) -> Bool {
        (self[.id].map { $0 == id } ?? true) && (self[.object].map { $0 == label } ?? true)
    }
}
