internal import Base
internal import CLoaded
internal import CMSKit
package import CryptoBridge

/// Generates keys and stores certificates on a token.
extension Token {
    package struct NewKey: Sendable {
        package let type: KeyType
        package let label: String
        /// Nil: the subject key identifier (RFC 5280 §4.2.1.2).
        package let id: [UInt8]?
        /// Whether each signature requires the PIN.
        package let isAlwaysAuthenticating: Bool

        package init(type: KeyType, label: String, id: [UInt8]?, isAlwaysAuthenticating: Bool) {
            self.type = type
            self.label = label
            self.id = id
            self.isAlwaysAuthenticating = isAlwaysAuthenticating
        }
    }

    /// The error if an object with this identifier or label exists.
    package struct Exists: Error { package let what: String }

    /// Generates a non-extractable key pair for signing only.
    ///
    /// - Parameter keep: stores the public key; if it fails, the key is removed.
    /// - Returns: the public key, and a URI of the key.
    /// - Throws: ``Exists``, ``SigningFailure``, or an error of `keep`.
    package func generate(
        _ new: NewKey, pins: PINSource, keep: (PublicKey) throws -> Void = { _ in }
    ) throws -> (publicKey: PublicKey, uri: PKCS11URI) {
        try requireWritable()
        try logIn(pins, subject: nil)
        try requireUnused(id: new.id, label: new.label)
        let session = try openSession(writes: true)
        defer { closeSession(session) }
        let (mechanism, parameters) = try Self.generation(of: new.type)
        let (publicTemplate, privateTemplate) = Self.templates(of: new, parameters)
        var publicHandle: UInt = 0
        var privateHandle: UInt = 0
        let code = module.call { functions in
            unsafe Self.withTemplate(publicTemplate) { first, firstCount in
                unsafe Self.withTemplate(privateTemplate) { second, secondCount in
                    unsafe TokenMechanism(type: mechanism).lend {
                        unsafe functions.GenerateKeyPair(
                            session, $0, first, firstCount, second, secondCount, &publicHandle,
                            &privateHandle)
                    }
                }
            }
        }
        if code.refusesMechanism {
            throw SigningFailure(
                .unsupported,
                "the token '\(info.label)' does not support this key type (\(code.name))",
                hint: Sentence(.chooseKeyType))
        }
        guard code == .ok else { throw failure(of: "C_GenerateKeyPair", code) }
        do {
            guard let key = publicKey(publicHandle, in: session) else {
                throw SigningFailure(
                    .unavailable, "the token '\(info.label)' did not return the new public key")
            }
            let id = try new.id ?? key.keyIdentifier()
            if new.id == nil {
                for object in [publicHandle, privateHandle] { try set(id: id, of: object, session) }
            }
            var uri = self.uri
            uri[.id] = id
            if !new.label.isEmpty { uri[.object] = Array(new.label.utf8) }
            uri[.type] = Array("private".utf8)
            try keep(key)
            return (key, uri)
        } catch {
            // Removes both objects, so that no partial key remains.
            for object in [publicHandle, privateHandle] {
                _ = module.call { $0.DestroyObject(session, object) }
            }
            throw error
        }
    }

    private static func templates(
        of new: NewKey, _ parameters: [(UInt, [UInt8])]
    ) -> (public: [(UInt, [UInt8])], private: [(UInt, [UInt8])]) {
        let names =
            [(ObjectAttribute.label, Array(new.label.utf8))]
            + (new.id.map { [(ObjectAttribute.id, $0)] } ?? [])
        let shown = [
            (ObjectAttribute.isOnToken, yes), (ObjectAttribute.isPrivate, no),
            (ObjectAttribute.verifies, yes),
        ]
        let hidden =
            [
                (ObjectAttribute.isOnToken, yes), (ObjectAttribute.isPrivate, yes),
                (ObjectAttribute.isSensitive, yes), (ObjectAttribute.isExtractable, no),
                (ObjectAttribute.signs, yes), (ObjectAttribute.decrypts, no),
                (ObjectAttribute.unwraps, no), (ObjectAttribute.derives, no),
            ] + (new.isAlwaysAuthenticating ? [(ObjectAttribute.isAlwaysAuthenticating, yes)] : [])
        return (shown + parameters + names, hidden + names)
    }

    /// Stores a certificate with the identifier and label of its key, unless it is already
    /// stored.
    package func store(_ certificate: Certificate, pins: PINSource) throws {
        try requireWritable()
        try logIn(pins, subject: nil)
        let contents = try contents()
        guard !contents.certificates.contains(where: { $0.certificate == certificate }) else {
            return
        }
        let beside =
            contents.publicKeys.first { certificate.certifies($0.key) }.map { ($0.id, $0.label) }
            ?? contents.privateKeys.first {
                contents.publicKey(of: $0).map(certificate.certifies) ?? false
            }.map { ($0.id, $0.label) }
        guard let (id, label) = beside else {
            throw SigningFailure(
                .missing, "the token '\(info.label)' has no key for the certificate")
        }
        let session = try openSession(writes: true)
        defer { closeSession(session) }
        var object: UInt = 0
        let x509: UInt = 0
        let code = module.call { functions in
            unsafe Self.withTemplate([
                (ObjectAttribute.objectClass, Self.bytes(ObjectClass.certificate)),
                (ObjectAttribute.certificateType, Self.bytes(x509)),
                (ObjectAttribute.isOnToken, Self.yes), (ObjectAttribute.isPrivate, Self.no),
                (ObjectAttribute.label, label), (ObjectAttribute.id, id),
                (ObjectAttribute.subject, certificate.subjectDER),
                (ObjectAttribute.issuer, certificate.issuerDER),
                (ObjectAttribute.serialNumber, certificate.serialDER),
                (ObjectAttribute.value, certificate.der),
            ]) { template, count in unsafe functions.CreateObject(session, template, count, &object)
            }
        }
        guard code == .ok else { throw failure(of: "C_CreateObject", code) }
    }

    private func requireWritable() throws {
        guard !info.flags.contains(.writeProtected) else {
            throw SigningFailure(.refused, "the token '\(info.label)' is write-protected")
        }
    }

    private func requireUnused(id: [UInt8]?, label: String) throws {
        let contents = try contents()
        let label = Array(label.utf8)
        let all =
            contents.certificates.map { ($0.id, $0.label) }
            + contents.publicKeys.map { ($0.id, $0.label) }
            + contents.privateKeys.map { ($0.id, $0.label) }
        for other in all {
            if let id, id == other.0 { throw Exists(what: "an object with this ID") }
            if !label.isEmpty, label == other.1 { throw Exists(what: "an object with this label") }
        }
    }

    private func set(id: [UInt8], of object: UInt, _ session: UInt) throws {
        let code = module.call { functions in
            unsafe Self.withTemplate([(ObjectAttribute.id, id)]) {
                unsafe functions.SetAttributeValue(session, object, $0, $1)
            }
        }
        guard code == .ok else { throw failure(of: "C_SetAttributeValue", code) }
    }

    // MARK: Templates

    static let yes: [UInt8] = [1]
    static let no: [UInt8] = [0]

    /// A number in the byte order of the machine.
    static func bytes(_ number: UInt) -> [UInt8] {
        (0..<MemoryLayout<UInt>.size).map { UInt8(truncatingIfNeeded: number >> (8 * UInt($0))) }
    }

    /// The mechanism (CKM_...) for generating such keys, and its parameters.
    private static func generation(of type: KeyType) throws -> (UInt, [(UInt, [UInt8])]) {
        switch type {
        case .rsa(let bits):
            return (
                0x0,
                [
                    (ObjectAttribute.modulusBits, bytes(UInt(bits))),
                    (ObjectAttribute.publicExponent, [1, 0, 1]),
                ]
            )
        case .ec(let curve):
            let identifier: OID =
                switch curve {
                case .p256: .prime256v1
                case .p384: .secp384r1
                case .p521: .secp521r1
                }
            return (0x1040, [(ObjectAttribute.curve, DERWriter.objectIdentifier(identifier))])
        case .ed25519:
            // The name as a PrintableString, which older tokens require.
            return (0x1055, [(ObjectAttribute.curve, DERWriter.printable("edwards25519"))])
        case .ed448: return (0x1055, [(ObjectAttribute.curve, DERWriter.printable("edwards448"))])
        case .dsa, .quantumSafe:
            throw SigningFailure(
                .unsupported, "keys of this type cannot be generated on tokens",
                hint: Sentence(.chooseKeyType))
        }
    }

    static func withTemplate(
        _ values: [(type: UInt, value: [UInt8])],
        _ body: (UnsafePointer<CCryptoki_attribute>?, UInt) -> UInt
    ) -> UInt {
        let storage = values.flatMap(\.value)
        return unsafe storage.withUnsafeBytes { buffer in
            var attributes: [CCryptoki_attribute] = unsafe []
            var offset = 0
            for (type, value) in values {
                let start = unsafe UnsafeMutableRawPointer(
                    mutating: buffer.baseAddress.map { unsafe $0 + offset })
                unsafe attributes.append(
                    CCryptoki_attribute(type: type, value: start, count: UInt(value.count)))
                offset += value.count
            }
            return unsafe attributes.withUnsafeBufferPointer {
                unsafe body($0.baseAddress, UInt($0.count))
            }
        }
    }
}
