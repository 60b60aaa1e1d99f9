import Base
import CryptoBridge
import SignetTestSupport
import Synchronization
import Testing

@testable import TrustKit

/// What counts where authorities are asked.
@Suite("Asking authorities")
struct RevocationSourceTests {
    /// Answers everybody the same, or nobody.
    private struct Source: RevocationSource {
        var list: RevocationList?

        func ask(
            _ place: RevocationPlace, about certificate: Certificate, issuer: Certificate
        ) -> Result<RevocationEvidence, RevocationSourceFailure> {
            guard let list else { return .failure(RevocationSourceFailure("no connection")) }
            return .success(RevocationEvidence(lists: [list], responses: []))
        }

        func name(of place: RevocationPlace) -> String { "the place" }
    }

    private let root: TestPKI.Identity
    private let signer: TestPKI.Identity
    /// When the signature is proven to exist.
    private let signed = TestPKI.time(2026, 5, 10)

    init() throws {
        root = try TestPKI.root()
        signer = try Self.signer(of: root, until: TestPKI.end)
    }

    /// Somebody whose certificate names a place to ask.
    private static func signer(
        of root: TestPKI.Identity, until end: CalendarTime
    ) throws -> TestPKI.Identity {
        let address = TestDER.element(0x86, Array("http://127.0.0.1:1/ca.crl".utf8))
        let point = TestDER.sequence(TestDER.element(0xA0, TestDER.element(0xA0, address)))
        return try TestPKI.issue(by: root, to: end)
            .adding("2.5.29.31", TestDER.sequence(point), by: root)
    }

    private func list(
        _ from: CalendarTime, until: CalendarTime, revokes date: CalendarTime? = nil
    ) throws -> RevocationList {
        var list = TestList(by: root)
        (list.thisUpdate, list.nextUpdate) = (from, until)
        if let date { list.revoke(signer.certificate, on: date) }
        return try list.made()
    }

    private func verdict(
        _ answer: RevocationList?, known: RevocationList? = nil,
        about leaf: TestPKI.Identity? = nil, isAsked: Bool = true
    ) throws -> PathVerdict {
        var validator = PathValidator(anchors: .certificates([root.certificate]), now: TestPKI.now)
        if isAsked { validator.source = Source(list: answer) }
        var question = PathValidator.Question(
            leaf: (leaf ?? signer).certificate, candidates: [], at: signed)
        question.evidence = RevocationEvidence(lists: [known].compactMap(\.self), responses: [])
        return try validator.validate(question)
    }

    /// Notes what it is asked, and knows nothing.
    private final class Witness: RevocationSource {
        let asked = Mutex<[String]>([])

        func ask(
            _ place: RevocationPlace, about certificate: Certificate, issuer: Certificate
        ) -> Result<RevocationEvidence, RevocationSourceFailure> {
            asked.withLock { $0.append("revocation") }
            return .failure(RevocationSourceFailure("no connection"))
        }

        func issuers(
            of certificate: Certificate, at address: String, below leaf: Certificate
        ) -> [Certificate] {
            asked.withLock { $0.append(address) }
            return []
        }

        func name(of place: RevocationPlace) -> String { "the place" }
    }

    /// Who made the certificate of an incomplete path chose the addresses in it.
    @Test func fewAddressesOfAnIncompletePathAreAsked() throws {
        let addresses = ["ldap://host/x"] + (1...9).map { "http://host/\($0)" }
        let descriptions = addresses.map {
            TestDER.sequence(
                TestDER.oid("1.3.6.1.5.5.7.48.2"), TestDER.element(0x86, Array($0.utf8)))
        }
        let leaf = try signer.adding(
            "1.3.6.1.5.5.7.1.1", TestDER.element(0x30, descriptions.flatMap(\.self)), by: root)
        for anchor in [try TestPKI.root("CN=Other"), root] {
            var validator = PathValidator(
                anchors: .certificates([anchor.certificate]), now: TestPKI.now)
            let witness = Witness()
            validator.source = witness
            _ = try validator.validate(leaf: leaf.certificate, candidates: [], at: signed)
            let isTrusted = anchor.certificate == root.certificate
            #expect(
                witness.asked.withLock { $0 }
                    == (isTrusted
                        ? ["revocation"]
                        : addresses[1...PathValidator.issuerRequestLimit].map(\.self)))
        }
    }

    /// What lies in the file is of the time when it was signed.
    private func old() throws -> RevocationList {
        try list(TestPKI.time(2026, 5, 11), until: TestPKI.time(2026, 5, 18))
    }

    @Test func anOldWordIsADoubtWhenNobodyAnswers() throws {
        #expect(try verdict(nil, known: old(), isAsked: false).outcome == .passed)
        let found = try verdict(nil, known: old())
        #expect(found.outcome == .indeterminate(.tryLater))
        #expect(found.violations.map(\.code) == [.revocationUnanswered])
        #expect(found.message?.contains("expired on 2026-05-18 00:00:00 UTC") == true)
        #expect(found.remarks == ["the place: no connection"])
    }

    @Test func aWordThatStillCountsIsEnough() throws {
        let known = try list(TestPKI.time(2026, 5, 11), until: TestPKI.time(2026, 6, 11))
        let found = try verdict(nil, known: known)
        #expect(found.outcome == .passed)
        // Who was asked in vain is said all the same.
        #expect(found.remarks == ["the place: no connection"])
    }

    @Test func anOldAnswerIsNone() throws {
        #expect(try verdict(old()).outcome == .indeterminate(.tryLater))
        let present = try list(TestPKI.time(2026, 5, 30), until: TestPKI.time(2026, 6, 30))
        #expect(try verdict(present, known: old()).outcome == .passed)
    }

    @Test func aRevocationIsTheLastWord() throws {
        func answer(_ date: CalendarTime) throws -> RevocationList {
            try list(TestPKI.time(2026, 5, 30), until: TestPKI.time(2026, 6, 30), revokes: date)
        }
        let later = try answer(TestPKI.time(2026, 5, 20))
        #expect(try verdict(later, known: old()).outcome == .passed)
        let earlier = try answer(TestPKI.time(2026, 5, 1))
        #expect(try verdict(earlier, known: old()).outcome == .indeterminate(.revokedNoPOE))
    }

    /// No later word would tell more of it.
    @Test func expiredCertificatesNeedNoPresentWord() throws {
        let brief = try Self.signer(of: root, until: TestPKI.time(2026, 5, 25))
        let found = try verdict(nil, known: old(), about: brief)
        #expect(found.outcome == .passed)
        #expect(found.remarks == ["the place: no connection"])
    }

    @Test func nothingKnownAndNobodyThereIsADoubt() throws {
        let found = try verdict(nil)
        #expect(found.violations.map(\.code) == [.revocationUnanswered])
        #expect(found.outcome == .indeterminate(.tryLater))
    }
}
