import Base
package import CryptoBridge

/// Decides which lists count: the European Commission's list of lists, by the certificates that the
/// Official Journal prints, and the national lists by those that the list of lists names (ETSI TS
/// 119 615 §4.1.4, §4.2.4, as others quote it).
package struct ListAuthority: Sendable {
    /// What the list of lists is believed by.
    package enum Anchors: Sendable {
        case journals([OfficialJournal])
        /// Given by a person, instead.
        case certificates([Certificate])
    }

    package static let europeanTerritory = "EU"
    package static let listOfListsLocation = "https://ec.europa.eu/tools/lotl/eu-lotl.xml"

    private let anchors: Anchors

    package init(_ anchors: Anchors = .journals(OfficialJournal.known)) { self.anchors = anchors }

    /// A list of lists that counts.
    package struct ListOfLists: Sendable {
        package let list: TrustList
        /// The issue whose certificates it rests upon; nil where a person gave the certificates.
        package let journal: String?
        /// How many earlier lists of lists stand between it and them.
        package let pivotCount: Int
    }

    /// Verifies a list of lists. It may rest upon earlier ones, called pivots: each names the
    /// certificates that sign the next.
    ///
    /// - Parameters:
    ///   - document: as it came.
    ///   - pivot: gives the pivot at a location; nil where it is not at hand.
    package func listOfLists(
        _ document: [UInt8], pivot: (String) throws(TrustListError) -> [UInt8]?
    ) throws(TrustListError) -> ListOfLists {
        let list = try TrustList(document: document)
        try Self.checkIsListOfLists(list)
        let (locations, journal) = try pivotLocations(of: list)
        let fingerprints = try Self.fingerprints(journal, anchors)
        if let end = journal?.supersededFrom, list.issued >= end {
            throw TrustListError(
                .anchorOutdated,
                "it rests upon \(journal?.name ?? ""), which a newer issue replaced before")
        }
        var current = list
        var count = 0
        for location in locations {
            // Given certificates may stand anywhere on the way.
            if journal == nil, try fingerprints.contains(Self.fingerprint(current.signer)) { break }
            guard let document = try pivot(location) else {
                throw TrustListError(
                    .missing, "the earlier list of lists \(location) is needed, and not at hand")
            }
            let earlier: TrustList
            do {
                earlier = try TrustList(document: document)
            } catch {
                throw TrustListError(error.code, "\(location): \(error.detail)")
            }
            try Self.checkIsListOfLists(earlier)
            // A pivot names itself among its pivots.
            if earlier.sequence == current.sequence { continue }
            guard earlier.sequence < current.sequence else {
                throw TrustListError(.malformed, "\(location) is no earlier list of lists")
            }
            guard Self.ownSigners(in: earlier).contains(current.signer) else {
                throw TrustListError(
                    .signerUnknown,
                    "list of lists \(current.sequence) is signed by \(current.signer.subject), whom "
                        + "number \(earlier.sequence) does not name")
            }
            current = earlier
            count += 1
        }
        guard try fingerprints.contains(Self.fingerprint(current.signer)) else {
            throw TrustListError(
                .signerUnknown,
                "list of lists \(current.sequence) is signed by \(current.signer.subject), whose "
                    + "certificate is not among "
                    + (journal.map { "those of \($0.name)" } ?? "the given ones"))
        }
        return ListOfLists(list: list, journal: journal?.name, pivotCount: count)
    }

    /// Verifies a national list under a list of lists that counts.
    package func nationalList(
        _ document: [UInt8], territory: String, under listOfLists: TrustList
    ) throws(TrustListError) -> TrustList {
        let list = try TrustList(document: document)
        guard list.territory == territory, list.type == "EUgeneric" else {
            throw TrustListError(
                .otherList, "is the list of \(list.territory.prefix(8)), not of \(territory)")
        }
        let signers = listOfLists.nationalPointers
            .filter { $0.territory == territory }.flatMap(\.signers)
        guard signers.contains(list.signer) else {
            throw TrustListError(
                .signerUnknown,
                "list \(list.sequence) of \(territory) is signed by \(list.signer.subject), whom "
                    + "the list of lists \(listOfLists.sequence) does not name")
        }
        return list
    }

    private static func checkIsListOfLists(_ list: TrustList) throws(TrustListError) {
        guard list.territory == europeanTerritory, list.type == "EUlistofthelists" else {
            throw TrustListError(
                .otherList, "is the list of \(list.territory.prefix(8)), not the list of lists")
        }
    }

    /// Which earlier lists a list of lists rests upon, newest first, and which issue the first of
    /// them: they stand before that issue among its addresses, what comes later is history.
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
                    "list of lists \(list.sequence) names no issue of the Official Journal whose "
                        + "certificates are known")
            }
            (end, journal) = (found, journals.first { $0.uris.contains(uris[found]) })
        }
        let locations = uris[..<end].filter { $0.hasSuffix(".xml") }
        guard locations.count <= TrustListLimits.pivotCount else {
            throw TrustListError(
                .limitExceeded, "it rests upon more than \(TrustListLimits.pivotCount) others")
        }
        return (locations, journal)
    }

    private static func fingerprints(
        _ journal: OfficialJournal?, _ anchors: Anchors
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

    /// Who may sign the list of lists that follows, as a list of lists says.
    private static func ownSigners(in list: TrustList) -> [Certificate] {
        list.pointers.filter {
            $0.territory == europeanTerritory && $0.isXML && $0.type != "EUgeneric"
        }.flatMap(\.signers)
    }
}

extension TrustList.Pointer {
    /// Whether it leads to a list for programs; others are the same for people.
    package var isXML: Bool { mimeType == "application/vnd.etsi.tsl+xml" }
}

extension TrustList {
    /// Where the lists of the member states are.
    package var nationalPointers: [Pointer] {
        pointers.filter { $0.isXML && $0.type == "EUgeneric" }
    }
}
