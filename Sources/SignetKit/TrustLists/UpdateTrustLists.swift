public import Base
import CryptoBridge
import NetworkBridge
import SystemBridge
import TrustKit

/// Fetches the European lists, and stores the valid ones.
public struct UpdateTrustLists: Sendable {
    /// Codes of territories to fetch, such as `DE`; empty for all.
    public var territories: [String] = []
    /// URL of the list of lists, or a folder with lists; nil for the official URL.
    public var origin: String?
    /// Files with certificates for verifying the list of lists, instead of those of the Official
    /// Journal.
    public var anchors: [String] = []
    /// Called with a message before a list is fetched from a URL.
    public var step: @Sendable (String) -> Void = { _ in }

    /// Sends the requests; nil is libcurl.
    public var transport: (any HTTPTransport)?

    public init() {}

    private static let timeLimit: Duration = .seconds(60)
    private static let jobCount = 8

    /// Fetches and verifies the lists, then replaces the stored ones.
    ///
    /// - Returns: the stored lists, and failures. Lists that could not be fetched stay unchanged.
    /// - Throws: ``SignetError`` without a valid list of lists; nothing is changed then.
    public func run() throws -> UpdatedTrustLists {
        try TrustListCache.changing { cache in
            let fetch = try documents()
            var update = Update(cache.state, now: SystemClock.now())
            let location = isFolder ? ListAuthority.listOfListsLocation : origin ?? Self.location
            let lists: ListAuthority.ListOfLists
            let document: [UInt8]
            do {
                document = try fetch(location, ListAuthority.europeanTerritory)
            } catch let error as TrustListError {
                throw SignetError(error, file: nil)
            }
            do throws(TrustListError) {
                lists = try TrustLists.authority(anchors, document) { pivot in
                    guard let bytes = try? fetch(pivot, nil) else { return nil }
                    update.add(pivot: pivot, bytes)
                    return bytes
                }
                try update.checkOrder(of: lists.list, document)
            } catch {
                throw SignetError(error, file: location)
            }
            update.add(listOfLists: lists.list, at: location, document)
            try addNationalLists(lists.list, fetch, &update)
            try cache.replace(with: update.state, documents: update.documents)
            return UpdatedTrustLists(
                anchor: lists.journal, pivots: lists.pivotCount, update.state, update.failures,
                at: update.now)
        }
    }

    private static let location = ListAuthority.listOfListsLocation

    private var isFolder: Bool { origin.map { FileSystem.isDirectory($0) } ?? false }

    /// Returns the document at a location, or from a folder by territory.
    private typealias Fetch = @Sendable (_ location: String, _ territory: String?) throws -> [UInt8]

    private func documents() throws -> Fetch {
        if let origin, isFolder {
            let folder = try TrustListFolder(origin)
            return { location, territory in
                var found: [UInt8]?
                if let territory {
                    if let name = folder.documents(of: territory).first {
                        found = try folder.read(name)
                    }
                } else {
                    found = try folder.pivot(at: location)
                }
                guard let found else {
                    throw TrustListError(
                        .missing, "\(origin) contains no trusted list of \(territory ?? location)")
                }
                return found
            }
        }
        if let origin, !origin.contains("://") {
            throw SignetError(
                .missingInput, file: origin,
                FileSystem.exists(origin) ? "this is not a folder" : "the folder does not exist")
        }
        let client: HTTPClient
        do {
            client = try HTTPClient(transport: transport)
        } catch {
            throw SignetError(.serviceUnavailable, error.detail)
        }
        // If the user named the URL, it and the lists that it refers to may be in the local network;
        // otherwise only public addresses are contacted.
        let isPublic = origin == nil
        return { [step] location, _ in
            step("fetching \(HTTPAddress.withoutLogin(location))")
            do {
                var request = HTTPRequest(
                    try HTTPAddress(location), timeLimit: Self.timeLimit,
                    answerByteLimit: TrustListLimits.byteCount)
                request.isPublic = isPublic
                let response = try client.send(request)
                guard response.status == 200 else {
                    throw SignetError(
                        .serviceUnavailable, file: location,
                        "the server responded with HTTP status \(response.status)")
                }
                return response.body
            } catch let error as HTTPError {
                throw SignetError(.serviceUnavailable, file: location, error.detail)
            }
        }
    }

    private func addNationalLists(
        _ listOfLists: TrustList, _ fetch: @escaping Fetch, _ update: inout Update
    ) throws {
        var pointers: [TrustList.Pointer] = []
        for pointer in listOfLists.nationalPointers
        where !pointers.contains(where: { $0.territory == pointer.territory }) {
            pointers.append(pointer)
        }
        if !territories.isEmpty {
            for territory in territories
            where !pointers.contains(where: { $0.territory == territory }) {
                throw SignetError(
                    .usage, "the list of trusted lists (LOTL) contains no list of \(territory)",
                    hint: Sentence(
                        .chooseTerritory, pointers.map(\.territory).joined(separator: ", ")))
            }
            pointers = pointers.filter { territories.contains($0.territory) }
        }
        let authority = try TrustLists.authority(anchors)
        let wanted = pointers
        try OrderedWork.run(count: wanted.count, jobs: Self.jobCount) {
            index -> Result<(TrustList, [UInt8]), any Error> in
            Result {
                let pointer = wanted[index]
                let document = try fetch(pointer.location, pointer.territory)
                let list = try authority.nationalList(
                    document, territory: pointer.territory, under: listOfLists)
                return (list, document)
            }
        } consume: { index, result in
            let pointer = wanted[index]
            do {
                let (list, document) = try result.get()
                try update.add(list, at: pointer.location, document)
            } catch {
                update.failures.append(
                    UpdatedTrustLists.Failure(
                        territory: pointer.territory, location: pointer.location, error))
            }
        }
    }
}

extension TrustLists {
    fileprivate static func authority(
        _ anchors: [String], _ document: [UInt8], pivot: (String) -> [UInt8]?
    ) throws(TrustListError) -> ListAuthority.ListOfLists {
        let authority: ListAuthority
        do {
            authority = try Self.authority(anchors)
        } catch {
            throw TrustListError(
                .signerUnknown, "\((error as? SignetError)?.message ?? "\(error)")")
        }
        return try authority.listOfLists(document) { location throws(TrustListError) in
            pivot(location)
        }
    }
}

/// A new state of the cache in construction.
private struct Update {
    let now: CalendarTime
    private(set) var state: TrustListCache.State
    private(set) var documents: [String: [UInt8]] = [:]
    var failures: [UpdatedTrustLists.Failure] = []
    private let old: TrustListCache.State

    init(_ state: TrustListCache.State, now: CalendarTime) {
        old = state
        self.now = now
        self.state = state
        self.state.pivots = [:]
    }

    /// Rejects a list that is older than the stored one. In a replayed list, a withdrawn service
    /// may still be granted.
    func checkOrder(of list: TrustList, _ document: [UInt8]) throws(TrustListError) {
        let known =
            list.territory == ListAuthority.europeanTerritory
            ? old.listOfLists : old.lists[list.territory]
        guard let known else { return }
        let isOlder =
            list.sequence < known.sequence
            || list.sequence == known.sequence && list.issued.rfc3339 < known.issued
        if isOlder {
            throw TrustListError(
                .rollback,
                "list \(list.sequence) of \(list.territory) is older than list "
                    + "\(known.sequence), the stored one")
        }
    }

    private mutating func entry(
        _ list: TrustList?, at location: String, _ document: [UInt8]
    ) -> TrustListCache.Entry {
        let name = (try? DigestAlgorithm.sha256.hash(document)).map { Hex.encode($0) } ?? ""
        documents[name] = document
        return TrustListCache.Entry(
            location: location, sequence: list?.sequence ?? 0,
            issued: list?.issued.rfc3339 ?? "", nextUpdate: list?.nextUpdate?.rfc3339,
            sha256: name, fetched: now.rfc3339)
    }

    mutating func add(pivot location: String, _ document: [UInt8]) {
        state.pivots[location] = entry(nil, at: location, document)
    }

    mutating func add(listOfLists list: TrustList, at location: String, _ document: [UInt8]) {
        state.listOfLists = entry(list, at: location, document)
    }

    mutating func add(
        _ list: TrustList, at location: String, _ document: [UInt8]
    ) throws(TrustListError) {
        try checkOrder(of: list, document)
        state.lists[list.territory] = entry(list, at: location, document)
    }
}

/// The result of an update.
public struct UpdatedTrustLists: Encodable, Sendable {
    /// A stored list.
    public struct List: Encodable, Sendable {
        /// Territory code in the list, such as `DE`; `EU` for the list of lists (ETSI TS 119 612
        /// §5.3.10).
        public let territory: String
        /// Sequence number of the list, which increases with each issue (ETSI TS 119 612 §5.3.2).
        public let sequence: Int
        /// When the list was issued.
        public let issued: Moment?
        /// When the next list is due; nil for a closed list.
        public let nextUpdate: Moment?
        /// Whether the next list is overdue.
        public let outOfDate: Bool
        /// The URL from which it was fetched.
        public let location: String
    }

    /// A list that could not be fetched or verified.
    public struct Failure: Encodable, Sendable {
        /// Territory code in the list, such as `DE`; `EU` for the list of lists (ETSI TS 119 612
        /// §5.3.10).
        public let territory: String
        /// The URL from which it was to be fetched.
        public let location: String
        /// Reason for people, one sentence.
        public let message: String

        init(territory: String, location: String, _ error: any Error) {
            self.territory = territory
            self.location = location
            message =
                (error as? SignetError)?.message ?? (error as? TrustListError)?.detail ?? "\(error)"
        }
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.trust-update/1"
    /// The issue of the Official Journal for the list of lists; nil for given certificates.
    public let anchor: String?
    /// Number of pivots between the trust anchors and the list of lists.
    public let pivots: Int
    /// The list of lists.
    public let listOfLists: List?
    /// The national lists, by territory.
    public let lists: [List]
    /// Lists that failed. Their earlier versions remain stored.
    public let failures: [Failure]
    /// Whether a newer list of lists is due.
    public let outOfDate: Bool

    init(
        anchor: String?, pivots: Int, _ state: TrustListCache.State, _ failures: [Failure],
        at now: CalendarTime
    ) {
        self.anchor = anchor
        self.pivots = pivots
        listOfLists = state.listOfLists.map { List($0, ListAuthority.europeanTerritory, at: now) }
        lists = state.lists.sorted { $0.key < $1.key }.map { List($0.value, $0.key, at: now) }
        self.failures = failures
        outOfDate = listOfLists?.outOfDate ?? false
    }
}

extension UpdatedTrustLists.List {
    init(_ entry: TrustListCache.Entry, _ territory: String, at now: CalendarTime) {
        let next = entry.nextUpdate.flatMap { Moment(rfc3339: $0) }
        self.init(
            territory: territory, sequence: entry.sequence, issued: Moment(rfc3339: entry.issued),
            nextUpdate: next, outOfDate: next.map { $0 < now.moment } ?? false,
            location: entry.location)
    }
}
