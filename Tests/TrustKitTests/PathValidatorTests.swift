import Base
import CryptoBridge
import SignetTestSupport
import Testing
import TrustKit

@Suite("Paths to trust anchors")
struct PathValidatorTests {
    private func verdict(
        _ leaf: Certificate, anchors: [Certificate], candidates: [Certificate] = [],
        at time: CalendarTime = TestPKI.now, digest: DigestAlgorithm? = .sha256
    ) throws -> PathVerdict {
        try PathValidator(anchors: .certificates(anchors), now: TestPKI.now).validate(
            leaf: leaf, candidates: candidates, digest: digest, at: time)
    }

    @Test func findsAPathThroughHints() throws {
        let root = try TestPKI.root()
        let middle = try TestPKI.issue("CN=Middle", by: root, profile: .ca)
        let signer = try TestPKI.issue(by: middle)
        let found = try verdict(
            signer.certificate, anchors: [root.certificate], candidates: [middle.certificate])
        #expect(found.isTrusted)
        #expect(found.chain == [signer.certificate, middle.certificate, root.certificate])
        let missing = try verdict(signer.certificate, anchors: [root.certificate])
        #expect(missing.outcome == .indeterminate(.noCertificateChainFound))
    }

    /// RFC 5280 §4.1.2.5: the period of validity includes both ends.
    @Test func validityIncludesItsLastSecond() throws {
        let root = try TestPKI.root()
        let signer = try TestPKI.issue(by: root).certificate
        let validator = PathValidator(anchors: .certificates([signer]), now: TestPKI.now)
        func code(at time: CalendarTime) throws -> ProblemCode? {
            let verdict = try validator.validate(leaf: signer, candidates: [], at: time)
            return VerificationProblem.problems(verdict).first { $0.verdict != nil }?.code
        }
        #expect(try code(at: signer.notBefore) == nil)
        #expect(try code(at: signer.notAfter) == nil)
        #expect(try code(at: signer.notAfter.adding(seconds: 1)) == .expired)
        #expect(try code(at: signer.notBefore.adding(seconds: -1)) == .notYetValid)
    }

    /// A list that names a service until it was withdrawn.
    private struct Listed: ListedServices {
        let service: Certificate
        let withdrawn: CalendarTime

        func anchors(
            above certificates: [Certificate], at time: CalendarTime, forTimestamps: Bool
        ) -> [Certificate] { time < withdrawn ? [service] : [] }

        func exclusion(
            of path: [Certificate], candidates: [Certificate], at time: CalendarTime,
            forTimestamps: Bool
        ) -> PathExclusion? { nil }

        func distrust(in path: [Certificate], candidates: [Certificate]) -> PathExclusion? { nil }
        func missingIssuer(of path: [Certificate]) -> PathExclusion? { nil }
    }

    /// Who has the key of a service that was withdrawn can give its stamps any date.
    @Test func tellsServicesThatWereWithdrawnSince() throws {
        let root = try TestPKI.root().certificate
        let signer = try TestPKI.issue(by: TestPKI.root())
        let other = try TestPKI.root()
        let leaf = try TestPKI.issue(by: other).certificate
        let withdrawn = TestPKI.now.adding(seconds: -1000)
        let used = TestPKI.now.adding(seconds: -2000)
        var validator = PathValidator(anchors: .certificates([root]), now: TestPKI.now)
        validator.listed = Listed(service: other.certificate, withdrawn: withdrawn)
        let chain = [leaf, other.certificate]
        #expect(try validator.validate(leaf: leaf, candidates: [], at: used).isTrusted)
        #expect(validator.isWithdrawn(chain, valid: used, at: TestPKI.now))
        #expect(!validator.isWithdrawn(chain, valid: used, at: used))
        // A person who believes it is not asked by a list.
        var given = PathValidator(anchors: .certificates([other.certificate]), now: TestPKI.now)
        given.listed = validator.listed
        #expect(!given.isWithdrawn(chain, valid: used, at: TestPKI.now))
        validator.listed = nil
        #expect(!validator.isWithdrawn([signer.certificate], valid: used, at: TestPKI.now))
    }

    @Test func anIntermediateCanBeTheAnchor() throws {
        let root = try TestPKI.root()
        let middle = try TestPKI.issue("CN=Middle", by: root, profile: .ca)
        let signer = try TestPKI.issue(by: middle)
        let found = try verdict(signer.certificate, anchors: [middle.certificate])
        #expect(found.isTrusted)
        #expect(found.chain == [signer.certificate, middle.certificate])
        #expect(try verdict(signer.certificate, anchors: [signer.certificate]).isTrusted)
    }

    /// CMS-10.
    @Test func neverTrustsWhatTheDocumentBrings() throws {
        let root = try TestPKI.root()
        let signer = try TestPKI.issue(by: root)
        let found = try verdict(signer.certificate, anchors: [], candidates: [root.certificate])
        #expect(found.outcome == .indeterminate(.noCertificateChainFound))
        let alone = try TestPKI.selfSigned()
        #expect(
            try verdict(alone.certificate, anchors: [root.certificate]).outcome
                == .indeterminate(.noCertificateChainFound))
        #expect(try verdict(alone.certificate, anchors: [alone.certificate]).isTrusted)
    }

    @Test func rejectsARootOfTheSameNameWithAnotherKey() throws {
        let signer = try TestPKI.issue(by: TestPKI.root())
        let impostor = try TestPKI.root()
        #expect(
            try verdict(signer.certificate, anchors: [impostor.certificate]).outcome
                == .indeterminate(.noCertificateChainFound))
    }

    /// CMS-11.
    @Test(arguments: [TestPKI.time(2024, 6, 1), TestPKI.time(2029, 6, 1)])
    func isOutOfBoundsOutsideValidity(time: CalendarTime) throws {
        let root = try TestPKI.root()
        let signer = try TestPKI.issue(by: root)
        #expect(
            try verdict(signer.certificate, anchors: [root.certificate], at: time).outcome
                == .indeterminate(.outOfBoundsNoPOE))
    }

    /// Extended key usages of issuers limit what they issue, together.
    @Test(arguments: [
        ([OID.serverAuth], false),
        ([OID.emailProtection], true),
        ([OID.anyExtendedKeyUsage], true),
        ([OID.timeStamping], false),
    ])
    func issuersLimitUsages(usages: [OID], isGood: Bool) throws {
        let root = try TestPKI.root()
        let middle = try TestPKI.issue("CN=Middle", by: root, profile: .ca) {
            $0.extendedKeyUsage = usages
        }
        let signer = try TestPKI.issue(by: middle)
        let found = try verdict(
            signer.certificate, anchors: [root.certificate], candidates: [middle.certificate])
        #expect((found.outcome == .passed) == isGood)
        #expect(found.violations.map(\.code) == (isGood ? [] : [.extendedKeyUsage]))
        // Two that have nothing in common leave nothing.
        let lower = try TestPKI.issue("CN=Lower", by: middle, profile: .ca) {
            $0.extendedKeyUsage = [OID.documentSigning]
        }
        let leaf = try TestPKI.issue(by: lower)
        let both = try verdict(
            leaf.certificate, anchors: [root.certificate],
            candidates: [middle.certificate, lower.certificate])
        #expect((both.outcome == .passed) == usages.contains(OID.anyExtendedKeyUsage))
    }

    /// An authority's certificate of the same name as its issuer's is no self-signed one.
    @Test func anAuthorityBelowItsOwnNameIsOne() throws {
        let root = try TestPKI.root(keyUsage: [.keyCertSign, .digitalSignature])
        let renewed = try TestPKI.issue("CN=Test Root,O=Signet,C=CZ", by: root, profile: .ca) {
            $0.keyUsage = [.keyCertSign, .digitalSignature]
        }
        let found = try verdict(renewed.certificate, anchors: [root.certificate])
        #expect(found.violations.map(\.code) == [.caCertificate])
        let own = try verdict(root.certificate, anchors: [root.certificate])
        #expect(own.outcome == .passed)
    }

    /// RFC 5280 §6.1.1 (c): any policy will do unless some are named.
    @Test func policiesAreAskedForByThoseWhoNeedThem() throws {
        let root = try TestPKI.root()
        let policy = TestDER.sequence(TestDER.sequence(TestDER.oid("1.2.3.4")))
        // requireExplicitPolicy 0
        let demand = TestDER.sequence([0x80, 0x01, 0x00])
        let middle = try TestPKI.issue("CN=Middle", by: root, profile: .ca)
            .adding("2.5.29.36", critical: true, demand, by: root)
            .adding("2.5.29.32", policy, by: root)
        let without = try TestPKI.issue(by: middle)
        let with = try without.adding("2.5.29.32", policy, by: middle)
        func outcome(
            _ leaf: TestPKI.Identity, _ change: (inout PathPolicies) -> Void = { _ in }
        ) throws -> PathVerdict.Outcome {
            var validator = PathValidator(
                anchors: .certificates([root.certificate]), now: TestPKI.now)
            change(&validator.certificatePolicies)
            return try validator.validate(
                leaf: leaf.certificate, candidates: [middle.certificate], at: TestPKI.now
            ).outcome
        }
        #expect(try outcome(with) == .passed)
        #expect(try outcome(without) == .indeterminate(.chainConstraintsFailure))
        #expect(try outcome(with) { $0.accepted = ["1.2.3.4"] } == .passed)
        #expect(try outcome(with) { $0.accepted = ["1.2.3.5"] } != .passed)
    }

    /// CMS-12.
    @Test func appliesTheUsageRules() throws {
        let root = try TestPKI.root()
        let cases: [(String, (inout CertificateBuilder) -> Void, ProblemCode?)] = [
            ("server", { $0.extendedKeyUsage = [OID.serverAuth] }, .extendedKeyUsage),
            ("tsa", { $0.extendedKeyUsage = [OID.timeStamping] }, .extendedKeyUsage),
            (
                "both",
                {
                    $0.extendedKeyUsage = [OID.serverAuth, OID.emailProtection]
                }, nil
            ),
            ("none", { $0.extendedKeyUsage = [] }, nil),
            ("encryption", { $0.keyUsage = [.keyEncipherment] }, .keyUsage),
            ("repudiation", { $0.keyUsage = [.nonRepudiation] }, nil),
            (
                "authority",
                {
                    $0.profile = .ca; $0.keyUsage = [.digitalSignature, .keyCertSign]
                },
                .caCertificate
            ),
        ]
        for (name, configure, code) in cases {
            let signer = try TestPKI.issue("CN=\(name)", by: root, configure: configure)
            let found = try verdict(signer.certificate, anchors: [root.certificate])
            #expect(found.violations.first?.code == code, "\(name)")
            #expect(
                found.outcome == (code == nil ? .passed : .indeterminate(.chainConstraintsFailure)),
                "\(name)")
        }
    }

    @Test func aSignersCertificateIssuesNothing() throws {
        let root = try TestPKI.root()
        let signer = try TestPKI.issue("CN=Signer", by: root)
        let below = try TestPKI.issue("CN=Below", by: signer)
        #expect(
            try verdict(
                below.certificate, anchors: [root.certificate], candidates: [signer.certificate]
            ).outcome == .indeterminate(.chainConstraintsFailure))
    }

    @Test func honoursThePathLength() throws {
        let root = try TestPKI.root()
        let first = try TestPKI.issue("CN=First", by: root, profile: .ca) { $0.pathLength = 0 }
        let second = try TestPKI.issue("CN=Second", by: first, profile: .ca)
        let signer = try TestPKI.issue(by: second)
        #expect(
            try verdict(
                signer.certificate, anchors: [root.certificate],
                candidates: [first.certificate, second.certificate]
            ).outcome == .indeterminate(.chainConstraintsFailure))
    }

    /// CMS-6.
    @Test func weakHashesDoNotPass() throws {
        let root = try TestPKI.root()
        let signer = try TestPKI.issue(by: root)
        for weak in [DigestAlgorithm.sha1, .md5] {
            #expect(
                try verdict(
                    signer.certificate, anchors: [root.certificate], digest: weak
                ).outcome == .indeterminate(.cryptoConstraintsFailureNoPOE))
        }
    }

    @Test func takesOnlyWhatItNeedsFromABundle() throws {
        let root = try TestPKI.root()
        let middle = try TestPKI.issue("CN=Middle", by: root, profile: .ca)
        let signer = try TestPKI.issue(by: middle)
        let noise = try (0..<3).map { try TestPKI.root("CN=Noise \($0)").certificate.pem }
        let twin = try TestPKI.root().certificate.pem
        try ExternalTool.withFolder { folder in
            let path = "\(folder)/bundle.pem"
            func outcome(_ parts: [[UInt8]]) throws -> PathVerdict.Outcome {
                try ExternalTool.write(parts.flatMap { $0 }, to: path)
                return try PathValidator(anchors: .file(path), now: TestPKI.now).validate(
                    leaf: signer.certificate, candidates: [middle.certificate], at: TestPKI.now
                ).outcome
            }
            let comment = Array("# Root - with dashes -----\n".utf8)
            try #expect(outcome(noise + [comment, root.certificate.pem]) == .passed)
            try #expect(outcome([twin, root.certificate.pem] + noise) == .passed)
            // A block without its END line does not hide the next certificate.
            try #expect(outcome([Array(noise[0].dropLast(26)), root.certificate.pem]) == .passed)
            try #expect(outcome([middle.certificate.pem]) == .passed)
            try #expect(outcome([signer.certificate.pem]) == .passed)
            let none = PathVerdict.Outcome.indeterminate(.noCertificateChainFound)
            try #expect(outcome(noise + [twin]) == none)
            try #expect(outcome([]) == none)
            try #expect(outcome([Array(root.certificate.pem.dropLast(300))]) == none)
        }
        #expect(throws: CryptoError(.malformedCertificate, "")) {
            try PathValidator(anchors: .file("/nonexistent/bundle"), now: TestPKI.now).validate(
                leaf: signer.certificate, candidates: [], at: TestPKI.now)
        }
    }

    @Test func comparesNamesAsTheStandardFoldsThem() throws {
        let root = try TestPKI.root("CN=Test  ROOT,O=Signet")
        let key = try PrivateKey.generate(.ec(curve: .p256))
        // The same issuer written in other case and spacing.
        let spelled = try TestPKI.root("CN=test root,O=SIGNET", key: root.key)
        let signer = try TestPKI.issue(by: spelled, key: key)
        try ExternalTool.withFolder { folder in
            let path = "\(folder)/bundle.pem"
            try ExternalTool.write(root.certificate.pem, to: path)
            #expect(
                try PathValidator(anchors: .file(path), now: TestPKI.now).validate(
                    leaf: signer.certificate, candidates: [], at: TestPKI.now
                ).isTrusted)
        }
    }

    @Test func readsSystemTrustAsTheEnvironmentSays() {
        let probe = SystemTrust.Probe(
            isDirectory: { $0 == "/d" || $0 == "/etc/ssl/certs" }, isFile: { $0 == "/f" })
        func parts(_ file: String?, _ directory: String?) -> String {
            "\(SystemTrust.anchors(certificateFile: file, certificateDirectory: directory, probe: probe))"
        }
        #expect(parts(nil, nil).contains("hashedDirectory(\"/etc/ssl/certs\")"))
        #expect(parts("/f", nil).contains("file(\"/f\")"))
        #expect(!parts("/f", nil).contains("/etc"))
        #expect(parts(nil, "/x:/d").contains("hashedDirectory(\"/d\")"))
    }
}

@Suite("Fitness to sign")
struct SigningEligibilityTests {
    @Test func refusesByName() throws {
        let root = try TestPKI.root()
        let good = try TestPKI.issue(by: root)
        func refusals(
            _ certificate: Certificate, _ key: PublicKey, _ time: CalendarTime = TestPKI.now
        ) -> [ProblemCode] {
            SigningEligibility.check(certificate: certificate, key: key, at: time)
                .refusals.map(\.code)
        }
        let key = good.key.publicKey
        #expect(refusals(good.certificate, key) == [])
        #expect(refusals(good.certificate, root.key.publicKey) == [.keyMismatch])
        #expect(refusals(good.certificate, key, TestPKI.time(2030, 1, 1)) == [.expired])
        #expect(refusals(good.certificate, key, TestPKI.time(2020, 1, 1)) == [.notYetValid])
        let tsa = try TestPKI.issue(by: root, profile: .tsa)
        #expect(refusals(tsa.certificate, tsa.key.publicKey) == [.extendedKeyUsage])
        // A self-signed certificate is often marked as CA; validators accept it.
        let authority = try TestPKI.issue(by: root, profile: .ca)
        for (signer, warnings) in [(root, []), (authority, [ProblemCode.caCertificate])] {
            let answer = SigningEligibility.check(
                certificate: signer.certificate, key: signer.key.publicKey, at: TestPKI.now)
            #expect(answer.warnings.map(\.code) == warnings)
            #expect(answer.refusals.map(\.code) == [.keyUsage])
        }
    }

    @Test func agesAlgorithmsByTheirDates() throws {
        let rsa = try PrivateKey.generate(.rsa(bits: 2048)).publicKey
        #expect(AlgorithmPolicy.weaknesses(digest: .sha256, key: rsa, at: TestPKI.now).isEmpty)
        #expect(
            AlgorithmPolicy.weaknesses(
                digest: .sha256, key: rsa, at: TestPKI.time(2029, 2, 1)
            ) == ["the key is too weak from 2029-01-01 on (RSA 2048)"])
        #expect(
            AlgorithmPolicy.weaknesses(
                digest: .sha1, key: rsa, at: TestPKI.time(2010, 1, 1)
            ).isEmpty)
    }
}

extension PathValidator {
    func validate(
        leaf: Certificate, candidates: [Certificate], digest: DigestAlgorithm? = nil,
        at time: CalendarTime
    ) throws(CryptoError) -> PathVerdict {
        try validate(Question(leaf: leaf, candidates: candidates, digest: digest, at: time))
    }
}
