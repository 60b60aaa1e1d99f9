import ArgumentParser
import SignetKit

/// How the XML validation report contains validation objects: embedded, or as digests.
enum ReportObjects: String, CaseIterable, OptionValue { case embed, digest }

// The report written in addition to the result.
extension VerifyCommand {
    func checkReport() throws {
        let isPage = report?.lowercased().hasSuffix(".html") ?? false
        let isXML = report?.lowercased().hasSuffix(".xml") ?? false
        if report != nil {
            guard isPage || isXML else {
                throw ValidationError("--report requires a file name that ends in .html or .xml.")
            }
            guard inputs.count == 1, !batch.isBatch, inputs != ["-"] else {
                throw ValidationError("--report requires exactly one file.")
            }
        }
        for (given, option) in [(reportPages, "--report-pages"), (lang != nil, "--lang")]
        where given && !isPage { throw ValidationError("\(option) requires --report FILE.html.") }
        guard reportObjects == nil || isXML else {
            throw ValidationError("--report-objects requires --report FILE.xml.")
        }
        _ = try language()
        let _: ReportObjects? = try Value.parse(reportObjects, "--report-objects")
    }

    private func language() throws -> Language { try Value.parse(lang, "--lang") ?? .english }

    func writeReport(
        of input: String, _ document: VerifiedDocument, to path: String, _ time: Moment?,
        _ reporter: Reporter
    ) throws {
        var page = WriteReport()
        page.time = time
        page.askedNetwork = trust.online
        page.rules = rules
        page.version = Signet.version
        page.language = try language()
        page.zone = (try? ClockZone.named("local")) ?? .utc
        let objects: ReportObjects? = try Value.parse(reportObjects, "--report-objects")
        page.embedsObjects = objects != .digest
        let isPage = path.lowercased().hasSuffix(".html")
        if reportPages || isPage && document.viewers != nil {
            page.pictures = try pictures(of: input, document, reporter)
        }
        try page.run(document, into: replace.destination(path))
    }

    private func pictures(
        of input: String, _ document: VerifiedDocument, _ reporter: Reporter
    ) throws -> PagePictures {
        guard try VerifiedKind.of(.file(input), hasContent: content != nil) == .document else {
            throw SignetError(
                .usage, file: input, "the file is not a PDF: --report-pages cannot be used",
                hint: "leave out --report-pages")
        }
        let pictures = try DrawPages(password: password.source()).run(.file(input), document)
        for remark in pictures.remarks {
            switch remark {
            case .encrypted:
                reporter.warning(
                    "\(input): the report shows no pages: the document is encrypted, and the program "
                        + "that draws pages is given no password")
            case .notDrawn(let reason):
                reporter.warning("\(input): the report does not show all pages: \(reason)")
            case .notCompared, .notMarked: break
            }
        }
        return pictures
    }

    /// The options used for verification.
    private var rules: [(name: ReportWord, value: ReportValue?)] {
        func all(_ paths: [String]) -> ReportValue? {
            paths.isEmpty ? nil : .text(paths.joined(separator: ", "))
        }
        return [
            (.onlyField, field.map(ReportValue.text)),
            (.leastLevel, requireLevel.map(ReportValue.text)),
            (.leastQualification, lists.requireQualified.map(ReportValue.text)),
            (.changesRule, requireUnchanged ? .word(.changesRefused) : nil),
            (.revocationLists, all(trust.crl)), (.policies, all(policies.policy)),
        ]
    }
}
