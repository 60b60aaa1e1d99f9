import Base
import PDFCore
import Testing
import TrustKit

@testable import PDFSigning
@testable import PDFVerification

/// The steps of a verification, each by itself: what it finds follows from what it is given.
@Suite struct VerificationStepsTests {
    private static func codes(_ problems: [VerificationProblem]) -> [ProblemCode] {
        problems.map(\.code)
    }

    private static func candidates(of document: PDFDocument) throws -> [SignatureCandidate] {
        try SignatureCandidate.all(in: AcroForm(of: document), of: document)
    }

    private static func certifying(_ p: Int) -> String {
        "/Reference [<< /Type /SigRef /TransformMethod /DocMDP "
            + "/TransformParams << /Type /TransformParams /P \(p) /V /1.2 >> >>]"
    }

    /// The field a is signed, then b.
    private static func signedTwice(
        _ first: String = "", _ second: String = "", format: String = "ETSI.CAdES.detached"
    ) -> RevisedFile {
        var file = RevisedFile()
        file.revise(
            RevisedFile.page.merging(
                [
                    1: RevisedFile.catalog("11 0 R 10 0 R"), 10: RevisedFile.field("a"),
                    11: RevisedFile.field("b"),
                ], uniquingKeysWith: { $1 }))
        file.sign(20, [10: RevisedFile.field("a", value: 20)], first, format: format)
        file.sign(21, [11: RevisedFile.field("b", value: 21)], second, format: format)
        return file
    }

    // MARK: Reading

    @Test func readsSignaturesInTheOrderOfWhatTheyCover() throws {
        let document = try Self.signedTwice("/Reason (why)").document()
        let candidates = try Self.candidates(of: document)
        #expect(candidates.map(\.field.fullName) == ["a", "b"])
        #expect(candidates.map(\.reason) == ["why", nil])
        // What cannot be judged is read all the same, and its revision compared.
        #expect(candidates.allSatisfy { Self.codes($0.problems) == [.cmsMalformed] })
        #expect(candidates.allSatisfy { $0.value != nil && $0.requests.isEmpty })
    }

    @Test func remarksOnOneSignatureInTwoFields() throws {
        var file = RevisedFile()
        file.revise(
            RevisedFile.page.merging(
                [
                    1: RevisedFile.catalog("10 0 R 11 0 R"), 10: RevisedFile.field("a"),
                    11: RevisedFile.field("b"),
                ], uniquingKeysWith: { $1 }))
        file.sign(
            20, [10: RevisedFile.field("a", value: 20), 11: RevisedFile.field("b", value: 20)])
        let candidates = try Self.candidates(of: file.document())
        #expect(candidates.map(\.field.fullName) == ["a", "b"])
        for candidate in candidates {
            #expect(Self.codes(candidate.problems) == [.cmsMalformed, .severalFields])
        }
    }

    // MARK: Revisions

    private static func revisions(of file: RevisedFile) throws -> [RevisionFinding] {
        let document = try file.document()
        return try RevisionJudgement(of: document).findings(for: candidates(of: document))
    }

    @Test func findsWhatEachSignatureCovers() throws {
        let found = try Self.revisions(of: Self.signedTwice())
        #expect(found.map(\.coverage) == [.revision, .wholeFile])
        #expect(found.map(\.changes) == [.formFilling, .none])
        #expect(found.allSatisfy { $0.problems.isEmpty })
    }

    @Test func measuresChangesByTheCertificationBeforeThem() throws {
        let found = try Self.revisions(of: Self.signedTwice(Self.certifying(1)))
        #expect(found.map(\.certification) == [DocMDPPermission(p: 1), nil])
        #expect(Self.codes(found[0].problems) == [.changeNotPermitted])
        #expect(found[1].problems.isEmpty)
        let permitted = try Self.revisions(of: Self.signedTwice(Self.certifying(2)))
        #expect(permitted[0].problems.isEmpty)
    }

    @Test func refusesACertificationThatIsNotTheFirst() throws {
        let found = try Self.revisions(of: Self.signedTwice("", Self.certifying(2)))
        #expect(found.map { Self.codes($0.problems) } == [[], [.certificationNotFirst]])
    }

    @Test func findsNothingWhereNothingCanBeCompared() throws {
        var file = RevisedFile()
        file.revise(
            RevisedFile.page.merging(
                [
                    1: RevisedFile.catalog("10 0 R"), 10: RevisedFile.field("a", value: 20),
                    20: "<< /Type /Sig /SubFilter /ETSI.CAdES.detached /Contents <00> >>",
                ], uniquingKeysWith: { $1 }))
        let found = try Self.revisions(of: file)
        #expect(found.map(\.coverage) == [.partial])
        #expect(found.allSatisfy { $0.problems.isEmpty })
    }

    // MARK: Structure

    @Test func tellsWhatSpeaksAgainstTheDocumentOfEachSignature() throws {
        var file = RevisedFile()
        file.revise(
            RevisedFile.page.merging(
                [1: "<< /Type /Catalog /Pages 2 0 R /Lang (a) /Lang (b) >>"],
                uniquingKeysWith: { $1 }))
        let document = try file.document()
        let found = try DocumentStructure.finding(of: document, form: AcroForm(of: document))
        #expect(Self.codes(found.problems).contains(.duplicateKey))
    }

    // MARK: Time

    private static let early = CalendarTime(secondsSinceEpoch: 1_700_000_000)
    private static let late = CalendarTime(secondsSinceEpoch: 1_800_000_000)

    @Test func theNearestTimestampThatPassedProvesTheTime() {
        let later = LaterTimestamps()
            .adding(nil, proof: .init(time: Self.late, path: nil, token: [1], end: 200))
            .adding(nil, proof: .init(time: Self.early, path: nil, token: [2], end: 100))
            .adding(nil, proof: nil)
        let found = TimeFinding(later, timestamp: nil, token: nil)
        #expect(found.provenTime == Self.early)
        #expect(found.provenToken == [2])
        #expect(later.proves(Self.early))
        #expect(!later.proves(Self.early.adding(seconds: -1)))
        #expect(TimeFinding(LaterTimestamps(), timestamp: nil, token: nil).provenTime == nil)
    }

    // MARK: Together

    @Test func nothingPassesForTheAbsenceOfProblems() throws {
        let document = try Self.signedTwice(format: "adbe.x509.rsa_sha1").document()
        let candidate = try #require(try Self.candidates(of: document).last)
        let findings = SignatureFindings(
            candidate: candidate, revision: RevisionFinding(), value: ValueFinding(),
            ofDocument: [])
        let report = SignatureReport(findings, level: nil, unmet: [], explanation: nil)
        #expect(report.problems.isEmpty)
        #expect(report.verdict == .indeterminate)
        #expect(SignatureReport(lostFrom: "a").verdict == .failed)
    }

    @Test func tellsProblemsInTheOrderOfTheirWeight() throws {
        let candidate = try #require(try Self.candidates(of: Self.signedTwice().document()).first)
        let revision = try Self.revisions(of: Self.signedTwice(Self.certifying(1)))[0]
        var value = ValueFinding()
        value.problems = [.failure(.signatureInvalid, "")]
        let findings = SignatureFindings(
            candidate: candidate, revision: revision, value: value,
            ofDocument: [.failure(.duplicateKey, "")])
        let report = SignatureReport(
            findings, level: nil, unmet: [.doubt(.levelNotReached, "", .expired)], explanation: nil)
        #expect(
            Self.codes(report.problems) == [
                .cmsMalformed, .signatureInvalid, .changeNotPermitted, .levelNotReached,
            ])
        #expect(Self.codes(report.allProblems).last == .duplicateKey)
        #expect(report.subIndication == .formatFailure)
    }

    @Test func whatWasJudgedInAnotherFieldIsToldOnce() throws {
        let candidate = try #require(try Self.candidates(of: Self.signedTwice().document()).first)
        var value = ValueFinding()
        value.problems = [.failure(.signatureInvalid, "")]
        let standing = value.standing(besides: candidate.problems, judgedIn: candidate)
        #expect(Self.codes(standing.problems) == [.signatureInvalid])
        let alone = value.standing(besides: [], judgedIn: candidate)
        #expect(Self.codes(alone.problems) == [.cmsMalformed, .signatureInvalid])
    }

    // MARK: Widgets that later revisions add

    @Test(
        "no flag hides a new widget that has something to show",
        arguments: [
            ("", true), ("/F 132", true), ("/AP << /N 31 0 R >>", true), ("/MK << >>", true),
            ("/Border [0 0 0] /BS << /W 0 >> /MK << /R 90 >>", true),
            ("/F 2 /AP << /N 30 0 R >>", false), ("/F 6 /AP << /N 30 0 R >>", false),
            ("/F 32 /AP << /N 30 0 R >>", false), ("/F 33 /AP << /D 30 0 R >>", false),
            ("/AP << /N << /On 30 0 R >> >> /AS /Off", false), ("/AP 30 0 R", false),
            ("/MK << /BC [0] >>", false), ("/MK << /BG [0] >> /F 2", false),
            ("/MK << /CA (900) >>", false), ("/Border [0 0 1]", false), ("/Border []", false),
            ("/BS << /W 1 >>", false), ("/BS << /S /S >>", false),
        ])
    func hiddenByAbsence(entries: String, isHidden: Bool) throws {
        for box in ["[0 0 0 0]", "[9 9 300 9]", "[9 300 9 9]"] {
            try check(entries, box: box, isHidden: isHidden)
        }
        for box in ["[9 9 90 90]", "[9 9 9.001 9.001]", "[90 90 9 9]", "9"] {
            try check(entries, box: box, isHidden: false)
        }
    }

    private func check(_ entries: String, box: String, isHidden: Bool) throws {
        var file = RevisedFile()
        file.revise(
            RevisedFile.page.merging(
                [1: RevisedFile.catalog("10 0 R"), 10: RevisedFile.field("a")],
                uniquingKeysWith: { $1 }))
        file.sign(20, [10: RevisedFile.field("a", value: 20)])
        let form = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length"
        let widget = "/Type /Annot /Subtype /Widget /P 3 0 R /Rect \(box) \(entries)"
        file.sign(
            21,
            [
                1: RevisedFile.catalog("10 0 R 11 0 R"),
                11: RevisedFile.field("b", value: 21, widget),
                30: "\(form) 12 >>\nstream\n0 0 9 9 re f\n\nendstream",
                31: "\(form) 1 >>\nstream\nq\nendstream",
            ], format: "ETSI.RFC3161")
        let document = try file.document()
        let candidates = try Self.candidates(of: document)
        let findings = try RevisionJudgement(of: document).findings(for: candidates)
        let isDoubted = findings[0].problems.contains {
            $0.code == .lookUncertain && $0.verdict == .indeterminate
        }
        #expect(isDoubted == !isHidden, "\(box)")
    }
}
