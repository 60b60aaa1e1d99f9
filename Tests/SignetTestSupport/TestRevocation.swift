package import Base
package import CryptoBridge

/// Builds DER of CRLs and OCSP responses for tests.
package enum TestDER {
    package static func sequence(_ parts: [UInt8]...) -> [UInt8] {
        element(0x30, parts.flatMap { $0 })
    }

    package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        DERNode.leaf(tag, content).bytes
    }

    package static func integer(_ value: UInt8) -> [UInt8] { [0x02, 0x01, value] }

    /// Arcs above the first two must be below 2^14.
    package static func oid(_ dotted: String) -> [UInt8] {
        let arcs = dotted.split(separator: ".").compactMap { Int($0) }
        var bytes = [UInt8(arcs[0] * 40 + arcs[1])]
        for arc in arcs.dropFirst(2) {
            if arc >= 1 << 14 { bytes.append(0x80 | UInt8(arc >> 14)) }
            if arc >= 1 << 7 { bytes.append(0x80 | UInt8(arc >> 7 & 0x7F)) }
            bytes.append(UInt8(arc & 0x7F))
        }
        return element(0x06, bytes)
    }

    package static func time(_ time: CalendarTime) -> [UInt8] {
        element(0x18, Array((time.rfc3339.filter(\.isNumber) + "Z").utf8))
    }

    package static func ext(_ oid: String, critical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        sequence(self.oid(oid), critical ? [0x01, 0x01, 0xFF] : [], element(0x04, value))
    }

    /// The AlgorithmIdentifier of ECDSA with SHA-256 or SHA-1.
    static func algorithm(_ digest: DigestAlgorithm) -> [UInt8] {
        sequence(oid(digest == .sha1 ? "1.2.840.10045.4.1" : "1.2.840.10045.4.3.2"))
    }

    static func signed(
        _ body: [UInt8], _ key: PrivateKey, _ digest: DigestAlgorithm, _ rest: [UInt8] = []
    ) throws -> [UInt8] {
        let signature = try key.sign(message: body, scheme: .ecdsa(digest))
        return sequence(body, algorithm(digest), element(0x03, [0] + signature), rest)
    }
}

/// Builds a CRL (RFC 5280 §5).
package struct TestList {
    package struct Entry {
        let serial: [UInt8]
        let date: CalendarTime
        var extensions: [UInt8] = []
    }

    /// The signer of the CRL.
    package var signer: TestPKI.Identity
    package var thisUpdate = TestPKI.time(2026, 5, 1)
    package var nextUpdate: CalendarTime? = TestPKI.time(2026, 7, 1)
    package var entries: [Entry] = []
    /// The DER of each extension.
    package var extensions: [[UInt8]] = []
    package var digest = DigestAlgorithm.sha256

    package init(by signer: TestPKI.Identity) { self.signer = signer }

    /// - Parameter reason: the reason code (RFC 5280 §5.3.1).
    package mutating func revoke(
        _ certificate: Certificate, on date: CalendarTime = TestPKI.time(2026, 4, 1),
        reason: UInt8? = nil, _ more: [UInt8] = []
    ) {
        let code = reason.map { TestDER.ext("2.5.29.21", [0x0A, 0x01, $0]) } ?? []
        entries.append(Entry(serial: certificate.serialDER, date: date, extensions: code + more))
    }

    package mutating func add(_ oid: String, critical: Bool = true, _ value: [UInt8]) {
        extensions.append(TestDER.ext(oid, critical: critical, value))
    }

    /// Adds the extension issuingDistributionPoint with these fields.
    package mutating func limit(_ fields: [UInt8]) { add("2.5.29.28", TestDER.sequence(fields)) }

    package mutating func number(_ value: UInt8, base: UInt8? = nil) {
        add("2.5.29.20", critical: false, TestDER.integer(value))
        if let base { add("2.5.29.27", TestDER.integer(base)) }
    }

    package func der() throws -> [UInt8] {
        let listed = entries.flatMap { entry in
            let extensions = entry.extensions.isEmpty ? [] : TestDER.element(0x30, entry.extensions)
            return TestDER.sequence(entry.serial, TestDER.time(entry.date), extensions)
        }
        let wrapped = TestDER.element(0xA0, TestDER.element(0x30, extensions.flatMap { $0 }))
        let body = TestDER.sequence(
            TestDER.integer(1), TestDER.algorithm(digest), signer.certificate.subjectDER,
            TestDER.time(thisUpdate), nextUpdate.map(TestDER.time) ?? [],
            listed.isEmpty ? [] : TestDER.element(0x30, listed), extensions.isEmpty ? [] : wrapped)
        return try TestDER.signed(body, signer.key, digest)
    }

    package func made() throws -> RevocationList {
        struct Unreadable: Error {}
        guard let list = try RevocationList(der()) else { throw Unreadable() }
        return list
    }
}

/// Builds an OCSP response (RFC 6960).
package struct TestAnswer {
    package struct Single {
        let certificate: Certificate
        let issuer: Certificate
        package var revoked: CalendarTime?
        package var reason: UInt8 = 1
        package var thisUpdate = TestPKI.time(2026, 5, 1)
        package var nextUpdate: CalendarTime? = TestPKI.time(2026, 7, 1)
        package var extensions: [UInt8] = []

        package init(_ certificate: Certificate, issuer: Certificate) {
            self.certificate = certificate
            self.issuer = issuer
        }

        func der() throws -> [UInt8] {
            let sha1 = TestDER.sequence(TestDER.oid("1.3.14.3.2.26"), [0x05, 0x00])
            let id = TestDER.sequence(
                sha1, TestDER.element(0x04, try DigestAlgorithm.sha1.hash(issuer.subjectDER)),
                TestDER.element(0x04, try issuer.publicKey.keyIdentifier()), certificate.serialDER)
            let status =
                revoked.map {
                    TestDER.element(
                        0xA1, TestDER.time($0) + TestDER.element(0xA0, [0x0A, 0x01, reason]))
                } ?? [0x80, 0x00]
            return TestDER.sequence(
                id, status, TestDER.time(thisUpdate),
                nextUpdate.map { TestDER.element(0xA0, TestDER.time($0)) } ?? [],
                extensions.isEmpty
                    ? [] : TestDER.element(0xA1, TestDER.element(0x30, extensions)))
        }
    }

    package var signer: TestPKI.Identity
    package var singles: [Single]
    package var producedAt = TestPKI.time(2026, 5, 1)
    package var extensions: [UInt8] = []
    package var digest = DigestAlgorithm.sha256
    /// Whether the responder is identified by its key hash (byKey) instead of its name.
    package var namesKey = false

    package init(by signer: TestPKI.Identity, _ singles: [Single]) {
        self.signer = signer
        self.singles = singles
    }

    package func made() throws -> OCSPResponse {
        let certificate = signer.certificate
        let name =
            namesKey
            ? TestDER.element(
                0xA2, TestDER.element(0x04, try certificate.publicKey.keyIdentifier()))
            : TestDER.element(0xA1, certificate.subjectDER)
        let body = TestDER.sequence(
            name, TestDER.time(producedAt),
            TestDER.element(0x30, try singles.flatMap { try $0.der() }),
            extensions.isEmpty ? [] : TestDER.element(0xA1, TestDER.element(0x30, extensions)))
        let basic = try TestDER.signed(
            body, signer.key, digest, TestDER.element(0xA0, TestDER.element(0x30, certificate.der)))
        struct Unreadable: Error {}
        guard let response = OCSPResponse(basic) else { throw Unreadable() }
        return response
    }
}

extension TestPKI.Identity {
    /// A copy with another extension, signed again.
    package func adding(
        _ oid: String, critical: Bool = false, _ value: [UInt8], by issuer: TestPKI.Identity
    ) throws -> TestPKI.Identity {
        var tree = DERNode(certificate.der)
        var body = tree[0]
        guard let last = body.children.indices.last else { return self }
        body[last][0].children.append(DERNode(TestDER.ext(oid, critical: critical, value)))
        tree[0] = body
        let signature = try issuer.key.sign(message: body.bytes, scheme: .ecdsa(.sha256))
        tree[2] = .leaf(0x03, [0] + signature)
        return TestPKI.Identity(
            key: key, certificate: try Certificate(der: tree.bytes), chain: chain)
    }
}
