import Base
import CryptoBridge
import SystemBridge
import TrustKit

/// Tells which lists there are, and what stands in them.
public struct ShowTrustLists: Sendable {
    /// Only these territories; empty for all.
    public var territories: [String] = []
    /// Whether each list's services are told, too.
    public var showsServices = false
    /// A folder with lists; nil for those that were fetched.
    public var folder: String?
    /// See ``UpdateTrustLists/anchors``.
    public var anchors: [String] = []

    public init() {}

    /// Verifies each list that it tells of.
    public func run() throws -> ShownTrustLists {
        let source: any TrustListSource =
            if let folder { try TrustListFolder(folder) } else { try TrustListCache.fetched() }
        let lists = TrustedLists(
            source: source, authority: try TrustLists.authority(anchors), at: SystemClock.now())
        let head: ListAuthority.ListOfLists
        switch lists.listOfLists {
        case .success(let found)?: head = found
        case .failure(let error)?: throw SignetError(error, file: folder)
        case nil: throw SignetError(.internalFailure, "no source of lists")
        }
        var known: [String] = []
        for pointer in head.list.nationalPointers where !known.contains(pointer.territory) {
            known.append(pointer.territory)
        }
        let wanted = known.sorted().filter { territories.isEmpty || territories.contains($0) }
        let shown = wanted.map { territory in
            switch lists.list(of: territory) {
            case .success(let loaded):
                ShownTrustLists.List(
                    loaded.list, isOutOfDate: lists.isOutOfDate(loaded.list), showsServices)
            case .failure(let error): ShownTrustLists.List(missing: territory, error.detail)
            }
        }
        return ShownTrustLists(
            anchor: head.journal, pivots: head.pivotCount,
            listOfLists: ShownTrustLists.List(
                head.list, isOutOfDate: lists.isOutOfDate(head.list), false), lists: shown)
    }

    /// The certificates that the list of lists is believed by, for comparing them with print.
    public static var knownAnchors: ShownTrustAnchors {
        ShownTrustAnchors(
            journals: OfficialJournal.known.map { journal in
                ShownTrustAnchors.Journal(
                    name: journal.name, uris: journal.uris,
                    sha256: journal.fingerprints.map { Hex.encode($0) },
                    supersededFrom: journal.supersededFrom?.moment)
            })
    }
}

/// Where trust in the European lists begins.
public struct ShownTrustAnchors: Encodable, Sendable {
    /// An issue of the Official Journal that names the signers of the list of lists.
    public struct Journal: Encodable, Sendable {
        /// As the list has it, in English where there is that.
        public let name: String
        /// Where the issue can be read.
        public let uris: [String]
        /// Of the certificates; hexadecimal.
        public let sha256: [String]
        /// Nil for the newest issue.
        public let supersededFrom: Moment?
    }

    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.trust-anchors/1"
    /// From the oldest to the newest.
    public let journals: [Journal]
}

/// The lists that there are.
public struct ShownTrustLists: Encodable, Sendable {
    /// A service of a provider.
    public struct Service: Encodable, Sendable {
        /// As the list has it, in English where there is that.
        public let provider: String
        /// As the list has it, in English where there is that.
        public let name: String
        /// `certificates` or `timestamps`, qualified ones; `other` where it was one before.
        public let kind: String
        /// `granted`, `withdrawn` and so on, now.
        public let status: String
        /// From when on the service has its status.
        public let since: Moment
        /// What its certificates are for: `eSig`, `eSeal`, `WSA`.
        public let purposes: [String]
    }

    /// A trusted list.
    public struct List: Encodable, Sendable {
        /// The country as the list has it: `DE`, `EU` for the list of lists (ETSI TS 119 612
        /// §5.3.10).
        public let territory: String
        /// Nil where the list cannot be used; then ``problem`` says why.
        public let sequence: Int?
        /// When the list was issued.
        public let issued: Moment?
        /// Nil for a closed list.
        public let nextUpdate: Moment?
        /// Whether a newer one should be there.
        public let outOfDate: Bool
        /// Who signed it.
        public let signer: String?
        /// Services that issue qualified certificates or time stamps, now or before.
        public let serviceCount: Int
        /// Nil where they were not asked for.
        public let services: [Service]?
        /// Why the list cannot be used; nil where it can.
        public let problem: String?
    }

    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.trust-list/1"
    /// The issue of the Official Journal; nil for certificates that were given.
    public let anchor: String?
    /// How many earlier lists of lists lead from the anchor to this one.
    public let pivots: Int
    /// The one that names and vouches for all others.
    public let listOfLists: List
    /// Those of the countries, by territory.
    public let lists: [List]
}

extension ShownTrustLists.List {
    init(_ list: TrustList, isOutOfDate: Bool, _ showsServices: Bool) {
        self.init(
            territory: list.territory, sequence: list.sequence, issued: list.issued.moment,
            nextUpdate: list.nextUpdate?.moment, outOfDate: isOutOfDate,
            signer: list.signer.subject.shortText, serviceCount: list.services.count,
            services: showsServices
                ? list.services.compactMap(ShownTrustLists.Service.init) : nil, problem: nil)
    }

    init(missing territory: String, _ problem: String) {
        self.init(
            territory: territory, sequence: nil, issued: nil, nextUpdate: nil, outOfDate: false,
            signer: nil, serviceCount: 0, services: nil, problem: problem)
    }
}

extension ShownTrustLists.Service {
    init?(_ service: TrustService) {
        guard let state = service.states.first else { return nil }
        let kind =
            switch state.kind {
            case .qualifiedCertificates: "certificates"
            case .qualifiedTimestamps: "timestamps"
            case .other: "other"
            }
        self.init(
            provider: service.provider, name: service.name, kind: kind, status: state.status,
            since: state.start.moment, purposes: state.purposes.map(\.rawValue).sorted())
    }
}
