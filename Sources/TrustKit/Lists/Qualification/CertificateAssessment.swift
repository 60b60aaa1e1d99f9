package import Base
package import CryptoBridge

/// Whether a certificate is qualified at a time, its purpose, and whether its key is in a
/// qualified device. See ETSI TS 119 615 §4.4, §4.5 (clause numbers from secondary sources).
/// Before the Regulation applied, Directive 1999/93/EC determines this.
package struct CertificateAssessment: Sendable {
    package enum Law: String, Sendable { case directive, regulation }

    package let time: CalendarTime
    package private(set) var law = Law.regulation
    package private(set) var qualified = QualificationAnswer.no
    /// Nil if unclear.
    package private(set) var purpose: CertificatePurpose?
    package private(set) var inDevice = QualificationAnswer.no
    package private(set) var reasons: [QualificationReason] = []
    /// The issuing service; nil if none is listed.
    package private(set) var service: TrustService?
    package private(set) var state: ServiceState?

    /// The Regulation applies from 1 July 2016, Brussels time (article 52).
    static let regulationStart = CalendarTime(secondsSinceEpoch: 1_467_324_000)

    /// - Parameter services: all services on the list of the issuer's country.
    package init(of certificate: Certificate, services: ServiceIndex, at time: CalendarTime) {
        self.init(
            of: certificate, Claims(certificate), issuers: services.issuers(of: certificate),
            at: time)
        checkProvider(certificate, services: services.issuers(of: certificate))
    }

    /// The statements in the certificate itself.
    struct Claims {
        var notBefore: CalendarTime
        var statements: Certificate.QualifiedStatements
        var policies: [OID]

        init(_ certificate: Certificate) {
            notBefore = certificate.notBefore
            statements = certificate.qualifiedStatements
            policies = certificate.certificatePolicies
        }
    }

    /// - Parameter issuers: services whose keys signed the certificate.
    init(
        of certificate: Certificate, _ claims: Claims, issuers: [TrustService],
        at time: CalendarTime
    ) {
        self.time = time
        let listed = issuers.compactMap { service in
            service.state(at: time).map { (service: service, state: $0) }
        }.filter { $0.state.kind == .qualifiedCertificates }
        guard let first = listed.first else {
            add(
                .serviceNotListed,
                issuers.isEmpty
                    ? "no trusted list contains a service that issued the certificate"
                    : "on \(time.text), the issuing service was not on a trusted list for "
                        + "qualified certificates")
            return
        }
        service = first.service
        state = first.state
        judge(certificate, claims, listed.map(\.state))
    }

    private mutating func add(_ code: QualificationReason.Code, _ message: String) {
        let reason = QualificationReason(code, message)
        if !reasons.contains(reason) { reasons.append(reason) }
    }

    private mutating func judge(
        _ certificate: Certificate, _ claims: Claims, _ states: [ServiceState]
    ) {
        let statements = claims.statements
        if statements.isMalformed {
            add(
                .malformedStatement,
                "the QcType statement of the certificate is malformed, but readable (no effect on the "
                    + "result)")
        }
        let isOld = time < Self.regulationStart || claims.notBefore < Self.regulationStart
        law = isOld ? .directive : .regulation
        if isOld {
            judgeByDirective(certificate, claims, states)
        } else {
            judgeByRegulation(certificate, states, statements)
        }
        if !statements.countries.isEmpty, qualified != .no {
            qualified = .no
            add(
                .foreignLaw,
                "the certificate states that it is qualified under the law of "
                    + statements.countries.prefix(4).joined(separator: ", "))
        }
        if states.contains(where: \.hasUnknownCriticalExtension), qualified == .yes {
            qualified = .undecided
            add(
                .criticalExtensionUnknown,
                "the trusted list has an unknown critical extension for the service")
        }
    }

    private mutating func qualifiers(
        _ certificate: Certificate, in states: [ServiceState]
    ) -> Set<String> {
        var found: Set<String> = []
        for element in states.flatMap(\.qualifications) {
            switch element.criteria.holds(for: certificate) {
            case true?: found.formUnion(element.qualifiers)
            case false?: break
            case nil:
                if element.isCritical {
                    add(
                        .criticalExtensionUnknown,
                        "the trusted list has an unknown criterion for the service: "
                            + element.qualifiers.sorted().joined(separator: ", "))
                }
            }
        }
        return found
    }

    /// Whether a critical criterion could not be checked.
    private var hasUnknownCriterion: Bool {
        reasons.contains { $0.code == .criticalExtensionUnknown }
    }

    /// The issuer's organization name must be the listed provider's.
    private mutating func checkProvider(_ certificate: Certificate, services: [TrustService]) {
        let issuer = certificate.issuer
        let names = issuer.values(ofType: .organization)
        let candidates = names.isEmpty ? [issuer.commonName].compactMap { $0 } : names
        let matches = services.contains { service in
            candidates.contains { service.hasProvider(named: $0) }
        }
        guard !matches, !candidates.isEmpty, service != nil else { return }
        add(
            .providerNameDiffers,
            "the issuer name in the certificate is \(candidates[0]), on the trusted list it is "
                + (services.first?.provider ?? ""))
        if qualified == .yes { qualified = .undecided }
    }

    // MARK: Directive 1999/93/EC

    private static let directiveStatuses: Set<String> = [
        "undersupervision", "supervisionincessation", "accredited", "granted",
    ]

    private mutating func judgeByDirective(
        _ certificate: Certificate, _ claims: Claims, _ states: [ServiceState]
    ) {
        let statements = claims.statements
        let isUsable = states.map { state in
            time < Self.regulationStart
                ? Self.directiveStatuses.contains(state.status)
                : state.status == "granted" && state.purposes.contains(.signature)
        }
        let found = qualifiers(certificate, in: states)
        let policies = claims.policies
        purpose = .signature
        inDevice = device(
            found, statements, isOld: true,
            isByPolicy: policies.contains(.qualifiedPublicWithDevice))
        guard isUsable.contains(true) else {
            add(.serviceWithdrawn, "the service had the status \(Self.statuses(states))")
            return
        }
        if found.contains("NotQualified") {
            add(
                .notQualifiedByList,
                "according to the trusted list, certificates of this kind are not qualified")
        } else if !found.isDisjoint(with: ["QCForLegalPerson", "QCForESeal", "QCForWSA"]) {
            add(
                .purposeDiffers,
                "according to the trusted list, certificates of this kind are not for signatures")
        } else if found.contains("QCStatement") || statements.isCompliant
            || policies.contains(.qualifiedPublicWithDevice) || policies.contains(.qualifiedPublic)
        {
            let isClear = !isUsable.contains(false) && !hasUnknownCriterion
            qualified = isClear ? .yes : .undecided
            if isUsable.contains(false) {
                add(.conflict, "the trusted list has different statuses for the service")
            }
        } else {
            add(.notQualifiedByCertificate, "the certificate has no QcCompliance statement")
        }
    }

    private static func statuses(_ states: [ServiceState]) -> String {
        Set(states.map(\.status)).sorted().map(\.inQuotes).joined(separator: " and ")
    }

    // MARK: Regulation (EU) No 910/2014

    private enum Outcome {
        case yes, no
        /// Qualified, but perhaps for another purpose.
        case ambiguous
        case undecided
    }

    private mutating func judgeByRegulation(
        _ certificate: Certificate, _ states: [ServiceState],
        _ statements: Certificate.QualifiedStatements
    ) {
        let found = qualifiers(certificate, in: states)
        var outcomes: [CertificatePurpose: Outcome] = [:]
        for purpose in CertificatePurpose.allCases {
            let fitting = states.filter { $0.purposes.contains(purpose) }
            outcomes[purpose] = outcome(purpose, fitting, found, statements)
        }
        let positive = CertificatePurpose.allCases.filter { outcomes[$0] == .yes }
        inDevice = device(found, statements, isOld: false, isByPolicy: false)
        if positive.count == 1 {
            (qualified, purpose) = (.yes, positive[0])
        } else if positive.count > 1 {
            qualified = .yes
            add(.conflict, "the trusted list states several purposes for the certificate")
        } else if outcomes.values.contains(.undecided) {
            qualified = .undecided
        } else if outcomes.values.contains(.ambiguous) {
            qualified = .yes
            add(.conflict, "the trusted list and the certificate state different purposes")
        } else {
            purpose = statements.purposes.first ?? .signature
            addNegativeReason(states, found, statements)
        }
        if hasUnknownCriterion, qualified == .yes { qualified = .undecided }
    }

    private mutating func addNegativeReason(
        _ states: [ServiceState], _ found: Set<String>,
        _ statements: Certificate.QualifiedStatements
    ) {
        if !states.contains(where: { $0.status == "granted" }) {
            add(.serviceWithdrawn, "the service had the status \(Self.statuses(states))")
        } else if found.contains("NotQualified") {
            add(
                .notQualifiedByList,
                "according to the trusted list, certificates of this kind are not qualified")
        } else if !statements.isCompliant, !found.contains("QCStatement") {
            add(.notQualifiedByCertificate, "the certificate has no QcCompliance statement")
        } else {
            add(
                .purposeDiffers,
                "the trusted list does not contain the service for the purpose of the certificate")
        }
    }

    private mutating func outcome(
        _ purpose: CertificatePurpose, _ states: [ServiceState], _ found: Set<String>,
        _ statements: Certificate.QualifiedStatements
    ) -> Outcome {
        if states.isEmpty || states.contains(where: { $0.status == "withdrawn" }) { return .no }
        guard states.allSatisfy({ $0.status == "granted" }) else {
            add(.serviceStatusUnclear, "the service had the status \(Self.statuses(states))")
            return .undecided
        }
        let isStated = found.contains("QCStatement")
        if found.contains("NotQualified") {
            guard isStated else { return .no }
            add(.conflict, "the trusted list states both qualified and not qualified")
            return .undecided
        }
        var others = Set(CertificatePurpose.allCases.map(\.qualifier)).subtracting([
            purpose.qualifier
        ])
        if purpose == .signature { others.insert("QCForLegalPerson") }
        let isNamed = found.contains(purpose.qualifier)
        if !found.isDisjoint(with: others) { return isNamed ? .ambiguous : .no }
        if isNamed { return isStated || statements.isCompliant ? .yes : .no }
        guard statements.isCompliant || isStated else { return .no }
        return byCertificate(purpose, statements: statements)
    }

    /// The result if the list leaves the purpose to the certificate.
    private func byCertificate(
        _ purpose: CertificatePurpose, statements: Certificate.QualifiedStatements
    ) -> Outcome {
        let declared = Set(statements.purposes)
        if declared.isEmpty, statements.otherPurposes.isEmpty {
            guard statements.isCompliant else { return .ambiguous }
            return purpose == .signature ? .yes : .no
        }
        guard declared.contains(purpose) else { return .no }
        return declared.count == 1 && statements.otherPurposes.isEmpty ? .yes : .ambiguous
    }

    // MARK: Devices

    private mutating func device(
        _ found: Set<String>, _ statements: Certificate.QualifiedStatements, isOld: Bool,
        isByPolicy: Bool
    ) -> QualificationAnswer {
        // Once the Regulation applies, a qualifier of the Directive without its counterpart makes
        // the list contradictory.
        let pairs = [
            ("QCWithSSCD", "QCWithQSCD"), ("QCNoSSCD", "QCNoQSCD"),
            ("QCSSCDStatusAsInCert", "QCQSCDStatusAsInCert"),
        ]
        func has(_ index: Int) -> Bool {
            found.contains(pairs[index].1) || isOld && found.contains(pairs[index].0)
        }
        let isOrphaned = !isOld && pairs.contains { found.contains($0.0) && !found.contains($0.1) }
        let isIn = has(0) || found.contains("QCQSCDManagedOnBehalf")
        let answers = [isIn, has(1), has(2)].filter { $0 }.count
        if answers > 1 || isOrphaned {
            add(.deviceConflict, "the trusted list is contradictory about the QSCD")
            return .undecided
        }
        if isIn { return .yes }
        if has(1) { return .no }
        return statements.isInDevice || isByPolicy ? .yes : .no
    }
}

extension CertificatePurpose {
    /// The corresponding qualifier in lists.
    var qualifier: String {
        switch self {
        case .signature: "QCForESig"
        case .seal: "QCForESeal"
        case .webAuthentication: "QCForWSA"
        }
    }
}
