package import Base
package import CryptoBridge

/// What is known of every certificate that a path depends on: those of the path, of the responders
/// that spoke about them, and of those who signed lists (ETSI EN 319 142-1 §6.3 s, t).
package struct EvidenceAudit: Sendable {
    /// Why a certificate was looked at.
    package enum Role: String, Sendable {
        case signer, ca, tsa, responder
        case listIssuer = "crl-issuer"
    }

    /// What was found out about one certificate.
    package struct Entry: Sendable {
        package let certificate: Certificate
        package let issuer: Certificate
        /// From the certificate to its anchor.
        package let chain: [Certificate]
        package let role: Role
        /// When something had to be known of it.
        package let time: CalendarTime
        /// What says so; empty where nothing is known, or nothing need be.
        package let words: [RevocationWord]
        /// Whether nothing need be known: see ``RevocationCheck/needsNone(_:)``.
        package let needsNone: Bool
        /// Evidence that was meant for it and does not count, in words.
        package let useless: [String]

        package var isKnown: Bool { needsNone || !words.isEmpty }
    }

    /// Each certificate once.
    package private(set) var entries: [Entry] = []
    private let check: RevocationCheck

    /// Most certificates that are looked at: responders of responders, and so on.
    private static let countLimit = 64

    package init(_ check: RevocationCheck) { self.check = check }

    package var isComplete: Bool { !isEmpty && isWhole && entries.allSatisfy(\.isKnown) }
    private var isEmpty = true
    /// Whether nothing was left out because it was too much.
    private var isWhole = true

    /// Looks at a path.
    ///
    /// - Parameters:
    ///   - chain: leaf first, anchor last. The anchor is beyond question.
    ///   - role: of the leaf.
    ///   - time: when the leaf was used.
    package mutating func add(
        _ chain: [Certificate], as role: Role, at time: CalendarTime
    ) throws(CryptoError) {
        guard let leaf = chain.first else { return }
        isEmpty = false
        var open: [Open] = Self.links(chain, as: role, at: time)
        // A signer's certificate that is trusted by itself: its issuer alone could speak of it.
        if chain.count == 1, !leaf.isSelfIssued, !RevocationCheck.needsNone(leaf) {
            entries.append(
                Entry(
                    certificate: leaf, issuer: leaf, chain: chain, role: role, time: time,
                    words: [], needsNone: false, useless: []))
        }
        while let link = open.popLast() {
            guard let certificate = link.chain.first,
                !entries.contains(where: { $0.certificate == certificate && $0.time == link.time })
            else { continue }
            guard entries.count < Self.countLimit else {
                isWhole = false
                return
            }
            let entry = try entry(link)
            entries.append(entry)
            for word in entry.words {
                guard let speaker = word.speaker else { continue }
                open += links(to: speaker, of: word, in: link)
            }
        }
    }

    /// A certificate to be looked at, with what stands above it.
    private struct Open {
        let chain: [Certificate]
        let role: Role
        let time: CalendarTime
    }

    private static func links(
        _ chain: [Certificate], as role: Role, at time: CalendarTime
    ) -> [Open] {
        chain.indices.dropLast().map {
            Open(chain: Array(chain[$0...]), role: $0 == 0 ? role : .ca, time: time)
        }
    }

    private func links(
        to speaker: Certificate, of word: RevocationWord, in link: Open
    ) -> [Open] {
        let time = word.statement.thisUpdate
        if case .response = word.source {
            return [
                Open(chain: [speaker] + link.chain.dropFirst(), role: .responder, time: time)
            ]
        }
        guard !link.chain.contains(speaker) else { return [] }
        let request = ChainRequest(
            leaf: speaker, intermediates: check.candidates.certificates, anchors: check.anchors,
            time: max(time, link.time))
        guard case .valid(let path)? = try? request.validate() else { return [] }
        return Self.links(path, as: .listIssuer, at: time)
    }

    private func entry(_ link: Open) throws(CryptoError) -> Entry {
        let certificate = link.chain[0]
        let needsNone = RevocationCheck.needsNone(certificate)
        var words: [RevocationWord] = []
        var useless: [String] = []
        if !needsNone {
            let finding = try check.finding(
                about: certificate, issuer: link.chain[1], in: link.chain, at: link.time)
            words = finding.decisiveWords(at: link.time)
            useless = finding.useless.map(\.description)
        }
        return Entry(
            certificate: certificate, issuer: link.chain[1], chain: link.chain, role: link.role,
            time: link.time, words: words, needsNone: needsNone, useless: useless)
    }
}
