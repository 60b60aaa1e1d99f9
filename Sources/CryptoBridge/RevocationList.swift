import ByteKit
internal import COpenSSL

/// A certificate revocation list (RFC 5280 §5), to be asked about certificates.
@safe
package final class RevocationList: @unchecked Sendable {
    // Sendable: the X509_CRL is not changed after loading; OpenSSL guards its caches with locks.
    private let pointer: OpaquePointer
    /// The list's bytes.
    package let der: [UInt8]
    private let scope: Scope
    private let thisUpdate: CalendarTime
    private let nextUpdate: CalendarTime?

    /// Larger lists are refused.
    package static let byteLimit = RevocationListSummary.byteLimit

    /// What the issuingDistributionPoint extension limits the list to (RFC 5280 §5.2.5).
    fileprivate struct Scope {
        var coversUsers = true
        var coversAuthorities = true
        /// DER of the names of the place that the list is for; empty for any.
        var places: [[UInt8]] = []
    }

    /// One list, DER or PEM, and nothing after it; nil for anything else, and for lists that say
    /// only a part: deltas, indirect ones, those for some reasons or with unknown critical
    /// extensions.
    package init?(_ bytes: [UInt8]) {
        OpenSSL.prepare()
        let der: [UInt8]
        if bytes.first == DERTag.sequence {
            der = bytes
        } else if let block = try? PEMText.single(
            bytes, labels: ["X509 CRL"], limit: RevocationList.byteLimit)
        {
            der = block
        } else {
            return nil
        }
        guard der.count <= RevocationList.byteLimit, let list = unsafe Self.parse(der) else {
            ERR_clear_error()
            return nil
        }
        guard let scope = unsafe Self.scope(of: list),
            let thisUpdate = unsafe RevocationStatement.time(X509_CRL_get0_lastUpdate(list))
        else {
            unsafe X509_CRL_free(list)
            return nil
        }
        self.der = der
        self.scope = scope
        self.thisUpdate = thisUpdate
        nextUpdate = unsafe RevocationStatement.time(X509_CRL_get0_nextUpdate(list))
        unsafe pointer = list
    }

    deinit { unsafe X509_CRL_free(pointer) }

    private static func parse(_ der: [UInt8]) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let list = unsafe d2i_X509_CRL(nil, &cursor, buffer.count)
            guard let start = buffer.baseAddress, let end = unsafe cursor,
                unsafe end - start == buffer.count
            else {
                unsafe X509_CRL_free(list)
                return nil
            }
            return unsafe list
        }
    }

    private static func scope(of list: OpaquePointer) -> Scope? {
        var scope = Scope()
        for index in 0..<(unsafe X509_CRL_get_ext_count(list)) {
            guard let pointer = unsafe X509_CRL_get_ext(list, index),
                let item = unsafe Certificate.Extension(borrowing: pointer)
            else { return nil }
            switch item.oid {
            case "2.5.29.28":
                guard let read = Scope(issuingDistributionPoint: item.value) else { return nil }
                scope = read
            // deltaCRLIndicator: only what changed.
            case "2.5.29.27": return nil
            case "2.5.29.20", "2.5.29.35": break
            default: if item.isCritical { return nil }
            }
        }
        return scope
    }

    /// What the list says about a certificate; nil when it is not about it, or not by its issuer.
    package func statement(
        about certificate: Certificate, issuer: Certificate
    ) throws(CryptoError) -> RevocationStatement? {
        guard let subject = unsafe try? certificate.x509(),
            let authority = unsafe try? issuer.x509(),
            covers(certificate), issuer.keyUsage.map({ $0.contains(.cRLSign) }) ?? true,
            unsafe X509_NAME_cmp(X509_CRL_get_issuer(pointer), X509_get_subject_name(authority))
                == 0,
            unsafe X509_NAME_cmp(X509_get_issuer_name(subject), X509_get_subject_name(authority))
                == 0,
            let key = unsafe X509_get0_pubkey(authority)
        else { return nil }
        let isSigned = unsafe X509_CRL_verify(pointer, key) == 1
        ERR_clear_error()
        guard isSigned else { return nil }
        var entry: OpaquePointer?
        let found = unsafe X509_CRL_get0_by_cert(pointer, &entry, subject)
        // 2: removed from the list again.
        guard found == 1, let entry = unsafe entry else {
            return RevocationStatement(
                revokedAt: nil, thisUpdate: thisUpdate, nextUpdate: nextUpdate)
        }
        return RevocationStatement(
            revokedAt: unsafe RevocationStatement.time(X509_REVOKED_get0_revocationDate(entry))
                ?? .distantPast,
            reason: unsafe Self.reason(of: entry), thisUpdate: thisUpdate, nextUpdate: nextUpdate)
    }

    private static func reason(of entry: OpaquePointer) -> String? {
        let index = unsafe X509_REVOKED_get_ext_by_NID(entry, NID_crl_reason, -1)
        guard index >= 0, let pointer = unsafe X509_REVOKED_get_ext(entry, index),
            let item = unsafe Certificate.Extension(borrowing: pointer),
            let code = DERReader.single(item.value[...])?.content.first
        else { return nil }
        return RevocationStatement.reasonName(Int(code))
    }

    private func covers(_ certificate: Certificate) -> Bool {
        guard certificate.isCA ? scope.coversAuthorities : scope.coversUsers else { return false }
        guard !scope.places.isEmpty else { return true }
        // RFC 5280 §6.3.3 (b) (2): the certificate sends its readers to the same place.
        guard let points = certificate.extensionValue("2.5.29.31") else { return false }
        return scope.places.contains { points.contains($0) }
    }
}

extension RevocationList.Scope {
    /// Nil for a list that does not speak for all reasons and certificates of its issuer.
    fileprivate init?(issuingDistributionPoint value: [UInt8]) {
        guard var reader = DERReader.single(value[...])?.reader else { return nil }
        while let field = reader.next() {
            let isSet = field.content.first.map { $0 != 0 } ?? false
            switch field.tag {
            case 0xA0:
                // DistributionPointName ::= CHOICE { fullName [0] GeneralNames, … }
                var name = field.reader
                guard var names = name.next(0xA0)?.reader else { return nil }
                while let place = names.next() { places.append(Array(place.whole)) }
            case 0x81: if isSet { coversAuthorities = false }
            case 0x82: if isSet { coversUsers = false }
            case 0x84 where !isSet: break
            case 0x85 where !isSet: break
            default: return nil
            }
        }
        guard reader.isAtEnd else { return nil }
    }
}
