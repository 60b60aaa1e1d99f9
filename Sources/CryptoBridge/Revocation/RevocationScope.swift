internal import Base

/// Reasons for a revocation (RFC 5280 §4.2.1.13, ReasonFlags).
package struct RevocationReasons: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let certificateHold = RevocationReasons(rawValue: 1 << 6)
    /// keyCompromise to aACompromise; bit 0 is unused.
    package static let all = RevocationReasons(rawValue: 0x1FE)

    /// Reads the content of the BIT STRING, encoded like KeyUsage.
    init?(bitString: ArraySlice<UInt8>) {
        guard let bits = KeyUsage(bitString: bitString) else { return nil }
        self = RevocationReasons(rawValue: bits.rawValue).intersection(.all)
    }
}

/// Names of CRL distribution points in a comparable form.
private enum PlaceName {
    /// GeneralNames; directory names in canonical form.
    static func read(_ names: ASN1Node) -> [[UInt8]]? {
        var reader = names.reader
        var found: [[UInt8]] = []
        while let name = reader.next() {
            found.append(
                name.tag == ASN1Tag.context(4) ? directory(name.content) : [name.tag] + name.content
            )
        }
        return reader.isAtEnd ? found : nil
    }

    /// A Name.
    static func directory(_ der: ArraySlice<UInt8>) -> [UInt8] { [0xA4] + CanonicalName.fold(der) }

    /// DistributionPointName ::= CHOICE { fullName [0], nameRelativeToCRLIssuer [1] }, with its
    /// explicit tag.
    static func read(point: ASN1Node, relativeTo issuer: ArraySlice<UInt8>) -> [[UInt8]]? {
        guard let name = ASN1Reader.single(point.content, .definite) else { return nil }
        switch name.tag {
        case 0xA0: return read(name)
        case 0xA1:
            guard let names = ASN1Reader.single(issuer, .definite) else { return nil }
            let last = DERWriter.element(ASN1Tag.set, Array(name.content))
            let whole = DERWriter.sequence([Array(names.content), last])
            return [directory(whole[...])]
        default: return nil
        }
    }
}

/// One CRL distribution point of a certificate (RFC 5280 §4.2.1.13).
struct DistributionPoint {
    /// Nil if only cRLIssuer is given.
    var names: [[UInt8]]?
    var reasons = RevocationReasons.all
    /// Canonical names; empty for the certificate's own issuer.
    var listIssuers: [[UInt8]] = []

    init(names: [[UInt8]]) { self.names = names }

    init?(_ point: ASN1Node, issuer: ArraySlice<UInt8>) {
        var fields = point.reader
        let name = fields.next(ASN1Tag.context(0))
        if let flags = fields.next(ASN1Tag.primitiveContext(1)) {
            guard let reasons = RevocationReasons(bitString: flags.content) else { return nil }
            self.reasons = reasons
        }
        var listIssuer = issuer
        if let names = fields.next(ASN1Tag.context(2)) {
            guard let read = PlaceName.read(names) else { return nil }
            listIssuers = read
            var first = names.reader
            if let directory = first.next(ASN1Tag.context(4)) { listIssuer = directory.content }
        }
        if let name {
            guard let read = PlaceName.read(point: name, relativeTo: listIssuer) else { return nil }
            names = read
        }
        guard fields.isAtEnd else { return nil }
    }
}

extension Certificate {
    /// The certificate's distribution points without unreadable ones, and the issuer's name, which
    /// is a distribution point for every certificate (RFC 5280 §6.3.3).
    var distributionPoints: [DistributionPoint] {
        let issuer = issuerDER[...]
        var points = [DistributionPoint(names: [PlaceName.directory(issuer)])]
        guard let value = extensionValue(OID.cRLDistributionPoints),
            var reader = ASN1Reader.single(value[...], .definite)?.reader
        else { return points }
        while let point = reader.next(ASN1Tag.sequence) {
            if let point = DistributionPoint(point, issuer: issuer) { points.append(point) }
        }
        return points
    }
}

/// The scope of a CRL by its issuingDistributionPoint extension (RFC 5280 §5.2.5).
struct RevocationScope {
    var coversUsers = true
    var coversAuthorities = true
    var isForAttributes = false
    var isIndirect = false
    var reasons = RevocationReasons.all
    /// The distribution point of the list; nil for any.
    var names: [[UInt8]]?
    /// The extension's bytes: a delta CRL must have those of its base.
    var der: [UInt8] = []

    init() {}

    /// Nil if the extension cannot be read.
    init?(_ value: [UInt8], issuer: [UInt8]) {
        guard var reader = ASN1Reader.single(value[...], .definite)?.reader else { return nil }
        der = value
        while let field = reader.next() {
            let isSet = field.content.first.map { $0 != 0 } ?? false
            switch field.tag {
            case 0xA0:
                guard let read = PlaceName.read(point: field, relativeTo: issuer[...]) else {
                    return nil
                }
                names = read
            case 0x81: coversAuthorities = !isSet
            case 0x82: coversUsers = !isSet
            case 0x83:
                guard let read = RevocationReasons(bitString: field.content) else { return nil }
                reasons = read
            case 0x84: isIndirect = isSet
            case 0x85: isForAttributes = isSet
            default: return nil
            }
        }
        guard reader.isAtEnd else { return nil }
    }
}

/// How far a list covers a certificate (RFC 5280 §6.3.3 (b)).
package enum RevocationBearing: Equatable, Sendable {
    /// It is issued neither by the certificate's issuer nor by its cRLIssuer.
    case none
    /// An entry is valid, but a missing entry proves nothing; the text gives the reason.
    case limited(String)
    /// It covers these reasons.
    case full(RevocationReasons)
}

extension RevocationList {
    package func bearing(on certificate: Certificate) -> RevocationBearing {
        let list = [0xA4] + foldedIssuer
        let isOwn = foldedIssuer == certificate.canonicalIssuer
        let points = certificate.distributionPoints.filter {
            $0.listIssuers.isEmpty ? isOwn : $0.listIssuers.contains(list)
        }
        // Attribute certificates have separate serial numbers.
        guard !points.isEmpty, !scope.isForAttributes else {
            return points.isEmpty ? .none : .limited("it covers attribute certificates only")
        }
        guard certificate.isCA ? scope.coversAuthorities : scope.coversUsers else {
            return .limited("it is for \(certificate.isCA ? "users" : "authorities") only")
        }
        var reasons: RevocationReasons = []
        for point in points where isOwn || scope.isIndirect {
            if let places = scope.names {
                let named = point.names ?? point.listIssuers
                guard named.contains(where: { places.contains($0) }) else { continue }
            }
            reasons.formUnion(scope.reasons.intersection(point.reasons))
        }
        return reasons.isEmpty ? .limited("it covers other certificates only") : .full(reasons)
    }

    /// Whether entries may be about certificates of other issuers.
    package var isIndirect: Bool { scope.isIndirect }

    /// Whether entries are about attribute certificates.
    package var isForAttributes: Bool { scope.isForAttributes }

    /// Whether this delta CRL applies to `base` (RFC 5280 §5.2.4).
    package func continues(_ base: RevocationList) -> Bool {
        guard let since = baseNumber, let from = base.number, let to = number,
            base.baseNumber == nil
        else { return false }
        return foldedIssuer == base.foldedIssuer && scope.der == base.scope.der
            && !Self.isLess(from, since) && !Self.isLess(to, from)
    }

    /// Whether one non-negative DER INTEGER is less than another.
    private static func isLess(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let (one, other) = (one.drop { $0 == 0 }, other.drop { $0 == 0 })
        return one.count == other.count
            ? one.lexicographicallyPrecedes(other) : one.count < other.count
    }
}
