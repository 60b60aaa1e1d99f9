import Base
import CryptoBridge
import SystemBridge
import TrustKit

/// Lists the trusted lists and their content.
public struct ShowTrustLists: Sendable {
    /// Codes of territories to include, such as `DE`; empty for all.
    public var territories: [String] = []
    /// Whether the services of each list are included.
    public var showsServices = false
    /// A folder with lists; nil for the fetched ones.
    public var folder: String?
    /// Files with certificates for verifying the list of lists; see ``UpdateTrustLists/anchors``.
    public var anchors: [String] = []

    public init() {}

    /// Verifies and describes the lists. A list that cannot be used is included with its problem.
    ///
    /// - Throws: ``SignetError`` without a valid list of lists, unless only imported lists are
    ///   stored.
    public func run() throws -> ShownTrustLists {
        let imported = folder == nil && territories.isEmpty ? Self.imported : []
        if !imported.isEmpty, try TrustListCache().isEmpty {
            return ShownTrustLists(
                anchor: nil, pivots: 0, listOfLists: nil, lists: [], imported: imported)
        }
        let source: any TrustListSource =
            if let folder { try TrustListFolder(folder) } else { try TrustListCache.fetched() }
        let lists = TrustedLists(
            source: source, authority: try TrustLists.authority(anchors), at: SystemClock.now())
        let head: ListAuthority.ListOfLists
        switch lists.listOfLists {
        case .success(let found)?: head = found
        case .failure(let error)?: throw SignetError(error, file: folder)
        case nil: throw SignetError(.internalFailure, "no trusted list is given")
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
                head.list, isOutOfDate: lists.isOutOfDate(head.list), false), lists: shown,
            imported: imported)
    }

    /// The lists imported from files.
    static var imported: [ShownTrustLists.Imported] {
        AnchorListKind.allCases.compactMap(ImportTrustAnchors.shown)
    }

    /// The certificates for verifying the list of lists, for comparison with the printed page.
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

/// The trust anchors of the European lists.
public struct ShownTrustAnchors: Encodable, Sendable {
    /// An issue of the Official Journal with the signers of the list of lists.
    public struct Journal: Encodable, Sendable {
        /// Name of the issue, in English if available.
        public let name: String
        /// URLs of the issue.
        public let uris: [String]
        /// SHA-256 of the certificates in hexadecimal.
        public let sha256: [String]
        /// When a newer issue replaced it; nil for the newest issue.
        public let supersededFrom: Moment?
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.trust-anchors/1"
    /// Issues from the oldest to the newest.
    public let journals: [Journal]
}

/// The trusted lists.
public struct ShownTrustLists: Encodable, Sendable {
    /// A service of a provider.
    public struct Service: Encodable, Sendable {
        /// Name of the provider in the list, in English if available.
        public let provider: String
        /// Name of the service in the list, in English if available.
        public let name: String
        /// Kind of qualified service: `certificates` or `timestamps`; `other` if it was one before.
        public let kind: String
        /// Current status: `granted`, `withdrawn` and so on.
        public let status: String
        /// Start of the status.
        public let since: Moment
        /// Purposes of the service's certificates: `eSig`, `eSeal`, `WSA`.
        public let purposes: [String]
    }

    /// A trusted list.
    public struct List: Encodable, Sendable {
        /// Territory code in the list, such as `DE`; `EU` for the list of lists (ETSI TS 119 612
        /// §5.3.10).
        public let territory: String
        /// Sequence number of the list; nil if the list cannot be used, see ``problem``.
        public let sequence: Int?
        /// When the list was issued.
        public let issued: Moment?
        /// When the next list is due; nil for a closed list.
        public let nextUpdate: Moment?
        /// Whether a newer list is due.
        public let outOfDate: Bool
        /// Subject of the list's signing certificate.
        public let signer: String?
        /// Number of services that issue or issued qualified certificates or timestamps.
        public let serviceCount: Int
        /// Services of the list; nil if not requested.
        public let services: [Service]?
        /// The reason why the list cannot be used; nil if it can.
        public let problem: String?
    }

    /// A list of trust anchors that was imported from a file.
    public struct Imported: Encodable, Sendable {
        /// Name for `verify --trust-list`.
        public let name: String
        /// Number of trust anchors; nil if the list cannot be used.
        public internal(set) var anchorCount: Int?
        /// Subject of the certificate that signed the list; nil if the list is not signed.
        public internal(set) var signer: String?
        /// Claimed signing time; nil if the list is not signed.
        public internal(set) var issued: Moment?
        /// The reason why the list cannot be used; nil if it can.
        public internal(set) var problem: String?
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.trust-list/1"
    /// The issue of the Official Journal; nil for given certificates.
    public let anchor: String?
    /// Number of pivots between the trust anchors and this list.
    public let pivots: Int
    /// The list of lists; nil if only imported lists are stored.
    public let listOfLists: List?
    /// The national lists, by territory.
    public let lists: [List]
    /// Lists imported from files.
    public let imported: [Imported]
}

extension ShownTrustLists.List {
    init(_ list: TrustList, isOutOfDate: Bool, _ showsServices: Bool) {
        self.init(
            territory: list.territory, sequence: list.sequence, issued: list.issued.moment,
            nextUpdate: list.nextUpdate?.moment, outOfDate: isOutOfDate,
            signer: list.signer.displayName, serviceCount: list.services.count,
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
