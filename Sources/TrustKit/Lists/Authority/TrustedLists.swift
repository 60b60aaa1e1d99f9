package import Base
package import CryptoBridge
import Synchronization

/// Where lists are kept.
package protocol TrustListSource: Sendable {
    /// Names of what may be the list of a territory, the newest first. Nothing about them is
    /// believed.
    func documents(of territory: String) -> [String]
    /// A document by its name.
    func read(_ name: String) throws(TrustListError) -> [UInt8]
    /// What may be the earlier list of lists at a location.
    func pivot(at location: String) throws(TrustListError) -> [UInt8]?
}

/// Lists that are read and verified when a question needs them, each once.
package final class TrustedLists: Sendable {
    /// A list that counts, with its services by name.
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
    /// Lists that a person vouches for.
    private let given: [Loaded]
    /// When lists must not be out of date.
    private let time: CalendarTime
    private let state = Mutex(State())

    /// - Parameters:
    ///   - source: the European lists; nil for none.
    ///   - given: lists whose signers a person vouches for, such as those of a closed group. They
    ///     count for certificates of all countries.
    ///   - time: when lists must not be out of date: now, or for archives the time of validation.
    package init(
        source: (any TrustListSource)?, authority: ListAuthority = ListAuthority(),
        given: [TrustList] = [], at time: CalendarTime
    ) {
        self.source = source
        self.authority = authority
        self.given = given.map { Loaded(list: $0, index: ServiceIndex($0.services)) }
        self.time = time
    }

    // MARK: Lists

    package var listOfLists: Result<ListAuthority.ListOfLists, TrustListError>? {
        guard let source else { return nil }
        return state.withLock { loadListOfLists(source, &$0) }
    }

    private func loadListOfLists(
        _ source: any TrustListSource, _ state: inout State
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
            failure ?? TrustListError(.missing, "there is no list of lists"))
        state.listOfLists = result
        return result
    }

    /// The list of a territory, whether or not it is out of date.
    package func list(of territory: String) -> Result<Loaded, TrustListError> {
        guard let source else {
            return .failure(TrustListError(.missing, "no European lists were given"))
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
        switch loadListOfLists(source, &state) {
        case .failure(let error): return .failure(error)
        case .success(let lists):
            guard lists.list.nationalPointers.contains(where: { $0.territory == territory }) else {
                return .failure(
                    TrustListError(.otherList, "the list of lists knows no list of \(territory)"))
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
                failure ?? TrustListError(.missing, "the list of \(territory) is not at hand"))
        }
    }

    /// National lists that were read so far, by territory.
    package var used: [TrustList] {
        let read = state.withLock { state in
            state.national.values.compactMap { try? $0.get().list }
        }
        return (given.map(\.list) + read).sorted { $0.territory < $1.territory }
    }

    package func isOutOfDate(_ list: TrustList) -> Bool { list.isExpired(at: time) }

    // MARK: Questions

    /// The lists' name of a country: ISO 3166 has others for two.
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

    /// What decides about a certificate, or why nothing can.
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
        case nil: return .failure(TrustListError(.missing, "no European lists were given"))
        }
        let known = Set(lists.list.nationalPointers.map(\.territory))
        // Whoever says that he is elsewhere is in no list.
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
        /// Why the answer cannot be relied on.
        var expiry: QualificationReason?
    }

    private func expiry(_ list: TrustList) -> QualificationReason? {
        guard isOutOfDate(list) else { return nil }
        let name =
            list.territory == ListAuthority.europeanTerritory
            ? "the list of lists \(list.sequence)" : "list \(list.sequence) of \(list.territory)"
        return QualificationReason(
            .listExpired, "\(name) is out of date since \(list.end.rfc3339)")
    }

    /// What a signature is.
    ///
    /// - Parameters:
    ///   - verdict: what validating it found.
    ///   - time: the best known time of the signature.
    /// - Returns: with the list that decided, if any.
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

    /// What a time stamp is.
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
    private static let usableStatuses: Set<String> = [
        "granted", "undersupervision", "supervisionincessation", "accredited",
    ]

    package func anchors(
        above certificates: [Certificate], at time: CalendarTime, forTimestamps: Bool
    ) -> [Certificate] {
        var found: [Certificate] = []
        for certificate in certificates {
            // What is out of date says nothing of today; whether it is told is asked for elsewhere.
            guard case .success(let decisive) = services(for: certificate),
                decisive.expiry == nil
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
