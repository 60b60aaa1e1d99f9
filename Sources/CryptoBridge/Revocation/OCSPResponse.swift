package import Base
internal import COpenSSL
internal import Synchronization

/// An OCSP response (RFC 6960). Parsing does not make it trusted.
@safe
package final class OCSPResponse: @unchecked Sendable {
    // Sendable: the structure is not changed after loading.
    private let basic: OpaquePointer?
    /// The response's bytes.
    package let der: [UInt8]
    /// When the responder signed.
    package let producedAt: CalendarTime
    /// An unknown critical extension of the whole response.
    package let unknownCriticalExtension: OID?
    package let signatureDigest: SignatureDigest
    /// The value of the nonce extension; nil without one.
    let nonce: [UInt8]?
    private let responder: Responder
    private let signers = TriedSigners()
    private let brought = Mutex<EmbeddedCertificates?>(nil)

    private struct EmbeddedCertificates {
        let all: [Certificate]
        let named: [Certificate]
    }

    /// Larger responses are rejected.
    package static let byteLimit = 1_048_576

    /// One SingleResponse about one certificate.
    package struct Answer: Sendable {
        package let statement: RevocationStatement
        /// Certificates that expired before this time are left out (RFC 6960 §4.4.4).
        package let keepsExpiredSince: CalendarTime?
        /// An unknown critical extension of this SingleResponse.
        package let unknownCriticalExtension: OID?
        /// Whether the responder does not know the certificate (RFC 6960 §2.2).
        package let isUnknown: Bool
        /// Whether certHash (Common PKI) is the hash of the certificate; nil without certHash.
        package let namesCertificate: Bool?
    }

    /// The ResponderID (RFC 6960 §4.2.2.3).
    private enum Responder {
        /// The canonical name.
        case name([UInt8])
        /// SHA-1 of the key's bits.
        case keyHash([UInt8])
    }

    /// Reads an OCSPResponse or a BasicOCSPResponse, which some DSS dictionaries contain; nil for
    /// anything else. A response with an error status has no answers.
    package init?(_ bytes: [UInt8]) {
        OpenSSL.prepare()
        defer { ERR_clear_error() }
        guard bytes.count <= OCSPResponse.byteLimit, let der = Self.wrapped(bytes),
            Self.isReadable(der), let response = unsafe Self.parse(der)
        else { return nil }
        defer { unsafe OCSP_RESPONSE_free(response) }
        let basic =
            unsafe OCSP_response_status(response) == OCSP_RESPONSE_STATUS_SUCCESSFUL
            ? unsafe OCSP_response_get1_basic(response) : nil
        self.der = der
        unsafe self.basic = basic
        producedAt =
            unsafe basic.flatMap {
                unsafe RevocationStatement.time(OCSP_resp_get0_produced_at($0))
            } ?? .distantPast
        let algorithm = unsafe OpenSSL.encode {
            unsafe basic == nil ? -1 : i2d_X509_ALGOR(OCSP_resp_get0_tbs_sigalg(basic), $0)
        }
        signatureDigest = SignatureDigest(algorithm ?? [])
        let extensions = unsafe Self.extensions(basic)
        unknownCriticalExtension = Self.unknownCritical(extensions)
        nonce = extensions.first { $0.oid == .ocspNonce }?.value
        responder = unsafe basic.flatMap { unsafe Self.responder(of: $0) } ?? .keyHash([])
    }

    deinit { unsafe OCSP_BASICRESP_free(basic) }

    /// Adds a status to a BasicOCSPResponse, which begins with its signed part.
    private static func wrapped(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.first == ASN1Tag.sequence, let outer = ASN1Reader.single(bytes[...], .definite)
        else { return nil }
        var fields = outer.reader
        guard fields.next(ASN1Tag.sequence) != nil else { return bytes }
        let wrapped = DERWriter.sequence(
            DERWriter.objectIdentifier(.ocspBasic), DERWriter.octets(bytes))
        let successful = DERWriter.integer(0, tag: ASN1Tag.enumerated)
        return DERWriter.sequence(successful, DERWriter.element(ASN1Tag.context(0), wrapped))
    }

    /// Whether the response contains at most the permitted number of certificates: reading each
    /// costs more than a signature check. Bytes that are not DER are accepted here.
    private static func isReadable(_ der: [UInt8]) -> Bool {
        guard var fields = ASN1Reader.single(der[...], .definite)?.reader, fields.next() != nil
        else { return false }
        // A response with an error status.
        guard !fields.isAtEnd else { return true }
        guard var outer = fields.next(ASN1Tag.context(0))?.reader,
            var bytes = outer.next(ASN1Tag.sequence)?.reader, bytes.next() != nil,
            let basic = bytes.next(ASN1Tag.octetString),
            var parts = ASN1Reader.single(basic.content, .definite)?.reader,
            parts.next() != nil, parts.next() != nil, parts.next() != nil
        else { return false }
        guard !parts.isAtEnd else { return true }
        guard var tagged = parts.next(ASN1Tag.context(0))?.reader,
            var certificates = tagged.next(ASN1Tag.sequence)?.reader
        else { return false }
        for _ in 0..<EvidenceLimits.certificates where certificates.next() == nil { break }
        return certificates.isAtEnd
    }

    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
        unsafe OpenSSL.parse(der, freeing: OCSP_RESPONSE_free) {
            unsafe d2i_OCSP_RESPONSE(nil, $0, $1)
        }
    }

    private static func responder(of basic: OpaquePointer) -> Responder? {
        var hash: UnsafePointer<ASN1_OCTET_STRING>?
        var name: OpaquePointer?
        guard unsafe OCSP_resp_get0_id(basic, &hash, &name) == 1 else { return nil }
        if let hash = unsafe hash, let data = unsafe ASN1_STRING_get0_data(hash) {
            return unsafe .keyHash(
                Array(UnsafeBufferPointer(start: data, count: Int(ASN1_STRING_length(hash)))))
        }
        let der = unsafe OpenSSL.encode { unsafe i2d_X509_NAME(name, $0) }
        return der.map { .name(CanonicalName.fold($0[...])) }
    }

    // MARK: Extensions

    private static func extensions(_ basic: OpaquePointer?) -> [Certificate.Extension] {
        guard let basic = unsafe basic else { return [] }
        return (0..<(unsafe OCSP_BASICRESP_get_ext_count(basic))).compactMap { index in
            unsafe OCSP_BASICRESP_get_ext(basic, index)
                .flatMap { unsafe Certificate.Extension(borrowing: $0) }
        }
    }

    private static func extensions(single: OpaquePointer) -> [Certificate.Extension] {
        (0..<(unsafe OCSP_SINGLERESP_get_ext_count(single))).compactMap { index in
            unsafe OCSP_SINGLERESP_get_ext(single, index)
                .flatMap { unsafe Certificate.Extension(borrowing: $0) }
        }
    }

    /// Extensions of RFC 6960 §4.4 and of CRL entries, and certHash of Common PKI.
    private static let known: Set<OID> = [
        .ocspNonce, .ocspCRLReference, .ocspAcceptableResponses, .ocspNoCheck, .ocspArchiveCutoff,
        .ocspServiceLocator, .ocspPreferredAlgorithms, .ocspExtendedRevoke, .certificateHash,
        .reasonCode, .holdInstruction, .invalidityDate, .certificateIssuer,
    ]

    private static func unknownCritical(_ extensions: [Certificate.Extension]) -> OID? {
        extensions.first { $0.isCritical && !known.contains($0.oid) }?.oid
    }

    // MARK: Responder

    /// Certificates in the response: of its responder or of CAs.
    package var certificates: [Certificate] { embeddedCertificates.all }

    /// Certificates in the response whose subject or key is named in its ResponderID.
    package var responderCertificates: [Certificate] { embeddedCertificates.named }

    private var embeddedCertificates: EmbeddedCertificates {
        if let known = brought.withLock({ $0 }) { return known }
        var all: [Certificate] = []
        if let basic = unsafe basic {
            let read = try? unsafe Certificate.copies(of: OCSP_resp_get0_certs(basic))
            for certificate in read ?? [] where !all.contains(certificate) {
                all.append(certificate)
            }
        }
        let found = EmbeddedCertificates(all: all, named: all.filter(isNamed))
        brought.withLock { $0 = found }
        return found
    }

    /// Whether the ResponderID names this certificate's subject or key.
    package func isNamed(_ certificate: Certificate) -> Bool {
        switch responder {
        case .name(let name): name == certificate.canonicalSubject
        case .keyHash(let hash): hash == (try? certificate.publicKey.keyIdentifier())
        }
    }

    package func responders(among certificates: CertificateIndex) -> [Certificate] {
        switch responder {
        case .name(let name): certificates.named(name)
        case .keyHash(let hash): certificates.withKey(hash)
        }
    }

    /// Whether the certificate's key signed the response; nil if the budget is used up.
    package func isSigned(by certificate: Certificate, within budget: EvidenceBudget) -> Bool? {
        signers.made(certificate, within: budget, verifies)
    }

    /// Whether the certificate's key made the response's signature; trust is not checked.
    package func isSigned(by certificate: Certificate) -> Bool {
        signers.made(certificate, verifies)
    }

    private func verifies(_ key: PublicKey) -> Bool {
        guard let basic = unsafe basic else { return false }
        return unsafe COpenSSL_ocsp_verify(basic, key.handle.pointer) == 1
    }

    // MARK: Answers

    /// The earliest of producedAt and all thisUpdate times.
    package var earliestTime: CalendarTime {
        guard let basic = unsafe basic else { return producedAt }
        return (0..<(unsafe OCSP_resp_count(basic))).reduce(producedAt) { earliest, index in
            var begin: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            _ = unsafe OCSP_single_get0_status(OCSP_resp_get0(basic, index), nil, nil, &begin, nil)
            return min(earliest, unsafe RevocationStatement.time(begin) ?? .distantPast)
        }
    }

    /// The status of one certificate, named only by its serial number.
    package struct Status {
        /// Hexadecimal.
        package let serial: String
        package let statement: RevocationStatement
        /// `good`, `revoked` or `unknown` (RFC 6960 §2.2).
        package let name: String
    }

    /// The first 100 statuses, without any check.
    package var statuses: [Status] {
        defer { ERR_clear_error() }
        guard let basic = unsafe basic else { return [] }
        return (0..<min(100, unsafe OCSP_resp_count(basic))).compactMap { index in
            guard let single = unsafe OCSP_resp_get0(basic, index),
                let id = unsafe OCSP_SINGLERESP_get0_id(single),
                let answer = unsafe Self.answer(in: single, about: nil)
            else { return nil }
            var serial: UnsafeMutablePointer<ASN1_INTEGER>?
            guard unsafe OCSP_id_get0_info(nil, nil, nil, &serial, id) == 1,
                let der = unsafe OpenSSL.encode({ unsafe i2d_ASN1_INTEGER(serial, $0) })
            else { return nil }
            return Status(
                serial: Hex.encode(Array(der.dropFirst(2))), statement: answer.statement,
                name: answer.isUnknown
                    ? "unknown" : answer.statement.revokedAt == nil ? "good" : "revoked")
        }
    }

    /// The answers about a certificate, without any check; status unknown is left out.
    package func answers(about certificate: Certificate, issuer: Certificate) -> [Answer] {
        allAnswers(about: certificate, issuer: issuer).filter { !$0.isUnknown }
    }

    /// The answers about a certificate, status unknown included (RFC 6960 §2.2), without any check.
    package func allAnswers(about certificate: Certificate, issuer: Certificate) -> [Answer] {
        defer { ERR_clear_error() }
        guard let basic = unsafe basic, let subject = unsafe try? certificate.x509(),
            let authority = unsafe try? issuer.x509()
        else { return [] }
        var answers: [Answer] = []
        for index in 0..<(unsafe OCSP_resp_count(basic)) {
            guard let single = unsafe OCSP_resp_get0(basic, index),
                unsafe Self.isAbout(subject, authority, single),
                let answer = unsafe Self.answer(in: single, about: certificate)
            else { continue }
            answers.append(answer)
        }
        return answers
    }

    /// Whether the CertID identifies the certificate, computed with the CertID's own hash.
    private static func isAbout(
        _ subject: OpaquePointer, _ authority: OpaquePointer, _ single: OpaquePointer
    ) -> Bool {
        guard let id = unsafe OCSP_SINGLERESP_get0_id(single) else { return false }
        var algorithm: OpaquePointer?
        var serial: UnsafeMutablePointer<ASN1_INTEGER>?
        // The values are not copied (get0) and not changed, although the parameter is not const.
        // The serial number is compared first, since that is fast.
        guard unsafe OCSP_id_get0_info(nil, &algorithm, nil, &serial, id) == 1,
            unsafe ASN1_INTEGER_cmp(serial, X509_get0_serialNumber(subject)) == 0,
            let name = unsafe OBJ_nid2sn(OBJ_obj2nid(algorithm)),
            let hash = DigestAlgorithm(name: unsafe String(cString: name)), hash != .md5,
            let digest = unsafe EVP_get_digestbyname(name),
            let expected = unsafe OCSP_cert_to_id(digest, subject, authority)
        else { return false }
        defer { unsafe OCSP_CERTID_free(expected) }
        return unsafe OCSP_id_cmp(expected, id) == 0
    }

    /// CertHash ::= SEQUENCE { hashAlgorithm AlgorithmIdentifier, certificateHash OCTET STRING }
    ///
    /// - Returns: nil if it cannot be read or compared.
    private static func names(_ certificate: Certificate, in value: [UInt8]) -> Bool? {
        var fields = ASN1Reader.single(value[...], .definite)?.reader
        var algorithm = fields?.next(ASN1Tag.sequence)?.reader
        guard let identifier = algorithm?.next()?.objectIdentifier,
            let hash = fields?.next(ASN1Tag.octetString)?.content,
            let digest = DigestAlgorithm(name: Certificate.shortName(identifier)),
            let expected = try? digest.hash(certificate.der)
        else { return nil }
        return Array(hash) == expected
    }

    /// - Parameter certificate: the certificate that a certHash is compared with; nil for none.
    private static func answer(
        in single: OpaquePointer, about certificate: Certificate?
    ) -> Answer? {
        var reason: Int32 = -1
        var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var begin: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var end: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        let status = unsafe OCSP_single_get0_status(single, &reason, &revoked, &begin, &end)
        guard status >= V_OCSP_CERTSTATUS_GOOD, status <= V_OCSP_CERTSTATUS_UNKNOWN,
            let thisUpdate = unsafe RevocationStatement.time(begin)
        else { return nil }
        let extensions = unsafe extensions(single: single)
        func time(_ oid: OID) -> CalendarTime? {
            extensions.first { $0.oid == oid }.flatMap {
                ASN1Reader.single($0.value[...], .definite)
            }.flatMap { $0.time(fraction: .dropped) }
        }
        var since: CalendarTime?
        if status == V_OCSP_CERTSTATUS_REVOKED {
            let date = unsafe RevocationStatement.time(revoked) ?? .distantPast
            since = min(date, time(.invalidityDate) ?? date)
        }
        return Answer(
            statement: RevocationStatement(
                revokedAt: since,
                reason: since == nil ? nil : RevocationStatement.reasonName(Int(reason)),
                thisUpdate: thisUpdate, nextUpdate: unsafe RevocationStatement.time(end)),
            keepsExpiredSince: time(.ocspArchiveCutoff),
            unknownCriticalExtension: unknownCritical(extensions),
            isUnknown: status == V_OCSP_CERTSTATUS_UNKNOWN,
            namesCertificate: extensions.first { $0.oid == .certificateHash }
                .flatMap { hash in certificate.flatMap { names($0, in: hash.value) } })
    }
}
