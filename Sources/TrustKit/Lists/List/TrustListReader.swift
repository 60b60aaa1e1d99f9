import Base
import CryptoBridge
import TextBridge

extension TrustList {
    /// Reads the content covered by a verified signature.
    package init(_ signed: SignedList) throws(TrustListError) {
        self = try TrustListReader(signed.octets).list(signed)
    }

    /// Verifies a list's own signature and reads it. The authorization of its signer is not checked
    /// here.
    package init(document: [UInt8]) throws(TrustListError) { try self.init(SignedList(document)) }
}

/// Collects the content of a list during parsing.
final class TrustListReader {
    var scheme: XMLNode?
    private(set) var services: [TrustService] = []
    private var otherServiceCount = 0

    static let wanted = [
        [name("SchemeInformation")],
        [name("TrustServiceProviderList"), name("TrustServiceProvider")],
    ]
    /// Elements without effect on any decision.
    static let skipped: Set<XMLName> = Set(
        [
            "SchemeOperatorAddress", "PolicyOrLegalNotice", "TSPAddress", "TSPInformationURI",
            "SchemeServiceDefinitionURI", "TSPServiceDefinitionURI", "ServiceSupplyPoints",
            "DistributionPoints",
        ].map(name))

    init(_ octets: [UInt8]) throws(TrustListError) {
        do {
            let trees = XMLTreeReader(Self.wanted, skipping: Self.skipped) {
                [self] number, node throws(XMLError) in
                if number == 0 { scheme = node } else { try readProvider(node) }
            }
            try XMLReader.read(octets, byteLimit: TrustListLimits.byteCount, into: trees)
        } catch {
            throw TrustListError(error)
        }
    }

    private static func name(_ local: String) -> XMLName {
        XMLName(local, namespace: Namespace.list)
    }

    // MARK: The scheme (5.3)

    func list(_ signed: SignedList) throws(TrustListError) -> TrustList {
        guard let scheme,
            let sequence = scheme.first("TSLSequenceNumber").flatMap({ Int($0.trimmed) }),
            let type = scheme.first("TSLType"), let territory = scheme.first("SchemeTerritory"),
            let issued = scheme.first("ListIssueDateTime").flatMap({
                CalendarTime(xmlDateTime: $0.trimmed)
            })
        else {
            throw TrustListError(.malformed, "the number, type, territory or date is missing")
        }
        // The claimed signing time is checked together with the signature.
        guard issued <= signed.signer.notAfter else {
            throw TrustListError(
                .signatureInvalid,
                "it was issued on \(issued.text), after the signing certificate had expired")
        }
        let next = scheme.at("NextUpdate", "dateTime")?.trimmed ?? ""
        let nextUpdate = CalendarTime(xmlDateTime: next)
        guard next.isEmpty || nextUpdate != nil else {
            throw TrustListError(.malformed, "the date of the list's next update cannot be read")
        }
        let pointers = scheme.first("PointersToOtherTSL")?.all("OtherTSLPointer") ?? []
        guard pointers.count <= TrustListLimits.pointerCount else {
            throw TrustListError(
                .limitExceeded,
                "the list has more than \(TrustListLimits.pointerCount) pointers")
        }
        let digest: [UInt8]
        do {
            digest = try DigestAlgorithm.sha256.hash(signed.octets)
        } catch {
            throw TrustListError(.signatureInvalid, error.description)
        }
        return TrustList(
            version: scheme.first("TSLVersionIdentifier").flatMap { Int($0.trimmed) },
            sequence: sequence, type: lastPart(type.trimmed), territory: territory.trimmed,
            issued: issued, nextUpdate: nextUpdate, informationURIs: Self.informationURIs(scheme),
            pointers: pointers.compactMap(Self.pointer), services: services,
            otherServiceCount: otherServiceCount, signer: signed.signer, sha256: digest)
    }

    private static func informationURIs(_ scheme: XMLNode) -> [String] {
        let uris = scheme.first("SchemeInformationURI")?.all("URI") ?? []
        let english = uris.filter(isEnglish)
        return (english.isEmpty ? uris : english).map(\.trimmed)
    }

    private static func isEnglish(_ node: XMLNode) -> Bool {
        node.element[XMLName("lang", namespace: Namespace.xml)]?.lowercased().hasPrefix("en")
            ?? false
    }

    private static func pointer(_ node: XMLNode) -> TrustList.Pointer? {
        guard let location = node.first("TSLLocation")?.trimmed else { return nil }
        func text(_ local: String, _ namespace: String) -> String {
            node.descendants(local, in: namespace).first?.trimmed ?? ""
        }
        return TrustList.Pointer(
            territory: text("SchemeTerritory", Namespace.list), location: location,
            type: lastPart(text("TSLType", Namespace.list)),
            mimeType: text("MimeType", Namespace.additional),
            signers: certificates(node.first("ServiceDigitalIdentities")))
    }

    /// Unreadable certificates are skipped, so that the others remain usable.
    private static func certificates(_ node: XMLNode?) -> [Certificate] {
        (node?.descendants("X509Certificate", in: Namespace.list) ?? []).compactMap { node in
            node.base64.flatMap { try? Certificate(der: $0) }
        }
    }

    // MARK: Providers and services (5.4, 5.5)

    func readProvider(_ provider: XMLNode) throws(XMLError) {
        guard let information = provider.first("TSPInformation") else { return }
        let names = information.first("TSPName")?.all("Name") ?? []
        let tradeNames = information.first("TSPTradeName")?.all("Name") ?? []
        let folded = Set((names + tradeNames).map { TrustService.folded($0.trimmed) })
        let display = (names.first(where: Self.isEnglish) ?? names.first)?.trimmed ?? ""
        let territory = scheme?.first("SchemeTerritory")?.trimmed ?? ""
        for service in provider.first("TSPServices")?.all("TSPService") ?? [] {
            guard services.count + otherServiceCount < TrustListLimits.serviceCount else {
                throw XMLError(.limitExceeded, "more than \(TrustListLimits.serviceCount) services")
            }
            guard let current = service.first("ServiceInformation") else { continue }
            let history =
                service.first("ServiceHistory")?.all("ServiceHistoryInstance") ?? []
            let states = ([current] + history).compactMap(Self.state).enumerated()
                .sorted { ($1.element.start, $0.offset) < ($0.element.start, $1.offset) }
                .map(\.element)
            guard states.contains(where: { $0.kind != .other }) else {
                otherServiceCount += 1
                continue
            }
            let serviceNames = current.first("ServiceName")?.all("Name") ?? []
            services.append(
                TrustService(
                    territory: territory, provider: display, providerNames: folded,
                    name: (serviceNames.first(where: Self.isEnglish) ?? serviceNames.first)?.trimmed
                        ?? "",
                    certificates: Self.certificates(current.first("ServiceDigitalIdentity")),
                    states: states))
        }
    }

    private static func state(_ node: XMLNode) -> ServiceState? {
        guard let type = node.first("ServiceTypeIdentifier")?.trimmed,
            let status = node.first("ServiceStatus")?.trimmed,
            let start = node.first("StatusStartingTime").flatMap({
                CalendarTime(xmlDateTime: $0.trimmed)
            })
        else { return nil }
        let kind: ServiceState.Kind =
            type.hasSuffix("/CA/QC")
            ? .qualifiedCertificates : type.hasSuffix("/TSA/QTST") ? .qualifiedTimestamps : .other
        let extensions = node.first("ServiceInformationExtensions")?.all("Extension") ?? []
        return ServiceState(
            kind: kind, status: lastPart(status), start: start,
            purposes: Set(extensions.flatMap(purposes)),
            qualifications: extensions.flatMap(CriteriaReader.qualifications),
            hasUnknownCriticalExtension: extensions.contains(where: isUnknownAndCritical))
    }

    private static func purposes(_ node: XMLNode) -> [CertificatePurpose] {
        node.descendants("AdditionalServiceInformation", in: Namespace.list).compactMap {
            information in
            switch lastPart(information.first("URI")?.trimmed ?? "") {
            case "ForeSignatures": .signature
            case "ForeSeals": .seal
            case "ForWebSiteAuthentication": .webAuthentication
            default: nil
            }
        }
    }

    private static let knownExtensions: Set<String> = [
        "AdditionalServiceInformation", "Qualifications", "TakenOverBy",
        "ExpiredCertsRevocationInfo",
    ]

    static func isCritical(_ node: XMLNode) -> Bool {
        ["true", "1"].contains(node[attribute: "Critical"] ?? "")
    }

    private static func isUnknownAndCritical(_ node: XMLNode) -> Bool {
        isCritical(node) && !node.children.allSatisfy { knownExtensions.contains($0.name.local) }
    }
}

/// The last part of a URI, trimmed and without a final slash: URIs are compared by it.
func lastPart(_ uri: String) -> String { uri.split(separator: "/").last.map(String.init) ?? "" }
