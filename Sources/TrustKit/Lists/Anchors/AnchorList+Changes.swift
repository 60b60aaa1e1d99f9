import Base
import CryptoBridge

extension AnchorList {
    /// A statement of a list about a certificate.
    package struct Entry: Hashable, Sendable {
        /// What it states.
        package enum Kind: String, CaseIterable, Sendable {
            case anchor = "trust-anchor"
            case policies = "policy-restriction"
            case date = "distrust-date"
            case distrust = "distrust-record"
            /// The certificate itself, by which others with its key are recognized.
            case certificate = "distrusted-certificate"
        }

        package let kind: Kind
        /// The name of the certificate's holder, or its issuer and serial number.
        package let name: String
        /// The certificate, or issuer and serial number.
        fileprivate let subject: [UInt8]
        fileprivate var value = ""

        package static func == (a: Entry, b: Entry) -> Bool {
            (a.kind, a.value, a.subject) == (b.kind, b.value, b.subject)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(kind)
            hasher.combine(value)
            hasher.combine(subject)
        }
    }

    private var entries: Set<Entry> {
        var entries: Set<Entry> = []
        for anchor in anchors {
            let (name, der) = (anchor.certificate.displayName, anchor.certificate.der)
            entries.insert(Entry(kind: .anchor, name: name, subject: der))
            if !anchor.policies.isEmpty {
                let policies = anchor.policies.map(\.description).sorted().joined(separator: ",")
                entries.insert(
                    Entry(kind: .policies, name: name, subject: der, value: policies))
            }
        }
        for entry in dated {
            entries.insert(
                Entry(
                    kind: .date, name: entry.certificate.displayName,
                    subject: entry.certificate.keyIdentity, value: entry.issuedUntil?.text ?? ""))
        }
        let known = Dictionary(
            distrustedCertificates.map { ($0.issuerAndSerial, $0) }, uniquingKeysWith: { a, _ in a }
        )
        for id in distrusted {
            let name = known[id]?.displayName ?? Self.name(of: id)
            entries.insert(Entry(kind: .distrust, name: name, subject: id))
        }
        for certificate in distrustedCertificates {
            entries.insert(
                Entry(kind: .certificate, name: certificate.displayName, subject: certificate.der))
        }
        return entries
    }

    private static func name(of issuerAndSerial: [UInt8]) -> String {
        var reader = ASN1Reader(issuerAndSerial[...], .definite)
        guard let issuer = reader.next(), let serial = reader.next(),
            let name = try? DistinguishedName(der: Array(issuer.whole))
        else { return "" }
        return "\(name.shortText), serial number \(Hex.encode(Array(serial.content)))"
    }

    /// The differences from an earlier list.
    package struct Changes: Sendable {
        /// Sorted by kind and name.
        package let added: [Entry]
        package let removed: [Entry]
        /// Those removed entries without which the list may accept more.
        package let weakening: [Entry]
        /// Trust anchors of the earlier list that are missing or have other conditions.
        package let anchorCount: (changed: Int, of: Int)
    }

    package func changes(since other: AnchorList) -> Changes {
        func sorted(_ entries: Set<Entry>) -> [Entry] {
            entries.sorted { ($0.kind.rank, $0.name) < ($1.kind.rank, $1.name) }
        }
        let (now, before) = (entries, other.entries)
        let (added, removed) = (sorted(now.subtracting(before)), sorted(before.subtracting(now)))
        let current = Dictionary(grouping: anchors, by: \.certificate.der)
        let weakened = Set(
            other.anchors.map { ($0, $0.certificate.der) }
                .filter { !$0.isKept(by: current[$1] ?? []) }.map(\.1))
        let changed = Set(other.anchors.map(\.conditions)).subtracting(anchors.map(\.conditions))
        return Changes(
            added: added, removed: removed,
            weakening: removed.filter { entry in
                switch entry.kind {
                case .anchor: false
                case .distrust, .certificate: true
                case .policies: weakened.contains(entry.subject)
                case .date:
                    // The date applies to all certificates with the key, trusted or not.
                    limits[entry.subject].map { $0 > other.limits[entry.subject] ?? $0 } ?? true
                }
            }, anchorCount: (changed.count, Set(other.anchors.map(\.conditions)).count))
    }
}

extension AnchorList.Entry.Kind {
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension AnchorList.Anchor {
    /// What identifies the anchor with its conditions.
    fileprivate var conditions: [UInt8] {
        certificate.der + policies.map(\.description).sorted().joined(separator: ",").utf8
            + (issuedUntil?.text ?? "").utf8
    }

    /// Whether its policies still apply or are stricter.
    ///
    /// - Parameter others: the entries of a list with the same certificate.
    fileprivate func isKept(by others: [Self]) -> Bool {
        policies.isEmpty || others.isEmpty
            || others.contains { !$0.policies.isEmpty && $0.policies.isSubset(of: policies) }
    }
}
