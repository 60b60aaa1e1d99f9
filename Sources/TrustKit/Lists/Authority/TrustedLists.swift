package import Base
package import CryptoBridge
import Synchronization

package protocol TrustListSource: Sendable {
    /// Names of possible lists of a territory, the newest first. They are not trusted.
    func documents(of territory: String) -> [String]
    func read(_ name: String) throws(TrustListError) -> [UInt8]
    /// The possible earlier list of lists for a location.
    func pivot(at location: String) throws(TrustListError) -> [UInt8]?
}

/// Lists that are read and verified on first use.
package final class TrustedLists: Sendable {
    /// A trusted list, with an index of its services.
    package struct Loaded: Sendable {
        package let list: TrustList
        let index: ServiceIndex
    }

    private typealias Answer = Result<Loaded, TrustListError>

    private struct State {
        var listOfLists: Result<ListAuthority.ListOfLists, TrustListError>?
        var national: [String: Answer] = [:]
    }

    private let source: (any TrustListSource)?
    private let authority: ListAuthority
    /// Lists trusted directly by the user.
    private let given: [Loaded]
    /// Lists in other formats, whose anchors say nothing about qualification.
    private let others: [AnchorList]
    private let time: CalendarTime
    private let state = Mutex(State())

    /// - Parameters:
    ///   - source: the European lists; nil for none.
    ///   - given: lists whose signers the user trusts, such as those of a closed group. They apply
    ///     to certificates of all countries.
    ///   - others: lists in other formats.
    ///   - time: when lists must be current: now, or for archives the validation time.
    package init(
        source: (any TrustListSource)?, authority: ListAuthority = ListAuthority(),
        given: [TrustList] = [], others: [AnchorList] = [], at time: CalendarTime
    ) {
        self.source = source
        self.authority = authority
        self.others = others
        self.given = given.map { Loaded(list: $0, index: ServiceIndex($0.services)) }
        self.time = time
    }

    package var determineQualification: Bool { source != nil || !given.isEmpty }

    // MARK: Lists

    package var listOfLists: Result<ListAuthority.ListOfLists, TrustListError>? {
        guard let source else { return nil }
        return state.withLock { loadListOfLists(source, into: &$0) }
    }

    private func loadListOfLists(
        _ source: any TrustListSource, into state: inout State
    ) -> Result<ListAuthority.ListOfLists, TrustListError> {
        if let known = state.listOfLists { return known }
        var failure: TrustListError?
        for document in source.documents(of: ListAuthority.europeanTerritory) {
            do throws(TrustListError) {
                let found = try authority.listOfLists(source.read(document)) {
                    location throws(TrustListError) in try source.pivot(at: location)
                }
                state.listOfLists = .success(found)
                return .success(found)
            } catch {
                failure = failure ?? error
            }
        }
        let result: Result<ListAuthority.ListOfLists, TrustListError> = .failure(
            failure ?? TrustListError(.missing, "the list of trusted lists (LOTL) is missing"))
        state.listOfLists = result
        return result
    }

    /// The list of a territory, even if it is expired.
    package func list(of territory: String) -> Result<Loaded, TrustListError> {
        guard let source else {
            return .failure(TrustListError(.missing, "no European trusted lists were given"))
        }
        return state.withLock { state in
            if let known = state.national[territory] { return known }
            let answer = loadList(of: territory, source, &state)
            state.national[territory] = answer
            return answer
        }
    }

    private func loadList(
        of territory: String, _ source: any TrustListSource, _ state: inout State
    ) -> Answer {
        switch loadListOfLists(source, into: &state) {
        case .failure(let error): return .failure(error)
        case .success(let lists):
            guard lists.list.nationalPointers.contains(where: { $0.territory == territory }) else {
                return .failure(
                    TrustListError(.otherList, "the LOTL contains no trusted list of \(territory)"))
            }
            var failure: TrustListError?
            for document in source.documents(of: territory) {
                do throws(TrustListError) {
                    let list = try authority.nationalList(
                        source.read(document), territory: territory, under: lists.list)
                    return .success(Loaded(list: list, index: ServiceIndex(list.services)))
                } catch {
                    failure = failure ?? error
                }
            }
            return .failure(
                failure ?? TrustListError(.missing, "the trusted list of \(territory) is missing"))
        }
    }

    /// National lists read so far, by territory.
    package var used: [TrustList] {
        let read = state.withLock { state in state.national.values.compactMap { try? $0.get().list }
        }
        return (given.map(\.list) + read).sorted { $0.territory < $1.territory }
    }

    package func isOutOfDate(_ list: TrustList) -> Bool { list.isExpired(at: time) }

    // MARK: Questions

    /// The territory code of a country: it differs from ISO 3166 for two countries.
    private static func territory(ofCountry country: String) -> String {
        switch country.uppercased() {
        case "GR": "EL"
        case "GB": "UK"
        default: country.uppercased()
        }
    }

    private static func territory(of certificate: Certificate) -> String? {
        let names = [certificate.issuer, certificate.subject]
        return names.lazy.compactMap { $0.values(ofType: .country).last }.first
            .map(territory(ofCountry:))
    }

    /// The services that apply to a certificate, or why there is no answer.
    private func services(for certificate: Certificate) -> Result<Decisive, TrustListError> {
        if let own = given.first(where: { !$0.index.candidates(above: certificate).isEmpty }) {
            return .success(Decisive(index: own.index, list: own.list, expiry: expiry(own.list)))
        }
        guard source != nil else {
            return .success(Decisive(index: ServiceIndex([]), list: given.first?.list))
        }
        let lists: ListAuthority.ListOfLists
        switch listOfLists {
        case .success(let found)?: lists = found
        case .failure(let error)?: return .failure(error)
        case nil: return .failure(TrustListError(.missing, "no European trusted lists were given"))
        }
        let known = Set(lists.list.nationalPointers.map(\.territory))
        // A certificate of a country outside the lists is on no list.
        guard let territory = Self.territory(of: certificate), known.contains(territory) else {
            return .success(
                Decisive(index: ServiceIndex([]), list: nil, expiry: expiry(lists.list)))
        }
        switch list(of: territory) {
        case .failure(let error): return .failure(error)
        case .success(let loaded):
            return .success(
                Decisive(
                    index: loaded.index, list: loaded.list,
                    expiry: expiry(lists.list) ?? expiry(loaded.list)))
        }
    }

    private struct Decisive {
        let index: ServiceIndex
        let list: TrustList?
        /// The reason why the answer is not reliable.
        var expiry: QualificationReason?
    }

    private func expiry(_ list: TrustList) -> QualificationReason? {
        guard isOutOfDate(list) else { return nil }
        let name =
            list.territory == ListAuthority.europeanTerritory
            ? "the LOTL (number \(list.sequence))"
            : "trusted list \(list.sequence) of \(list.territory)"
        return QualificationReason(.listExpired, "\(name) expired on \(list.end.text)")
    }

    /// The qualification of a signature.
    ///
    /// - Parameters:
    ///   - verdict: the validation result.
    ///   - time: the best-known signing time.
    /// - Returns: the qualification and the list used, if any.
    package func qualification(
        of signer: Certificate, verdict: Verdict, at time: CalendarTime
    ) -> (SignatureQualification, TrustList?) {
        switch services(for: signer) {
        case .failure(let error):
            return (SignatureQualification(verdict, undecided: QualificationReason(error)), nil)
        case .success(let decisive):
            let found = SignatureQualification(
                of: signer, verdict: verdict, services: decisive.index, at: time)
            return (decisive.expiry.map { found.undecided($0) } ?? found, decisive.list)
        }
    }

    package func qualification(
        ofTimestampBy authority: Certificate, at time: CalendarTime
    ) -> (TimestampQualification, TrustList?) {
        switch services(for: authority) {
        case .failure(let error):
            return (TimestampQualification(undecided: QualificationReason(error)), nil)
        case .success(let decisive):
            if let reason = decisive.expiry {
                return (TimestampQualification(undecided: reason), decisive.list)
            }
            return (
                TimestampQualification(by: authority, services: decisive.index, at: time),
                decisive.list
            )
        }
    }
}

extension TrustedLists: ListedServices {
    package func distrust(in path: [Certificate], candidates: [Certificate]) -> PathExclusion? {
        guard !others.isEmpty else { return nil }
        let known = candidates + others.flatMap { $0.anchors.map(\.certificate) }
        return others.lazy.compactMap { $0.distrust(in: path, known) }.first
    }

    package func missingIssuer(of path: [Certificate]) -> PathExclusion? {
        others.lazy.compactMap { $0.missingIssuer(of: path) }.first
    }

    /// Distrust in one list applies to all; the policies of one list that contains the anchor must
    /// be met.
    package func exclusion(
        of path: [Certificate], candidates: [Certificate], at time: CalendarTime,
        forTimestamps: Bool
    ) throws(CryptoError) -> PathExclusion? {
        if let found = distrust(in: path, candidates: candidates)
            ?? others.lazy.compactMap({ $0.limit(on: path) }).first
        {
            return found
        }
        var unmet: PathExclusion?
        for list in others {
            let condition = try list.condition(on: path, at: time)
            if condition.isListed, condition.unmet == nil { return nil }
            unmet = unmet ?? condition.unmet
        }
        guard let unmet,
            !services(above: path, at: time, forTimestamps).contains(unmet.certificate)
        else { return nil }
        return unmet
    }

    /// Whether they contain a list in another format, which replaces the system trust store.
    package var areImported: Bool { !others.isEmpty }

    private static let usableStatuses: Set<String> = [
        "granted", "undersupervision", "supervisionincessation", "accredited",
    ]

    package func anchors(
        above certificates: [Certificate], at time: CalendarTime, forTimestamps: Bool
    ) -> [Certificate] {
        let imported = others.flatMap { $0.anchors(above: certificates) }
        return imported
            + services(above: certificates, at: time, forTimestamps).filter {
                !imported.contains($0)
            }
    }

    private func services(
        above certificates: [Certificate], at time: CalendarTime, _ forTimestamps: Bool
    ) -> [Certificate] {
        var found: [Certificate] = []
        guard determineQualification else { return found }
        for certificate in certificates {
            // An expired list does not prove today's status; the expiry is reported elsewhere.
            guard case .success(let decisive) = services(for: certificate), decisive.expiry == nil
            else { continue }
            for (service, candidate) in decisive.index.candidates(above: certificate) {
                guard let state = service.state(at: time), state.kind != .other,
                    forTimestamps || state.kind == .qualifiedCertificates,
                    Self.usableStatuses.contains(state.status), !found.contains(candidate)
                else { continue }
                found.append(candidate)
            }
        }
        return found
    }
}
