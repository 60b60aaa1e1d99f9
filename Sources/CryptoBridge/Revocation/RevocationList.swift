package import Base
internal import COpenSSL
internal import Synchronization

/// A certificate revocation list (RFC 5280 §5), complete or delta. Parsing does not make it
/// trusted.
@safe
package final class RevocationList: @unchecked Sendable {
    // Sendable: the X509_CRL is not changed after loading; OpenSSL guards its caches with locks.
    private let pointer: OpaquePointer
    /// The list's bytes.
    package let der: [UInt8]
    package let issuer: DistinguishedName
    /// The issuer's canonical name.
    let foldedIssuer: [UInt8]
    let scope: RevocationScope
    package let thisUpdate: CalendarTime
    package let nextUpdate: CalendarTime?
    /// CRLNumber, the bytes of its INTEGER.
    let number: [UInt8]?
    /// BaseCRLNumber of a delta CRL; nil for a complete CRL.
    let baseNumber: [UInt8]?
    /// Certificates that expired after this time stay listed (expiredCertsOnCRL, X.509 §9.5.2.8).
    package let keepsExpiredSince: CalendarTime?
    /// An unknown critical extension of the list.
    private let unknownExtension: String?
    package let signatureDigest: SignatureDigest
    private let signers = TriedSigners()
    private let unknownEntryExtension = Mutex<String??>(nil)

    /// Larger lists are refused.
    package static let byteLimit = 64 * 1024 * 1024
    /// Maximum number of lists that one PEM file may hold.
    static let countLimit = 1000

    package enum Entry: Equatable, Sendable {
        case absent
        /// Removed from the list (removeFromCRL in a delta CRL).
        case removed
        /// - Parameter since: the revocation date, or the earlier invalidityDate, when the key may
        ///   have been compromised (RFC 5280 §5.3.2).
        case revoked(since: CalendarTime, reason: String?)

        /// Joins two entries about one certificate: the more severe reason and the earlier date; a
        /// hold is the least severe.
        fileprivate func joined(with other: Entry) -> Entry {
            guard case .revoked(let since, let reason) = self else {
                return other == .absent ? self : other
            }
            guard case .revoked(let otherSince, let otherReason) = other else { return self }
            let (rank, otherRank) = (Self.rank(reason), Self.rank(otherReason))
            let isHeld = rank == 0, isOtherHeld = otherRank == 0
            if isHeld != isOtherHeld { return isHeld ? other : self }
            return .revoked(
                since: min(since, otherSince), reason: rank >= otherRank ? reason : otherReason)
        }

        private static func rank(_ reason: String?) -> Int {
            if reason == RevocationStatement.hold { return 0 }
            return reason.map(RevocationStatement.harmlessReasons.contains) == true ? 1 : 2
        }
    }

    /// One list, DER or PEM, and nothing after it; nil for anything else.
    package convenience init?(_ bytes: [UInt8]) {
        guard let lists = Self.ders(in: bytes), let der = lists.first, lists.count == 1 else {
            return nil
        }
        self.init(der: der)
    }

    /// The lists in a file: one in DER, or PEM with one or several; nil if any part is not a CRL.
    package static func readAll(_ bytes: [UInt8]) -> [RevocationList]? {
        guard let ders = ders(in: bytes) else { return nil }
        let lists = ders.compactMap { RevocationList(der: $0) }
        return lists.count == ders.count ? lists : nil
    }

    private static func ders(in bytes: [UInt8]) -> [[UInt8]]? {
        if bytes.first == ASN1Tag.sequence { return [bytes] }
        let found = try? PEMText.all(bytes, labels: ["X509 CRL"], limit: byteLimit)
        guard let found, !found.isEmpty, found.count <= countLimit else { return nil }
        return found
    }

    private init?(der: [UInt8]) {
        OpenSSL.prepare()
        guard der.count <= RevocationList.byteLimit, let list = unsafe Self.parse(der) else {
            ERR_clear_error()
            return nil
        }
        let name = unsafe OpenSSL.encode { unsafe i2d_X509_NAME(X509_CRL_get_issuer(list), $0) }
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_CRL_get0_signature(list, nil, &algorithm)
        let algorithmDER = unsafe OpenSSL.encode { unsafe i2d_X509_ALGOR(algorithm, $0) }
        guard let name, let issuer = try? DistinguishedName(der: name), let algorithmDER,
            let extensions = unsafe ListExtensions(of: list, issuer: name),
            let thisUpdate = unsafe RevocationStatement.time(X509_CRL_get0_lastUpdate(list))
        else {
            unsafe X509_CRL_free(list)
            return nil
        }
        self.der = der
        self.issuer = issuer
        foldedIssuer = CanonicalName.fold(name[...])
        scope = extensions.scope
        number = extensions.number
        baseNumber = extensions.baseNumber
        keepsExpiredSince = extensions.keepsExpiredSince
        unknownExtension = extensions.unknown
        self.thisUpdate = thisUpdate
        nextUpdate = unsafe RevocationStatement.time(X509_CRL_get0_nextUpdate(list))
        signatureDigest = SignatureDigest(algorithmDER)
        unsafe pointer = list
    }

    deinit { unsafe X509_CRL_free(pointer) }

    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
        unsafe OpenSSL.parse(der, freeing: X509_CRL_free) { unsafe d2i_X509_CRL(nil, $0, $1) }
    }

    /// CRLNumber in hexadecimal; nil when absent.
    package var numberHex: String? { number.map { DERInteger.hex($0[...]) } }

    package var entryCount: Int {
        guard var entries = RevocationEntries.reader(in: der) else { return 0 }
        var count = 0
        while entries.next(ASN1Tag.sequence) != nil { count += 1 }
        return count
    }

    package var signatureAlgorithmName: String {
        var outer = ASN1Reader.single(der[...], .definite)?.reader
        _ = outer?.next()
        var algorithm = outer?.next(ASN1Tag.sequence)?.reader
        return algorithm?.next()?.objectIdentifier.map(Certificate.signatureName) ?? "unknown"
    }

    package var isDelta: Bool { baseNumber != nil }

    package func isIssued(by certificate: Certificate) -> Bool {
        foldedIssuer == certificate.canonicalSubject
    }

    /// The certificates that may have issued the list.
    package func issuers(among certificates: CertificateIndex) -> [Certificate] {
        certificates.named(foldedIssuer)
    }

    /// Whether the certificate's key signed the CRL; nil if the budget is used up.
    package func isSigned(by certificate: Certificate, within budget: EvidenceBudget) -> Bool? {
        signers.made(certificate, within: budget, verifies)
    }

    /// Whether the certificate's key made the list's signature; trust is not checked.
    package func isSigned(by certificate: Certificate) -> Bool {
        signers.made(certificate, verifies)
    }

    private func verifies(_ key: PublicKey) -> Bool {
        unsafe X509_CRL_verify(pointer, key.handle.pointer) == 1
    }

    /// The list's entry about a certificate, without any check of the list.
    package func entry(about certificate: Certificate) -> Entry {
        var entry: OpaquePointer?
        guard let subject = unsafe try? certificate.x509() else { return .absent }
        let found = unsafe X509_CRL_get0_by_cert(pointer, &entry, subject)
        guard found != 0, let entry = unsafe entry else { return .absent }
        // In an indirect CRL, entries with one serial number may be about several certificates.
        guard !isIndirect else { return unsafe Self.entry(entry) }
        var worst = Entry.absent
        for index in 0..<Int32(Self.entryLimit) {
            guard let other = unsafe COpenSSL_crl_entry(pointer, entry, index) else { break }
            worst = worst.joined(with: unsafe Self.entry(other))
        }
        return worst
    }

    /// Maximum number of entries read for one certificate.
    private static let entryLimit = 16

    private static func entry(_ entry: OpaquePointer) -> Entry {
        let date =
            unsafe RevocationStatement.time(X509_REVOKED_get0_revocationDate(entry))
            ?? .distantPast
        let invalid = unsafe Self.extensionValue(NID_invalidity_date, of: entry)
            .flatMap { ASN1Reader.single($0[...], .definite) }
            .flatMap { $0.time() }
        let reason = unsafe Self.extensionValue(NID_crl_reason, of: entry)
            .flatMap { ASN1Reader.single($0[...], .definite)?.content.first }
            .flatMap { RevocationStatement.reasonName(Int($0)) }
        guard reason != "removeFromCRL" else { return .removed }
        return .revoked(since: min(date, invalid ?? date), reason: reason)
    }

    private static func extensionValue(_ nid: Int32, of entry: OpaquePointer) -> [UInt8]? {
        let index = unsafe X509_REVOKED_get_ext_by_NID(entry, nid, -1)
        guard index >= 0, let pointer = unsafe X509_REVOKED_get_ext(entry, index) else {
            return nil
        }
        return unsafe Certificate.Extension(borrowing: pointer)?.value
    }

    /// An unknown critical extension of the list or of any of its entries: then an unlisted
    /// certificate may be revoked too (RFC 5280 §5.2, §5.3).
    package var unknownCriticalExtension: String? {
        if let unknownExtension { return unknownExtension }
        return unknownEntryExtension.withLock { known in
            if let known { return known }
            let found = RevocationEntries.unknownCriticalExtension(in: der)
            known = .some(found)
            return found
        }
    }
}

private struct ListExtensions {
    var scope = RevocationScope()
    var number: [UInt8]?
    var baseNumber: [UInt8]?
    var keepsExpiredSince: CalendarTime?
    var unknown: String?

    /// Nil if an extension that limits the list cannot be read or is repeated.
    init?(of list: OpaquePointer, issuer: [UInt8]) {
        var seen: Set<OID> = []
        for index in 0..<(unsafe X509_CRL_get_ext_count(list)) {
            guard let pointer = unsafe X509_CRL_get_ext(list, index),
                let item = unsafe Certificate.Extension(borrowing: pointer),
                seen.insert(item.oid).inserted
            else { return nil }
            let value = ASN1Reader.single(item.value[...], .definite)
            switch item.oid {
            case .issuingDistributionPoint:
                guard let read = RevocationScope(item.value, issuer: issuer) else { return nil }
                scope = read
            case .deltaCRLIndicator:
                guard let value, value.tag == ASN1Tag.integer else { return nil }
                baseNumber = Array(value.content)
            case .cRLNumber:
                number = value.flatMap { $0.tag == ASN1Tag.integer ? Array($0.content) : nil }
            case .expiredCertificatesOnList: keepsExpiredSince = value.flatMap { $0.time() }
            case .authorityKeyIdentifier: break
            default: if item.isCritical { unknown = unknown ?? item.oid.description }
            }
        }
    }
}

/// The entry extensions of a list that OpenSSL does not report.
private enum RevocationEntries {
    /// reasonCode, invalidityDate, certificateIssuer, holdInstructionCode.
    private static let known: Set<OID> = [
        OID.reasonCode, OID.invalidityDate, OID.certificateIssuer, OID.holdInstruction,
    ]

    static func reader(in der: [UInt8]) -> ASN1Reader<ArraySlice<UInt8>>? {
        var outer = ASN1Reader.single(der[...], .definite)?.reader
        guard var body = outer?.next(ASN1Tag.sequence)?.reader else { return nil }
        _ = body.next(ASN1Tag.integer)
        // Algorithm, issuer, thisUpdate, nextUpdate.
        _ = (body.next(ASN1Tag.sequence), body.next(ASN1Tag.sequence), body.next())
        _ = body.nextTime()
        return body.next(ASN1Tag.sequence)?.reader
    }

    static func unknownCriticalExtension(in der: [UInt8]) -> String? {
        guard var entries = reader(in: der) else { return nil }
        while var entry = entries.next()?.reader {
            _ = (entry.next(), entry.next())
            guard var extensions = entry.next(ASN1Tag.sequence)?.reader else { continue }
            while var fields = extensions.next()?.reader {
                let oid = fields.next()?.objectIdentifier
                let isCritical = fields.next(ASN1Tag.boolean).map { $0.content.first != 0 } ?? false
                guard isCritical else { continue }
                guard let oid else { return "without identifier" }
                if !known.contains(oid) { return oid.description }
            }
        }
        return nil
    }
}
