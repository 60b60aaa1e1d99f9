import Base
import CryptoBridge
import Foundation
import SignetTestSupport
import Testing
import TrustKit

struct ListAuthorityTests {
    private func pivot(_ location: String) throws(TrustListError) -> [UInt8]? {
        for name in ["pivot-300", "pivot-282"] where location.hasSuffix("\(name).xml") {
            return try? TrustVectors.read(name)
        }
        return nil
    }

    @Test func followsPivotsToTheOfficialJournal() throws {
        let found = try ListAuthority().listOfLists(TrustVectors.read("lotl-332"), pivot: pivot)
        #expect(found.list.sequence == 332)
        #expect(found.pivotCount == 2)
        #expect(found.journal == "OJ C 276, 16.8.2019")
    }

    /// A mark of byte order and blanks around a list change nothing of what was signed.
    @Test func takesPivotsWithBlanksAround() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for (before, after) in [(mark, []), ([], Array("\r\n \t\n".utf8)), (mark, [0x0A])] {
            let found = try ListAuthority().listOfLists(TrustVectors.read("lotl-332")) { location in
                (try? pivot(location)).map { before + $0 + after }
            }
            #expect(found.pivotCount == 2)
        }
    }

    @Test func refusesWithoutAPivot() throws {
        let error = #expect(throws: TrustListError.self) {
            try ListAuthority().listOfLists(TrustVectors.read("lotl-332")) { location in
                location.hasSuffix("282.xml") ? nil : try? TrustVectors.read("pivot-300")
            }
        }
        #expect(error?.code == .missing)
        #expect(error?.detail.contains("eu-lotl-pivot-282.xml") == true)
    }

    @Test func refusesABrokenPivot() throws {
        let lotl = try TrustVectors.read("lotl-332")
        var altered = try TrustVectors.read("pivot-300")
        let place = try #require(altered.firstRange(of: Array("NextUpdate".utf8)))
        altered.insert(0x20, at: place.upperBound + 1)
        for (document, code) in [
            (altered, TrustListError.Code.signatureInvalid), ([], .malformed),
            (try TrustVectors.read("lu-51"), .otherList),
        ] {
            let broken = document
            #expect(throws: TrustListError(code, "")) {
                try ListAuthority().listOfLists(lotl) { location in
                    location.hasSuffix("300.xml") ? broken : try? TrustVectors.read("pivot-282")
                }
            }
        }
    }

    @Test func refusesAListOfListsUnderAJournalThatIsNotKnown() throws {
        let newest = OfficialJournal.known.filter { $0.supersededFrom == nil }
        #expect(newest.count == 1)
        #expect(throws: TrustListError(.anchorOutdated, "")) {
            try ListAuthority(.journals(newest))
                .listOfLists(TrustVectors.read("lotl-332"), pivot: pivot)
        }
    }

    @Test func refusesOtherAnchors() throws {
        let luxembourg = try TrustList(document: TrustVectors.read("lu-51"))
        #expect(throws: TrustListError(.signerUnknown, "")) {
            try ListAuthority(.certificates([luxembourg.signer]))
                .listOfLists(TrustVectors.read("lotl-332"), pivot: pivot)
        }
        // A person who vouches for the signer itself needs no pivots.
        let head = try TrustList(document: TrustVectors.read("lotl-332"))
        let found = try ListAuthority(.certificates([head.signer]))
            .listOfLists(TrustVectors.read("lotl-332")) { _ in nil }
        #expect(found.pivotCount == 0)
        #expect(found.journal == nil)
    }

    @Test func nationalListsAreSignedByWhomTheListOfListsNames() throws {
        let head = try TrustList(document: TrustVectors.read("lotl-332"))
        let authority = ListAuthority()
        for (name, territory) in [
            ("lu-51", "LU"), ("el-69", "EL"), ("li-40", "LI"), ("uk-25", "UK"),
        ] {
            #expect(throws: Never.self) {
                try authority.nationalList(
                    TrustVectors.read(name), territory: territory, under: head)
            }
        }
        #expect(throws: TrustListError(.otherList, "")) {
            try authority.nationalList(TrustVectors.read("lu-51"), territory: "EL", under: head)
        }
        // The earlier list of lists of 2021 did not know this signer yet.
        let earlier = try TrustList(document: TrustVectors.read("pivot-282"))
        #expect(throws: TrustListError(.signerUnknown, "")) {
            try authority.nationalList(TrustVectors.read("el-69"), territory: "EL", under: earlier)
        }
    }

    /// A new issue of the Official Journal: lists that still name the issue before may be followed to
    /// it, until the lists name the new one alone.
    @Test func followsFromOneJournalToTheNext() throws {
        guard let python = try PythonEnvironment.find("python") else { return }
        try ExternalTool.withFolder { folder in
            let script = TestVectors.root.appendingPathComponent("Scripts/lib/make_trust_lists.py")
            let made = try ExternalTool.run(
                python, ["-W", "ignore", script.path, folder, "--journals"])
            #expect(made.status == 0, "\(made.errors)")
            let documents = try (1...6).map { try ExternalTool.read("\(folder)/\($0).xml") }
            func journal(_ name: String, until year: Int? = nil) throws -> OfficialJournal {
                let printed = try Certificate.readAll(ExternalTool.read("\(folder)/\(name).crt"))
                return OfficialJournal(
                    name: name, uris: ["https://localhost/\(name)/oj"],
                    fingerprints: try printed.map { try $0.sha256 },
                    supersededFrom: year.flatMap { CalendarTime(year: $0) })
            }
            func found(
                _ number: Int, _ journals: [OfficialJournal]
            ) throws -> ListAuthority.ListOfLists {
                try ListAuthority(.journals(journals)).listOfLists(documents[number - 1]) { place in
                    (1...6).first { place.hasSuffix("/\($0).xml") }.map { documents[$0 - 1] }
                }
            }
            let (first, second) = try (journal("first"), journal("second"))
            for (number, journals, name, pivots) in [
                (3, [first], "first", 2), (4, [first], "first", 3), (4, [second], "second", 0),
                (4, [second, first], "second", 0), (5, [second, first], "second", 0),
                (3, [second, first], "first", 2),
            ] {
                let list = try found(number, journals)
                #expect(list.journal == name && list.pivotCount == pivots, "\(number)")
            }
            let replaced = try journal("first", until: 2026)
            for (number, journals, code) in [
                // After the change the anchors must change.
                (5, [first], TrustListError.Code.anchorOutdated),
                // What the issue before still vouched for does not count any more.
                (4, [replaced], .anchorOutdated),
                // Naming an issue is not enough.
                (6, [second, first], .signerUnknown),
                (3, [second], .anchorOutdated),
            ] {
                #expect(throws: TrustListError(code, "")) { try found(number, journals) }
            }
        }
    }

    @Test func journalsAreWhatTheyWere() {
        #expect(OfficialJournal.known.map(\.fingerprints.count) == [6, 8])
        #expect(OfficialJournal.known.allSatisfy { $0.fingerprints.allSatisfy { $0.count == 32 } })
    }
}
