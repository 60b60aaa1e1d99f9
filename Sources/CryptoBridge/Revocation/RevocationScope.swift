internal import Base

/// Reasons for a revocation (RFC 5280 §4.2.1.13, ReasonFlags).
package struct RevocationReasons: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let certificateHold = RevocationReasons(rawValue: 1 << 6)
    /// keyCompromise to aACompromise; bit 0 means nothing.
    package static let all = RevocationReasons(rawValue: 0x1FE)

    /// From the content of the BIT STRING, which has the form of a KeyUsage.
    init?(bitString: ArraySlice<UInt8>) {
        guard let bits = KeyUsage(bitString: bitString) else { return nil }
        self = RevocationReasons(rawValue: bits.rawValue).intersection(.all)
    }
}

/// Names of places where revocation lists are, made comparable.
private enum PlaceName {
    /// GeneralNames; directory names folded.
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

    /// DistributionPointName ::= CHOICE { fullName [0], nameRelativeToCRLIssuer [1] }, in its
    /// explicit tag.
    static func read(
        point: ASN1Node, relativeTo issuer: ArraySlice<UInt8>
    ) -> [[UInt8]]? {
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

/// One place that a certificate names for its revocation list (RFC 5280 §4.2.1.13).
struct DistributionPoint {
    /// Nil where only the list's issuer is named.
    var names: [[UInt8]]?
    var reasons = RevocationReasons.all
    /// Folded; empty for the certificate's own issuer.
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
    /// Where the certificate sends its readers; what cannot be read is left out. The issuer itself
    /// is a place for every certificate (RFC 5280 §6.3.3).
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

/// What the issuingDistributionPoint extension limits a list to (RFC 5280 §5.2.5).
struct RevocationScope {
    var coversUsers = true
    var coversAuthorities = true
    var isForAttributes = false
    var isIndirect = false
    var reasons = RevocationReasons.all
    /// The place that the list is for; nil for any.
    var names: [[UInt8]]?
    /// The extension's bytes: a delta has those of its base.
    var der: [UInt8] = []

    init() {}

    /// Nil for an extension that cannot be read.
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

/// What a list has to do with a certificate (RFC 5280 §6.3.3 (b)).
package enum RevocationBearing: Equatable, Sendable {
    /// It is neither by the certificate's issuer nor by whom the certificate names.
    case none
    /// What it lists counts, what it does not list says nothing; in words why.
    case limited(String)
    /// It speaks for these reasons.
    case full(RevocationReasons)
}

extension RevocationList {
    package func bearing(on certificate: Certificate) -> RevocationBearing {
        let list = [0xA4] + foldedIssuer
        let isOwn = foldedIssuer == certificate.canonicalIssuer
        let points = certificate.distributionPoints.filter {
            $0.listIssuers.isEmpty ? isOwn : $0.listIssuers.contains(list)
        }
        // Serial numbers of attribute certificates are others.
        guard !points.isEmpty, !scope.isForAttributes else {
            return points.isEmpty ? .none : .limited("it is for attribute certificates")
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
        return reasons.isEmpty ? .limited("it is for other certificates") : .full(reasons)
    }

    /// Whether entries may speak of certificates by others than the list's issuer.
    package var isIndirect: Bool { scope.isIndirect }

    /// Whether entries are about attribute certificates.
    package var isForAttributes: Bool { scope.isForAttributes }

    /// Whether this list tells what changed since `base` (RFC 5280 §5.2.4).
    package func continues(_ base: RevocationList) -> Bool {
        guard let since = baseNumber, let from = base.number, let to = number,
            base.baseNumber == nil
        else { return false }
        return foldedIssuer == base.foldedIssuer && scope.der == base.scope.der
            && !Self.isLess(from, since) && !Self.isLess(to, from)
    }

    /// Whether one DER INTEGER, not negative, is less than another.
    private static func isLess(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        let (one, other) = (one.drop { $0 == 0 }, other.drop { $0 == 0 })
        return one.count == other.count
            ? one.lexicographicallyPrecedes(other) : one.count < other.count
    }
}
