import Base
import CryptoBridge
import SignetTestSupport
import Testing
import TrustKit

/// Whose OCSP responses count, and when (RFC 6960 §3.2, §4.2.2).
@Suite("OCSP responders")
struct ResponderTests {
    let root: TestPKI.Identity
    let signer: TestPKI.Identity

    init() throws {
        root = try TestPKI.root()
        signer = try TestPKI.issue(by: root)
    }

    private func answer(
        by responder: TestPKI.Identity? = nil, _ change: (inout TestAnswer) -> Void = { _ in }
    ) throws -> OCSPResponse {
        var answer = TestAnswer(
            by: responder ?? root,
            [TestAnswer.Single(signer.certificate, issuer: root.certificate)])
        change(&answer)
        return try answer.made()
    }

    private func verdict(
        _ responses: OCSPResponse..., lists: [RevocationList] = [],
        at time: CalendarTime = TestPKI.now
    ) throws -> PathVerdict {
        var validator = PathValidator(anchors: .certificates([root.certificate]), now: TestPKI.now)
        validator.evidence = RevocationEvidence(lists: lists, responses: responses)
        return try validator.validate(leaf: signer.certificate, candidates: [], at: time)
    }

    private func responder(
        by issuer: TestPKI.Identity? = nil, profile: CertificateProfile = .ocsp,
        to end: CalendarTime = TestPKI.end
    ) throws -> TestPKI.Identity {
        try TestPKI.issue("CN=Responder", by: issuer ?? root, profile: profile, to: end)
    }

    @Test func theIssuerAndItsRespondersCount() throws {
        #expect(try verdict(answer()).outcome == .passed)
        #expect(try verdict(answer(by: responder())).outcome == .passed)
        #expect(try verdict(answer(by: responder()) { $0.namesKey = true }).outcome == .passed)
        expectUseless(
            try verdict(answer(by: responder(profile: .signer))), "lacks the extended key usage")
        let stranger = try TestPKI.root()
        expectUseless(
            try verdict(answer(by: responder(by: stranger))),
            "not issued by the CA of the certificate")
    }

    @Test func aResponderIsItselfRevoked() throws {
        let responder = try responder()
        let good = try answer(by: responder)
        var list = TestList(by: root)
        list.limit([0x82, 0x01, 0xFF])
        list.revoke(responder.certificate, reason: 1)
        // The list speaks of authorities only, and yet revokes the responder.
        #expect(try verdict(good, lists: [list.made()]).outcome == .indeterminate(.tryLater))
        let against = try TestAnswer(
            by: root,
            [
                {
                    var single = TestAnswer.Single(responder.certificate, issuer: root.certificate)
                    single.revoked = TestPKI.time(2026, 4, 1)
                    return single
                }()
            ]
        ).made()
        expectUseless(try verdict(good, against), "its OCSP responder certificate was revoked")
    }

    @Test func aRespondersWordEndsWithItsCertificate() throws {
        let brief = try responder(to: TestPKI.time(2026, 5, 15))
        expectUseless(try verdict(answer(by: brief)), "expired on 2026-05-15")
        #expect(try verdict(answer(by: brief), at: TestPKI.time(2026, 5, 10)).outcome == .passed)
        let late = try answer(by: brief) {
            $0.producedAt = TestPKI.time(2026, 5, 20)
            $0.singles[0].thisUpdate = TestPKI.time(2026, 5, 20)
        }
        expectUseless(try verdict(late), "was not valid when it was issued")
    }

    @Test func anyRevocationInAResponseCounts() throws {
        let both = try answer {
            var revoked = $0.singles[0]
            revoked.revoked = TestPKI.time(2026, 4, 1)
            $0.singles.append(revoked)
        }
        #expect(try verdict(both).outcome == .indeterminate(.revokedNoPOE))
        // Nor does a younger answer take it back.
        let later = try answer { $0.singles[0].thisUpdate = TestPKI.time(2026, 5, 20) }
        #expect(try verdict(both, later).outcome == .indeterminate(.revokedNoPOE))
    }

    @Test func whatIsNotUnderstoodSaysNothing() throws {
        let odd = TestDER.ext("1.2.3.4", critical: true, [0x05, 0x00])
        expectUseless(try verdict(answer { $0.extensions = odd }), "unknown critical extension")
        expectUseless(
            try verdict(answer { $0.singles[0].extensions = odd }), "unknown critical extension")
    }

    @Test func nothingComesFromTheFuture() throws {
        expectUseless(
            try verdict(answer { $0.singles[0].thisUpdate = TestPKI.time(2026, 6, 2) }),
            "after the validation time")
        expectUseless(
            try verdict(answer { $0.producedAt = TestPKI.time(2026, 6, 2) }),
            "after the validation time")
    }

    @Test func answersAreAsStrongAsSignatures() throws {
        expectUseless(try verdict(answer { $0.digest = .sha1 }), "SHA-1 is no longer secure")
    }

    /// The same name and serial number below another key.
    @Test func theIssuersKeyIsMeant() throws {
        let other = try TestPKI.root()
        let response = try answer {
            $0.singles = [TestAnswer.Single(signer.certificate, issuer: other.certificate)]
        }
        #expect(try verdict(response).outcome == .passed)
        #expect(response.answers(about: signer.certificate, issuer: root.certificate).isEmpty)
    }

    @Test func anArchiveRemembersExpiredCertificates() throws {
        let brief = try TestPKI.issue(by: root, to: TestPKI.time(2026, 4, 15))
        func outcome(_ extensions: [UInt8]) throws -> PathVerdict.Outcome {
            var single = TestAnswer.Single(brief.certificate, issuer: root.certificate)
            single.extensions = extensions
            var validator = PathValidator(
                anchors: .certificates([root.certificate]), now: TestPKI.now)
            validator.evidence = RevocationEvidence(
                lists: [], responses: [try TestAnswer(by: root, [single]).made()])
            return try validator.validate(
                leaf: brief.certificate, candidates: [], at: TestPKI.time(2026, 4, 10)
            ).outcome
        }
        #expect(try outcome([]) == .indeterminate(.tryLater))
        let cutoff = TestDER.ext("1.3.6.1.5.5.7.48.1.6", TestDER.time(TestPKI.time(2026, 1, 1)))
        #expect(try outcome(cutoff) == .passed)
    }

    @Test func aQuestionHasANonce() throws {
        let request = try OCSPRequest(about: signer.certificate, issuer: root.certificate)
        let again = try OCSPRequest(about: signer.certificate, issuer: root.certificate)
        #expect(request.question == again.question && request.encoded != again.encoded)
        #expect(try request.isAnswered(by: answer()))
        func nonce(_ bytes: [UInt8]) -> [UInt8] {
            TestDER.ext("1.3.6.1.5.5.7.48.1.2", TestDER.element(0x04, bytes))
        }
        let sent = Array(request.encoded.suffix(32))
        #expect(try request.isAnswered(by: answer { $0.extensions = nonce(sent) }))
        #expect(
            try !request.isAnswered(
                by: answer { $0.extensions = nonce([UInt8](repeating: 1, count: 32)) }))
    }
}
