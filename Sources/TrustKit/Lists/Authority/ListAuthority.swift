import Base
package import CryptoBridge

/// Decides which lists are trusted (ETSI TS 119 615 §4.1.4, §4.2.4; clause numbers from secondary
/// sources). The European Commission's list of lists is trusted by certificates in the Official
/// Journal, national lists by certificates in the list of lists.
package struct ListAuthority: Sendable {
    package enum Anchors: Sendable {
        case journals([OfficialJournal])
        /// Certificates given by the user instead.
        case certificates([Certificate])
    }

    package static let europeanTerritory = "EU"
    package static let listOfListsLocation = "https://ec.europa.eu/tools/lotl/eu-lotl.xml"

    private let anchors: Anchors

    package init(_ anchors: Anchors = .journals(OfficialJournal.known)) { self.anchors = anchors }

    package struct ListOfLists: Sendable {
        package let list: TrustList
        /// The issue of the Official Journal with its certificates; nil if the user gave them.
        package let journal: String?
        /// Number of earlier lists of lists (pivots) between it and these certificates.
        package let pivotCount: Int
    }

    /// Verifies a list of lists. It may depend on earlier ones, called pivots: each contains the
    /// certificates that sign the next.
    ///
    /// - Parameters:
    ///   - document: the received bytes.
    ///   - pivot: returns the pivot at a location; nil if it is not available.
    package func listOfLists(
        _ document: [UInt8], pivot: (String) throws(TrustListError) -> [UInt8]?
    ) throws(TrustListError) -> ListOfLists {
        let list = try TrustList(document: document)
        try Self.checkIsListOfLists(list)
        let (locations, journal) = try pivotLocations(of: list)
        let fingerprints = try Self.fingerprints(journal, anchors: anchors)
        if let end = journal?.supersededFrom, list.issued >= end {
            throw TrustListError(
                .anchorOutdated,
                "its issue of the Official Journal (\(journal?.name ?? "")) was superseded before")
        }
        var current = list
        var count = 0
        for location in locations {
            // Given certificates may sign any list of the sequence.
            if journal == nil, try fingerprints.contains(Self.fingerprint(current.signer)) { break }
            guard let document = try pivot(location) else {
                throw TrustListError(
                    .missing, "the earlier LOTL \(location) is missing")
            }
            let earlier: TrustList
            do {
                earlier = try TrustList(document: document)
            } catch {
                throw TrustListError(error.code, "\(location): \(error.detail)")
            }
            try Self.checkIsListOfLists(earlier)
            // A pivot lists itself among its pivots.
            if earlier.sequence == current.sequence { continue }
            guard earlier.sequence < current.sequence else {
                throw TrustListError(.malformed, "\(location) is not an earlier LOTL")
            }
            guard Self.ownSigners(in: earlier).contains(current.signer) else {
                throw TrustListError(
                    .signerUnknown,
                    "the signer of LOTL \(current.sequence) (\(current.signer.subject)) is not listed in "
                        + "LOTL \(earlier.sequence)")
            }
            current = earlier
            count += 1
        }
        guard try fingerprints.contains(Self.fingerprint(current.signer)) else {
            throw TrustListError(
                .signerUnknown,
                "the signer of LOTL \(current.sequence) (\(current.signer.subject)) is not among "
                    + (journal.map { "the certificates of \($0.name)" } ?? "the given certificates")
            )
        }
        return ListOfLists(list: list, journal: journal?.name, pivotCount: count)
    }

    package func nationalList(
        _ document: [UInt8], territory: String, under listOfLists: TrustList
    ) throws(TrustListError) -> TrustList {
        let list = try TrustList(document: document)
        guard list.territory == territory, list.type == "EUgeneric" else {
            throw TrustListError(
                .otherList,
                "is the trusted list of \(list.territory.prefix(8)), not of \(territory)")
        }
        let signers = listOfLists.nationalPointers
            .filter { $0.territory == territory }.flatMap(\.signers)
        guard signers.contains(list.signer) else {
            throw TrustListError(
                .signerUnknown,
                "the signer of trusted list \(list.sequence) of \(territory) (\(list.signer.subject)) is "
                    + "not listed in LOTL \(listOfLists.sequence)")
        }
        return list
    }

    private static func checkIsListOfLists(_ list: TrustList) throws(TrustListError) {
        guard list.territory == europeanTerritory, list.type == "EUlistofthelists" else {
            throw TrustListError(
                .otherList, "is the trusted list of \(list.territory.prefix(8)), not the LOTL")
        }
    }

    /// The earlier lists that a list of lists depends on, newest first, and the issue of the
    /// Official Journal for the first one. Addresses after that issue are history.
    private func pivotLocations(
        of list: TrustList
    ) throws(TrustListError) -> ([String], OfficialJournal?) {
        let uris = list.informationURIs
        let end: Int
        let journal: OfficialJournal?
        switch anchors {
        case .certificates: (end, journal) = (uris.count, nil)
        case .journals(let journals):
            let found = uris.firstIndex { uri in journals.contains { $0.uris.contains(uri) } }
            guard let found else {
                throw TrustListError(
                    .anchorOutdated,
                    "LOTL \(list.sequence) names no known issue of the Official Journal")
            }
            (end, journal) = (found, journals.first { $0.uris.contains(uris[found]) })
        }
        let locations = uris[..<end].filter { $0.hasSuffix(".xml") }
        guard locations.count <= TrustListLimits.pivotCount else {
            throw TrustListError(
                .limitExceeded,
                "it depends on more than \(TrustListLimits.pivotCount) earlier LOTLs")
        }
        return (locations, journal)
    }

    private static func fingerprints(
        _ journal: OfficialJournal?, anchors: Anchors
    ) throws(TrustListError) -> [[UInt8]] {
        if let journal { return journal.fingerprints }
        guard case .certificates(let certificates) = anchors else { return [] }
        var fingerprints: [[UInt8]] = []
        for certificate in certificates { fingerprints.append(try fingerprint(certificate)) }
        return fingerprints
    }

    private static func fingerprint(_ certificate: Certificate) throws(TrustListError) -> [UInt8] {
        do {
            return try certificate.sha256
        } catch {
            throw TrustListError(.signerUnknown, error.description)
        }
    }

    /// The certificates that may sign the next list of lists.
    private static func ownSigners(in list: TrustList) -> [Certificate] {
        list.pointers.filter {
            $0.territory == europeanTerritory && $0.isXML && $0.type != "EUgeneric"
        }.flatMap(\.signers)
    }
}

extension TrustList.Pointer {
    /// Whether the list is machine-readable; the others are for human readers.
    package var isXML: Bool { mimeType == "application/vnd.etsi.tsl+xml" }
}

extension TrustList {
    /// Locations of the member states' lists.
    package var nationalPointers: [Pointer] {
        pointers.filter { $0.isXML && $0.type == "EUgeneric" }
    }
}
