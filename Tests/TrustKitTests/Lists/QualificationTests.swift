import Base
import CryptoBridge
import Foundation
import SignetTestSupport
import Testing

@testable import TrustKit

/// The decision tables. The cases named after DSS have the results of that validator's own tests.
struct QualificationTests {
    typealias Statements = Certificate.QualifiedStatements

    private static func time(_ year: Int) -> CalendarTime {
        CalendarTime(year: year) ?? CalendarTime(secondsSinceEpoch: 0)
    }

    private static func certificate() throws -> Certificate {
        let path = TestVectors.root.appendingPathComponent("TestVectors/pki/valid.pem").path
        return try Certificate.readAll(ExternalTool.read(path))[0]
    }

    private static func state(
        _ qualifiers: [String] = [], _ purposes: Set<CertificatePurpose> = [.signature],
        status: String = "granted", since year: Int = 2017, critical: Bool = false,
        criteria: Criterion = .list(.all, []), hasUnknownExtension: Bool = false
    ) -> ServiceState {
        ServiceState(
            kind: .qualifiedCertificates, status: status, start: time(year), purposes: purposes,
            qualifications: qualifiers.isEmpty
                ? []
                : [
                    QualificationElement(
                        criteria: criteria, qualifiers: Set(qualifiers), isCritical: critical)
                ], hasUnknownCriticalExtension: hasUnknownExtension)
    }

    private static func service(_ states: [ServiceState]) -> TrustService {
        TrustService(
            territory: "CZ", provider: "P", providerNames: ["p"], name: "S", certificates: [],
            states: states)
    }

    private static func claims(
        _ compliant: Bool = true, device: Bool = false, _ purposes: [CertificatePurpose] = [],
        issued year: Int = 2018, policies: [OID] = []
    ) throws -> CertificateAssessment.Claims {
        var claims = CertificateAssessment.Claims(try certificate())
        claims.notBefore = time(year)
        claims.statements = Statements()
        claims.statements.isCompliant = compliant
        claims.statements.isInDevice = device
        claims.statements.purposes = purposes
        claims.policies = policies
        return claims
    }

    private static func level(
        _ claims: CertificateAssessment.Claims, _ services: [TrustService], at year: Int = 2019,
        verdict: Verdict = .passed
    ) throws -> String {
        let certificate = try certificate()
        let assessments = [claims.notBefore, time(year)].map {
            CertificateAssessment(of: certificate, claims, issuers: services, at: $0)
        }
        return SignatureQualification(verdict, assessments[0], assessments[1]).level
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var qualifiers: [String] = []
        var purposes: Set<CertificatePurpose> = [.signature]
        var compliant = true
        var device = false
        var types: [CertificatePurpose] = []
        let level: String
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "DSS granted-tsp", device: true, types: [.signature], level: "QESig"),
        Case(
            name: "DSS granted-tsp-with-qualifier", qualifiers: ["QCForESig", "QCWithQSCD"],
            level: "QESig"),
        Case(
            name: "DSS granted-tsp-with-unknown-qualifier", qualifiers: ["Something"],
            device: true, level: "QESig"),
        Case(name: "DSS granted-tsp-qscd-overrule", qualifiers: ["QCWithQSCD"], level: "QESig"),
        Case(name: "DSS granted-tsp-sscd-overrule", qualifiers: ["QCWithSSCD"], level: "AdESig-QC"),
        Case(
            name: "DSS granted-tsp-sscd-and-qscd-overrule",
            qualifiers: ["QCWithSSCD", "QCWithQSCD"], level: "QESig"),
        Case(
            name: "DSS qscd-with-no-sscd-overrule", qualifiers: ["QCNoSSCD"], device: true,
            level: "AdESig-QC"),
        Case(
            name: "DSS granted-tsp-qscd-overrule-conflict", qualifiers: ["QCWithQSCD", "QCNoQSCD"],
            device: true, level: "AdESig-QC"),
        Case(
            name: "DSS granted-tsp-managedonbehalf-and-qscd-overrule-conflict",
            qualifiers: ["QCQSCDManagedOnBehalf", "QCWithQSCD"], level: "QESig"),
        Case(
            name: "DSS granted-tsp-managedonbehalf-and-noqscd-overrule-conflict",
            qualifiers: ["QCQSCDManagedOnBehalf", "QCNoQSCD"], level: "AdESig-QC"),
        Case(
            name: "DSS granted-tsp-statusasincert-and-qscd-overrule-conflict",
            qualifiers: ["QCQSCDStatusAsInCert", "QCWithQSCD"], level: "AdESig-QC"),
        Case(
            name: "DSS post-eidas-qc-types-conflict", qualifiers: ["QCForESig", "QCForESeal"],
            purposes: [.signature, .seal], level: "Unknown-QC"),
        Case(
            name: "DSS post-eidas-no-qc-compliance-for-esig", qualifiers: ["QCStatement"],
            compliant: false, level: "Unknown-QC"),
        Case(
            name: "DSS the same with QcCompliance", qualifiers: ["QCStatement"], level: "AdESig-QC"),
        Case(
            name: "DSS post-eidas-no-qc-compliance-for-esig-sscd", qualifiers: ["QCStatement"],
            compliant: false, device: true, level: "Unknown-QC-QSCD"),
        Case(
            name: "DSS the same with QcCompliance and device", qualifiers: ["QCStatement"],
            device: true, level: "QESig"),
        Case(
            name: "DSS double_ASIE_qctype", purposes: [.signature, .seal],
            types: [.signature, .seal], level: "Unknown-QC"),
        Case(
            name: "DSS double_ASIE", purposes: [.signature, .seal], types: [.seal],
            level: "AdESeal-QC"),
        Case(
            name: "DSS WSA", purposes: [.webAuthentication], types: [.webAuthentication],
            level: "Not AdES"),
        Case(
            name: "seal in a device", purposes: [.seal], device: true, types: [.seal],
            level: "QESeal"),
        Case(name: "without any statement", compliant: false, level: "AdESig"),
        Case(
            name: "not qualified by the list", qualifiers: ["NotQualified"], device: true,
            level: "AdESig"),
        Case(
            name: "qualified and not, by the list", qualifiers: ["NotQualified", "QCStatement"],
            level: "Unknown"),
        Case(name: "for legal persons only", qualifiers: ["QCForLegalPerson"], level: "AdESig"),
        Case(name: "a seal by a service for signatures", types: [.seal], level: "AdESeal"),
        Case(
            name: "no device, as in the certificate", qualifiers: ["QCQSCDStatusAsInCert"],
            level: "AdESig-QC"),
        Case(
            name: "a device, as in the certificate", qualifiers: ["QCQSCDStatusAsInCert"],
            device: true, level: "QESig"),
    ]

    @Test(arguments: cases) func decides(_ example: Case) throws {
        let claims = try Self.claims(example.compliant, device: example.device, example.types)
        let service = Self.service([Self.state(example.qualifiers, example.purposes)])
        #expect(try Self.level(claims, [service]) == example.level)
    }

    @Test func verdictAndQualificationTogether() throws {
        let service = Self.service([Self.state()])
        for (device, verdict, level) in [
            (true, Verdict.indeterminate, "Indeterminate QESig"),
            (false, .indeterminate, "Indeterminate AdESig-QC"),
            (true, .failed, "Not AdES but QC with QSCD"), (false, .failed, "Not AdES but QC"),
        ] {
            let claims = try Self.claims(device: device)
            #expect(try Self.level(claims, [service], verdict: verdict) == level)
        }
        #expect(try Self.level(Self.claims(), [], verdict: .passed) == "N/A")
    }

    // MARK: Changes with time

    @Test func withdrawnAfterIssuance() throws {
        let service = Self.service([
            Self.state(status: "withdrawn", since: 2019), Self.state(since: 2017),
        ])
        let claims = try Self.claims(device: true)
        // DSS granted-at-toi-withdrawn-at-tos
        #expect(try Self.level(claims, [service], at: 2020) == "AdESig")
        // What was signed before counts: history has no certificates, and is the same service.
        #expect(
            try Self.level(Self.claims(device: true, issued: 2017), [service], at: 2018) == "QESig")
    }

    @Test func grantedAfterIssuance() throws {
        // DSS withdrawn-at-toi-granted-at-tos
        let service = Self.service([
            Self.state(since: 2019), Self.state(status: "withdrawn", since: 2017),
        ])
        #expect(try Self.level(Self.claims(device: true), [service], at: 2020) == "AdESig")
    }

    @Test func purposeAndDeviceOfTheTimeOfSigning() throws {
        let claims = try Self.claims()
        for (before, after, level) in [
            // DSS esig-at-toi-eseal-at-tos
            (["QCForESig", "QCWithQSCD"], ["QCForESeal", "QCWithQSCD"], "Unknown-QC-QSCD"),
            // DSS noqscd-at-toi-qscd-at-tos, qscd-at-toi-noqscd-at-tos
            (["QCNoQSCD"], ["QCWithQSCD"], "QESig"), (["QCWithQSCD"], ["QCNoQSCD"], "AdESig-QC"),
        ] {
            let service = Self.service([
                Self.state(after, [.signature, .seal], since: 2019),
                Self.state(before, [.signature, .seal], since: 2017),
            ])
            #expect(try Self.level(claims, [service], at: 2020) == level)
        }
    }

    @Test func ofTwoStatesWithTheSameStartTheFirstCounts() throws {
        let service = Self.service([
            Self.state(since: 2017), Self.state(status: "withdrawn", since: 2017),
        ])
        #expect(try Self.level(Self.claims(device: true), [service]) == "QESig")
    }

    @Test func doubleListing() throws {
        let granted = Self.service([Self.state()])
        let withdrawn = Self.service([Self.state(status: "withdrawn")])
        let unclear = Self.service([Self.state(status: "suspended")])
        let claims = try Self.claims(device: true)
        #expect(try Self.level(claims, [granted, granted]) == "QESig")
        #expect(try Self.level(claims, [granted, withdrawn]) == "AdESig")
        #expect(try Self.level(claims, [granted, unclear]) == "Unknown")
    }

    // MARK: Before the Regulation

    @Test func directive() throws {
        let policy: OID = "0.4.0.1456.1.1"
        for (status, policies, compliant, level) in [
            ("undersupervision", [], true, "AdESig-QC"), ("accredited", [policy], false, "QESig"),
            ("supervisionincessation", ["0.4.0.1456.1.2" as OID], false, "AdESig-QC"),
            ("supervisionceased", [policy], true, "AdESig"), ("accredited", [], false, "AdESig"),
        ] {
            let service = Self.service([Self.state([], [], status: status, since: 2010)])
            let claims = try Self.claims(compliant, issued: 2013, policies: policies)
            #expect(try Self.level(claims, [service], at: 2015) == level, "\(status)")
        }
        // After 2016 it must have become a granted service for signatures.
        let accredited = Self.state([], [], status: "accredited", since: 2010)
        let claims = try Self.claims(issued: 2013)
        #expect(try Self.level(claims, [Self.service([accredited])], at: 2017) == "AdESig")
        let granted = Self.service([Self.state(since: 2016), accredited])
        #expect(try Self.level(claims, [granted], at: 2017) == "AdESig-QC")
    }

    // MARK: What is not understood

    @Test func unknownCriteriaDecideOnlyWhereTheyAreCritical() throws {
        let claims = try Self.claims(device: true)
        for (isCritical, level) in [(true, "Unknown"), (false, "QESig")] {
            let state = Self.state(["NotQualified"], critical: isCritical, criteria: .unknown)
            #expect(try Self.level(claims, [Self.service([state])]) == level)
        }
    }

    @Test func unknownCriticalExtensionsDecideNothing() throws {
        let state = Self.state(hasUnknownExtension: true)
        #expect(try Self.level(Self.claims(device: true), [Self.service([state])]) == "Unknown")
        // Where nothing is qualified they do not matter.
        #expect(try Self.level(Self.claims(false), [Self.service([state])]) == "AdESig")
    }

    @Test func criteriaWithThreeAnswers() throws {
        let certificate = try Self.certificate()
        let yes = Criterion.list(.all, [])
        let no = Criterion.policies(["1.2.3"])
        for (criterion, answer) in [
            (Criterion.list(.all, [yes, .unknown]), nil), (.list(.all, [no, .unknown]), false),
            (.list(.atLeastOne, [yes, .unknown]), true), (.list(.atLeastOne, [no, .unknown]), nil),
            (.list(.none, [no]), true), (.list(.none, [yes, .unknown]), false),
            (.list(.none, [no, .unknown]), nil),
            (.keyUsage([.digitalSignature, .nonRepudiation], absent: [.keyCertSign]), true),
            (.keyUsage([.digitalSignature], absent: [.nonRepudiation]), false),
            (.subjectAttributes(["2.5.4.3"]), true), (.subjectAttributes(["2.5.4.65"]), false),
            (.extendedKeyUsages(["1.2.3"]), false),
        ] as [(Criterion, Bool?)] {
            #expect(criterion.holds(for: certificate) == answer, "\(criterion)")
        }
    }

    @Test func foreignLaw() throws {
        var claims = try Self.claims(device: true)
        claims.statements.countries = ["CH"]
        #expect(try Self.level(claims, [Self.service([Self.state()])]) == "AdESig")
    }
}
