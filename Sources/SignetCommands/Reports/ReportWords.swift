import SignetKit

/// What the page for people says, apart from what it says of a certain file.
enum ReportWord: String, CaseIterable {
    case title, size, bytes, signedFile, itsHash, itsSize, signatures, timestamps,
        checked, judgedAsOf, chosenTime, checkedBy, trustedRule, systemAuthorities,
        onlySigner, onlyField, leastLevel, leastQualification, changesRule, noChanges,
        revocationLists, policies, allPassed, allChanged, allDoubtful, anyFailed, codeFailed,
        document, integrityCode, unsigned, detailsInEnglish, inOrder, inOrderChanged, uncertain,
        invalid,
        when,
        signature, timestamp, sinceThen, nothingChanged, why, remarks, byLists,
        notChecked, certificate, pages, signer, issuer, believed, notBelieved,
        itselfBelieved, revoked, revokedSince, revokedAfter, revocationUnknown, revocationNotNeeded,
        notRevoked, byList, byAnswer,
        countsUntil, covers, wholeFile, earlierState, partOfFile, carried, unchanged,
        notUnchanged, signedAt, asClaimed, existedAt, asProven, stampedBy,
        unnamedAuthority, provesUntil, provesNothing, certifies, permitsNothing,
        permitsForms, permitsAnnotations, locks, allFields, theseFields, allFieldsBut,
        method, level, qualified, notQualified, unknownQualified, itsKey, inDevice,
        notInDevice, unknownDevice, service, serviceSince, list, listNumber, outOfDate,
        forTime, limit, subject, serial, valid, fromTo, notAsked, noLists, notTruth,
        more, claimedMark, stampedMark, provenMark, certificateValid, unknownSigner,
        legend, page, pageWhenSigned, pageNow, noPageThen, noPageNow, drawnBy,
        noPictures, encryptedPages, notDrawn, notCompared, notMarked
}

/// The page's words in a language: a line for each of ``ReportWord``, with its name first. `{1}`,
/// `{2}` are filled in.
struct ReportWords {
    let language: Language
    private let texts: [Substring: Substring]

    init(_ language: Language) {
        self.language = language
        texts = Self.lines(of: language)
    }

    /// What a language has, by names.
    static func lines(of language: Language) -> [Substring: Substring] {
        var texts: [Substring: Substring] = [:]
        for line in table(of: language).split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            texts[line[..<colon]] = line[colon...].dropFirst(2)
        }
        return texts
    }

    private static func table(of language: Language) -> String {
        switch language {
        case .arabic: arabic
        case .chinese: chinese
        case .czech: czech
        case .english: english
        case .french: french
        case .german: german
        case .italian: italian
        case .polish: polish
        case .slovak: slovak
        case .spanish: spanish
        case .ukrainian: ukrainian
        }
    }

    /// A part of a sentence.
    enum Piece {
        case text(String)
        /// The place of a value, from 0.
        case place(Int)
    }

    func pieces(of word: ReportWord) -> [Piece] {
        var rest = texts[Substring(word.rawValue)] ?? ""
        var pieces: [Piece] = []
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            pieces.append(.text(String(rest[..<start])))
            pieces.append(.place((Int(rest[start..<end].dropFirst()) ?? 0) - 1))
            rest = rest[end...].dropFirst()
        }
        return pieces + [.text(String(rest))]
    }

    /// A word or sentence with `values` in their places, as plain text.
    func callAsFunction(_ word: ReportWord, _ values: String...) -> String {
        pieces(of: word).map { piece in
            switch piece {
            case .text(let text): text
            case .place(let index): values.indices.contains(index) ? values[index] : ""
            }
        }.joined()
    }

    private static let english = """
        title: Signatures of {1}
        size: Size
        bytes: {1} bytes
        signedFile: What is signed
        itsHash: Its SHA-256
        itsSize: Its size
        signatures: Signatures
        timestamps: Time stamps
        checked: Checked
        judgedAsOf: Judged as of
        chosenTime: {1}, a time that was chosen
        checkedBy: Checked by
        trustedRule: Trusted
        systemAuthorities: the system's authorities
        onlySigner: Only this signer
        onlyField: Only the field
        leastLevel: At least the level
        leastQualification: At least
        changesRule: Changes
        noChanges: none are accepted
        revocationLists: Revocation lists
        policies: Policies
        allPassed: Everything is in order: unchanged, and by who is named below.
        allChanged: What was signed is in order, but the document was CHANGED since: see what.
        allDoubtful: It cannot be said for certain that everything is in order.
        anyFailed: At least one signature is invalid: do not rely on it.
        codeFailed: The integrity code is missing or wrong: do not rely on the file.
        document: The document
        integrityCode: Integrity code
        unsigned: The file is not signed.
        inOrder: in order
        inOrderChanged: in order, but the document was changed since
        uncertain: not certain
        invalid: invalid
        when: When
        signature: Signature
        timestamp: Time stamp
        sinceThen: Since then
        nothingChanged: nothing changed
        why: Why
        remarks: Remarks
        byLists: By the European trusted lists
        notChecked: What was not checked, and what else was noticed
        certificate: Certificate
        pages: Pages
        signer: Who
        issuer: Issued by
        believed: {1}, trusted
        notBelieved: {1}, not trusted
        itselfBelieved: {1} (not checked: this very certificate is trusted)
        revoked: Revoked
        revokedSince: since {1}
        revokedAfter: since {1}, after it was signed
        revocationUnknown: not known
        revocationNotNeeded: needs not be asked, its issuer says
        notRevoked: no
        byList: {1} (by the list of {2} of {3})
        byAnswer: {1} (by an answer of {2} of {3})
        countsUntil: {1}; it counts until {2}
        covers: Covers
        wholeFile: the whole file
        earlierState: the file as it was then (what came later is below)
        partOfFile: only a part of the file
        carried: what the signature itself carries
        unchanged: {1}: these bytes are unchanged
        notUnchanged: {1}: not unchanged
        signedAt: Signed at
        asClaimed: {1}, as the signer says
        existedAt: Existed at
        asProven: {1}, proven
        stampedBy: {1} by {2}
        unnamedAuthority: an unnamed authority
        provesUntil: {1}, which proves nothing after {2}
        provesNothing: {1}, not trusted: proves nothing
        certifies: Certifies
        permitsNothing: the document, permits no changes
        permitsForms: the document, permits filling in forms and signing
        permitsAnnotations: the document, permits forms, signatures and annotations
        locks: Locks
        allFields: all fields of the form
        theseFields: the fields {1}
        allFieldsBut: all fields of the form but {1}
        method: Method
        level: Level
        qualified: qualified
        notQualified: not qualified
        unknownQualified: cannot be told whether qualified
        itsKey: Its key
        inDevice: in a qualified device
        notInDevice: not in a qualified device
        unknownDevice: cannot be told whether in a qualified device
        service: Service
        serviceSince: {1}: {2}, {3} since {4}
        list: List
        listNumber: {1} number {2} of {3}
        outOfDate: {1}, out of date
        forTime: For the time
        limit: Limit
        subject: Subject
        serial: Serial number
        valid: Valid
        fromTo: {1} to {2}
        notAsked: Authorities were not asked over the network whether certificates were \
        revoked: only what the file itself brings, and what was given, is known.
        noLists: No trusted lists were asked: whether a signature is qualified is not said here.
        notTruth: Whether the content is true, and whether the signer was allowed to sign it.
        more: and {1} more
        claimedMark: claimed
        stampedMark: stamped
        provenMark: proven
        certificateValid: certificate valid
        unknownSigner: unknown signer
        legend: Grey bars: validity of the certificates. Circle: what a trusted time stamp \
        proves. Diamond: what the signer says. Dashed line: when this was checked.
        page: Page {1}
        pageWhenSigned: Page {1} when it was signed ({2})
        pageNow: Page {1} now
        noPageThen: there was no such page
        noPageNow: there is no such page any more
        drawnBy: Drawn by {1}: other programs may show pages in another way. Frames mark \
        signatures.
        noPictures: No page shows a signature, and none looks otherwise than when it was signed.
        encryptedPages: The pages are not shown: the document is encrypted, and the program \
        that draws pages is given no password.
        notDrawn: Not all pages are shown: {1}
        notCompared: Pages that were not compared with what was signed: {1}
        notMarked: Signatures that were not looked for on the pages: {1}
        """
}
