import SignetKit

/// The fixed texts of the HTML report.
enum ReportWord: String, CaseIterable {
    // The file and the validation.
    case title, titleOfAll, pair, file, result, notVerified, size, bytes, fileHash, signedFile,
        itsHash,
        itsSize, stampedFile, stampedHash, stampedSize, signatures, timestamps,
        checked, chosenTime, checkedBy, trustedRule, systemAuthorities, onlySigner, onlyField,
        leastLevel, leastQualification, changesRule, changesRefused, revocationLists, policies
    // The verdict.
    case allPassed, allChanged, notConfirmed, anyFailed, macFailed, unsigned, detailsInEnglish,
        passed, passedChanged, indeterminate, failed, stampsPassed, stampsChanged,
        stampsNotConfirmed, stampsFailed, stampPassed, stampPassedChanged, stampIndeterminate,
        stampFailed
    // Headings and labels.
    case when, signature, timestamp, mac, pages, byLists, notChecked, fileNotes, moreOfKind,
        problem,
        fix, document, changes,
        note, signer, tsa, certificate, revocation, signingTime, certification, lockedFields,
        format,
        details
    // Values of a signature.
    case intact, intactFile, intactAttached, intactRevision, modifiedRevision, partOfFile,
        stampIntact, stampIntactFile, stampIntactAttached, stampIntactRevision,
        stampModifiedRevision, stampPartOfFile,
        noChanges, selfSigned,
        issuedBy,
        trusted, rootTrusted, trustedDirectly, notTrusted, trustNotChecked, notConfirmedName,
        tsaNotConfirmed,
        revokedOn,
        revokedAfter, notRevoked, byCRL, byOCSP,
        validUntil, revocationUnknown, revocationWithoutURL, revocationNotRequired, claimed,
        claimedOnly,
        reasonForSigning, timestampedBy, unknownTSA,
        stampTrusted, stampExpired, timestampIgnored, permitsNothing, permitsForms,
        permitsAnnotations, allFields,
        allFieldsBut, more
    // Statements of the signer, and countersignatures.
    case signaturePolicy, policyMatches, policyUnconfirmed, policyImplied, commitment, claimedRole,
        contentStamp, countersignature
    // The certificate and its qualification.
    case anchor, subject, issuer, serial, valid, certificateHash, fromTo, level, qualified,
        notQualified, unknownQualified, stampQualified, stampNotQualified, stampUnknownQualified,
        qualifiedSignature, qualifiedSeal, advancedSignature, advancedSeal, undetermined,
        unqualified, granted,
        withdrawn, key,
        inDevice, notInDevice, unknownDevice, service, serviceSince, list, listNumber, outOfDate,
        forTime, forValidation, forProven, limit
    // The timeline, the pages and the notes at the end.
    case claimedMark, stampedMark, provenMark, certificateValid, unknownSigner, legendBar,
        legendCircle, legendDiamond, legendLine, page,
        pageWhenSigned, pageNow, noPageThen, noPageNow, drawnBy, noPictures, encryptedPages,
        notDrawn,
        notCompared, notMarked, notAsked, noRevocationData, noTrustedRevocation, noLists, notTruth
}

/// The report texts in a language, read from an embedded file. Each line contains the name of a
/// ``ReportWord`` and its text with placeholders `{1}`, `{2}`.
struct ReportWords {
    let language: Language
    /// The time zone of times beside UTC.
    let zone: ClockZone
    private let texts: [String: String]

    init(_ language: Language, zone: ClockZone = .utc) {
        self.language = language
        self.zone = zone
        texts = Self.texts(of: language)
    }

    static func texts(of language: Language) -> [String: String] {
        WordTable(language).texts
    }

    /// A part of a sentence.
    enum Piece {
        case text(String)
        /// The index of a placeholder, from 0.
        case place(Int)
    }

    func pieces(of word: ReportWord) -> [Piece] { pieces(of: word.rawValue) }

    /// - Parameter name: of a ``ReportWord`` or of a sentence.
    func pieces(of name: String) -> [Piece] { Self.pieces(texts[name] ?? "") }

    static func pieces(_ text: String) -> [Piece] {
        var rest = Substring(text)
        var pieces: [Piece] = []
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            pieces.append(.text(String(rest[..<start])))
            pieces.append(.place((Int(rest[start..<end].dropFirst()) ?? 0) - 1))
            rest = rest[end...].dropFirst()
        }
        return pieces + [.text(String(rest))]
    }

    /// A text with `values` for its placeholders, as plain text.
    func callAsFunction(_ word: ReportWord, _ values: String...) -> String {
        pieces(of: word).map { piece in
            switch piece {
            case .text(let text): text
            case .place(let index): values.indices.contains(index) ? values[index] : ""
            }
        }.joined()
    }
}

extension WordTable {
    init(_ language: Language) { self.init(file: "\(language).txt") }
}
