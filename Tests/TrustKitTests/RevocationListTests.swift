import Base
import CryptoBridge
import SignetTestSupport
import Testing
import TrustKit

/// Nothing is known of the certificate, for the reason that these words name.
func expectUseless(
    _ verdict: PathVerdict, _ words: String, _ location: SourceLocation = #_sourceLocation
) {
    #expect(verdict.outcome == .indeterminate(.tryLater), sourceLocation: location)
    #expect(
        verdict.message?.contains(words) == true, "\(verdict.message ?? "")",
        sourceLocation: location)
}

/// Which list counts for which certificate, and when (RFC 5280 §5, §6.3).
@Suite("Revocation lists")
struct RevocationListTests {
    let root: TestPKI.Identity
    let signer: TestPKI.Identity
    private static let keyCompromise: UInt8 = 1
    private static let hold: UInt8 = 6
    private static let removed: UInt8 = 8

    init() throws {
        root = try TestPKI.root()
        signer = try TestPKI.issue(by: root)
    }

    private func list(
        by other: TestPKI.Identity? = nil, _ change: (inout TestList) -> Void = { _ in }
    ) throws -> RevocationList {
        var list = TestList(by: other ?? root)
        change(&list)
        return try list.made()
    }

    private func verdict(
        _ lists: RevocationList..., about leaf: TestPKI.Identity? = nil,
        hints: [Certificate] = [], at time: CalendarTime = TestPKI.now,
        now: CalendarTime = TestPKI.now
    ) throws -> PathVerdict {
        var validator = PathValidator(anchors: .certificates([root.certificate]), now: now)
        validator.evidence = RevocationEvidence(lists: lists, responses: [])
        return try validator.validate(
            leaf: (leaf ?? signer).certificate, candidates: hints, at: time)
    }

    private func expectRevoked(
        _ verdict: PathVerdict, _ location: SourceLocation = #_sourceLocation
    ) { #expect(verdict.outcome == .indeterminate(.revokedNoPOE), sourceLocation: location) }

    // MARK: When

    @Test func aListCountsUntilTheNext() throws {
        #expect(try verdict(list()).outcome == .passed)
        expectUseless(
            try verdict(list(), at: TestPKI.time(2026, 8, 1), now: TestPKI.time(2026, 8, 1)),
            "expired on 2026-07-01")
    }

    /// RFC 5280 §3.3.
    @Test func aListForgetsExpiredCertificates() throws {
        let brief = try TestPKI.issue(by: root, to: TestPKI.time(2026, 4, 15))
        let late = try list()
        let then = TestPKI.time(2026, 4, 10)
        expectUseless(try verdict(late, about: brief, at: then), "after the certificate expired")
        let keeping = try list {
            $0.add("2.5.29.60", critical: false, TestDER.time(TestPKI.time(2020, 1, 1)))
        }
        #expect(try verdict(keeping, about: brief, at: then).outcome == .passed)
        // What an older list says stays said.
        let old = try list {
            $0.thisUpdate = TestPKI.time(2026, 4, 2)
            $0.nextUpdate = TestPKI.time(2026, 4, 20)
            $0.revoke(brief.certificate, reason: Self.keyCompromise)
        }
        expectRevoked(try verdict(late, old, about: brief, at: then))
        expectRevoked(try verdict(old, keeping, about: brief, at: then))
    }

    @Test func aListOlderThanTheCertificateSaysNothing() throws {
        let young = try TestPKI.issue(by: root, from: TestPKI.time(2026, 5, 2))
        expectUseless(try verdict(list(), about: young), "issued before the certificate")
    }

    @Test func nothingComesFromTheFuture() throws {
        let future = try list { $0.thisUpdate = TestPKI.time(2026, 6, 2) }
        expectUseless(try verdict(future), "after the validation time")
        #expect(try verdict(future, now: TestPKI.time(2026, 6, 3)).outcome == .passed)
    }

    // MARK: Several statements

    @Test func aFinalRevocationWins() throws {
        let revoked = try list { $0.revoke(signer.certificate, reason: Self.keyCompromise) }
        let later = try list { $0.thisUpdate = TestPKI.time(2026, 5, 20) }
        expectRevoked(try verdict(revoked, later))
        expectRevoked(try verdict(later, revoked))
        // What was signed before stays good.
        #expect(try verdict(revoked, later, at: TestPKI.time(2026, 3, 1)).outcome == .passed)
    }

    @Test func aHoldLastsUntilItIsLifted() throws {
        let held = try list { $0.revoke(signer.certificate, reason: Self.hold) }
        let later = try list { $0.thisUpdate = TestPKI.time(2026, 5, 20) }
        expectRevoked(try verdict(held))
        expectRevoked(try verdict(held, list()))
        #expect(try verdict(held, later).outcome == .passed)
    }

    @Test func theKeyMayHaveBeenLostEarlier() throws {
        let invalid = TestDER.ext("2.5.29.24", TestDER.time(TestPKI.time(2026, 2, 1)))
        let revoked = try list {
            $0.revoke(signer.certificate, reason: Self.keyCompromise, invalid)
        }
        expectRevoked(try verdict(revoked, at: TestPKI.time(2026, 3, 1)))
        #expect(try verdict(revoked, at: TestPKI.time(2026, 1, 1)).outcome == .passed)
    }

    // MARK: Who signs

    @Test func anotherKeyOfTheAuthorityCounts() throws {
        // A new key under the old name, certified with the old one.
        let renewed = try TestPKI.issue("CN=Test Root,O=Signet,C=CZ", by: root, profile: .ca)
        let revoked = try list(by: renewed) { $0.revoke(signer.certificate) }
        expectRevoked(try verdict(revoked, hints: [renewed.certificate]))
        #expect(try verdict(list(by: renewed), hints: [renewed.certificate]).outcome == .passed)
        // Anybody can make a certificate of that name.
        let stranger = try TestPKI.root()
        expectUseless(
            try verdict(list(by: stranger), hints: [stranger.certificate]),
            "no chain to a trust anchor")
        expectUseless(
            try verdict(list(by: stranger)),
            "its signature does not match the key of the issuer certificate")
    }

    @Test func aRevokedKeySignsNoLists() throws {
        let renewed = try TestPKI.issue("CN=Test Root,O=Signet,C=CZ", by: root, profile: .ca)
        let silent = try list(by: renewed)
        let against = try list {
            $0.revoke(renewed.certificate, reason: Self.keyCompromise)
            // Of authorities only, so that nothing else is said about the signer.
            $0.limit([0x82, 0x01, 0xFF])
        }
        expectUseless(
            try verdict(silent, against, hints: [renewed.certificate]),
            "its issuer certificate was revoked")
    }

    @Test func theIssuersCertificateMustAllowLists() throws {
        let plain = try TestPKI.root("CN=No Lists", keyUsage: [.keyCertSign])
        let leaf = try TestPKI.issue(by: plain)
        var validator = PathValidator(anchors: .certificates([plain.certificate]), now: TestPKI.now)
        validator.evidence = RevocationEvidence(lists: [try list(by: plain)], responses: [])
        expectUseless(
            try validator.validate(leaf: leaf.certificate, candidates: [], at: TestPKI.now),
            "does not permit signing CRLs")
    }

    @Test func evidenceIsAsStrongAsSignatures() throws {
        expectUseless(try verdict(list { $0.digest = .sha1 }), "SHA-1 is no longer secure")
    }

    @Test func givenListsMustCover() throws {
        let other = try list(by: TestPKI.root("CN=Other"))
        #expect(try verdict(other).outcome == .indeterminate(.tryLater))
        #expect(try verdict().outcome == .passed)
    }

    @Test func aLeafThatIsTheAnchorCanBeRevoked() throws {
        let revoked = try list { $0.revoke(signer.certificate, reason: Self.keyCompromise) }
        var validator = PathValidator(
            anchors: .certificates([signer.certificate]), now: TestPKI.now)
        validator.evidence = RevocationEvidence(lists: [revoked], responses: [])
        let known = try validator.validate(
            leaf: signer.certificate, candidates: [root.certificate], at: TestPKI.now)
        expectRevoked(known)
        // Without its issuer's certificate nobody can tell whose list it is.
        let unknown = try validator.validate(
            leaf: signer.certificate, candidates: [], at: TestPKI.now)
        #expect(unknown.outcome == .indeterminate(.tryLater))
    }

    // MARK: For what

    @Test func aListOfOtherCertificatesSaysNothing() throws {
        expectUseless(try verdict(list { $0.limit([0x82, 0x01, 0xFF]) }), "for authorities only")
        expectUseless(
            try verdict(list { $0.limit([0x85, 0x01, 0xFF]) }), "covers attribute certificates")
        let elsewhere = TestDER.element(0x86, Array("http://other/".utf8))
        expectUseless(
            try verdict(list { $0.limit(TestDER.element(0xA0, TestDER.element(0xA0, elsewhere))) }),
            "it covers other certificates only")
        // Yet what it lists is revoked.
        expectRevoked(
            try verdict(
                list {
                    $0.limit([0x82, 0x01, 0xFF])
                    $0.revoke(signer.certificate)
                }))
    }

    @Test func aPlaceMayBeNamedRelatively() throws {
        let relative = TestDER.element(
            0xA0,
            TestDER.element(
                0xA1, TestDER.sequence(TestDER.oid("2.5.4.3"), TestDER.element(0x0C, [0x41]))))
        let leaf = try signer.adding(
            "2.5.29.31", TestDER.sequence(TestDER.sequence(relative)), by: root)
        #expect(try verdict(list { $0.limit(relative) }, about: leaf).outcome == .passed)
        // The certificate without that place.
        expectUseless(try verdict(list { $0.limit(relative) }), "it covers other certificates only")
    }

    @Test func reasonsAddUp() throws {
        // keyCompromise and cACompromise; all others.
        let first = try list { $0.limit([0x83, 0x02, 0x05, 0x60]) }
        let second = try list { $0.limit([0x83, 0x03, 0x07, 0x1F, 0x80]) }
        #expect(try verdict(first).outcome == .indeterminate(.tryLater))
        #expect(try verdict(second).outcome == .indeterminate(.tryLater))
        #expect(try verdict(first, second).outcome == .passed)
        expectRevoked(
            try verdict(
                list {
                    $0.limit([0x83, 0x02, 0x05, 0x60])
                    $0.revoke(signer.certificate, reason: Self.keyCompromise)
                }, second))
    }

    @Test func unknownCriticalExtensionsSpoilSilence() throws {
        expectUseless(
            try verdict(list { $0.add("1.2.3.4", [0x05, 0x00]) }),
            "unknown critical extension 1.2.3.4")
        let stranger = try TestPKI.issue("CN=Another", by: root)
        let odd = TestDER.ext("1.2.3.5", critical: true, [0x05, 0x00])
        expectUseless(
            try verdict(list { $0.revoke(stranger.certificate, odd) }),
            "unknown critical extension 1.2.3.5")
        expectRevoked(
            try verdict(
                list {
                    $0.add("1.2.3.4", [0x05, 0x00])
                    $0.revoke(signer.certificate)
                }))
    }

    @Test func aDeltaNeedsItsBase() throws {
        let base = try list {
            $0.number(5)
            $0.revoke(signer.certificate, reason: Self.hold)
        }
        let lifting = try list {
            $0.number(7, base: 5)
            $0.thisUpdate = TestPKI.time(2026, 5, 20)
            $0.revoke(signer.certificate, reason: Self.removed)
        }
        expectRevoked(try verdict(base))
        #expect(try verdict(base, lifting).outcome == .passed)
        expectUseless(try verdict(lifting), "the base CRL of this delta CRL was not found")
        // Its base is younger than the list at hand.
        let gap = try list {
            $0.number(9, base: 6)
            $0.thisUpdate = TestPKI.time(2026, 5, 20)
            $0.revoke(signer.certificate, reason: Self.removed)
        }
        expectRevoked(try verdict(base, gap))
        let revoking = try list {
            $0.number(8, base: 5)
            $0.revoke(signer.certificate, reason: Self.keyCompromise)
        }
        expectRevoked(try verdict(list { $0.number(5) }, revoking))
        // An old list lives on with a delta of today.
        let old = try list {
            $0.number(5)
            $0.nextUpdate = TestPKI.time(2026, 5, 2)
        }
        let silent = try list {
            $0.number(6, base: 5)
            $0.thisUpdate = TestPKI.time(2026, 5, 20)
        }
        #expect(try verdict(old).outcome == .indeterminate(.tryLater))
        #expect(try verdict(old, silent).outcome == .passed)
    }

    @Test func anIndirectListSpeaksForWhoNamesItsIssuer() throws {
        let statusSigner = try TestPKI.issue("CN=Speaker", by: root, profile: .ca)
        let names = TestDER.element(
            0xA2, TestDER.element(0xA4, statusSigner.certificate.subjectDER))
        let leaf = try signer.adding(
            "2.5.29.31", TestDER.sequence(TestDER.sequence(names)), by: root)
        let indirect: [UInt8] = [0x84, 0x01, 0xFF]
        let issuer = TestDER.ext(
            "2.5.29.29", critical: true,
            TestDER.sequence(TestDER.element(0xA4, root.certificate.subjectDER)))
        let revoked = try list(by: statusSigner) {
            $0.limit(indirect)
            $0.revoke(leaf.certificate, issuer)
        }
        let hints = [statusSigner.certificate]
        expectRevoked(try verdict(revoked, about: leaf, hints: hints))
        #expect(
            try verdict(
                list(by: statusSigner) { $0.limit(indirect) }, about: leaf, hints: hints
            ).outcome != .indeterminate(.revokedNoPOE))
        // Whoever is not named speaks for nobody else's certificates.
        #expect(try verdict(revoked, hints: hints).outcome == .indeterminate(.tryLater))
    }

    @Test func aFileMayHoldSeveralLists() throws {
        let first = try TestList(by: root).der()
        let second = try TestList(by: TestPKI.root("CN=Other")).der()
        let text = PEMWriter.write("X509 CRL", first) + PEMWriter.write("X509 CRL", second)
        #expect(RevocationList.readAll(text)?.map(\.der) == [first, second])
        #expect(RevocationList.readAll(text + PEMWriter.write("X509 CRL", [0x30, 0])) == nil)
        #expect(RevocationList(text) == nil)
    }
}
