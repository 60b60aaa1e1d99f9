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
                throw ValidationError(
                    "--report requires a file name that ends in .html or .xml. For a report as PDF, write .html "
                        + "and print it with a browser.")
            }
            guard isPage || inputs.count == 1 && !batch.isBatch else {
                throw ValidationError(
                    "--report FILE.xml requires exactly one file: for several files, use FILE.html."
                )
            }
            guard !inputs.contains("-"), batch.journal == nil else {
                throw ValidationError("--report cannot be combined with --journal or input from -.")
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

    /// A report that will contain the given files.
    func newReport(at time: Moment?, of inputs: [String]) throws -> WriteReport {
        var page = WriteReport()
        page.inputs = inputs
        page.time = time
        page.askedNetwork = trust.online
        page.rules = rules
        page.version = Signet.version
        page.language = try language()
        page.zone = (try? ClockZone.named("local")) ?? .utc
        let objects: ReportObjects? = try Value.parse(reportObjects, "--report-objects")
        page.embedsObjects = objects != .digest
        return page
    }

    /// Adds a file to the report, and writes the report after the last file.
    ///
    /// - Returns: whether the report was written.
    func note(
        _ document: VerifiedDocument, in page: inout WriteReport, _ reporter: Reporter
    ) throws -> Bool {
        guard let report else { return false }
        if report.lowercased().hasSuffix(".xml") {
            try page.write(document, into: replace.destination(report))
            return true
        }
        page.add(
            document,
            reportPages || document.viewers != nil
                ? try pictures(of: document.file, document, reporter) : nil)
        guard page.isComplete else { return false }
        try page.writePage(into: replace.destination(report))
        return true
    }

    /// Writes a report of several files, although some of them were not verified: it names them.
    func write(incomplete page: WriteReport, _ reporter: Reporter) throws {
        guard let report, page.inputs.count > 1, !page.isComplete else { return }
        guard page.hasFile else {
            return Reporter.complain(
                "\(report): the report was not written, because no file was verified")
        }
        try page.writePage(into: replace.destination(report))
        try reporter.result(StyledText("\(report): wrote validation report"))
    }

    private func pictures(
        of input: String, _ document: VerifiedDocument, _ reporter: Reporter
    ) throws -> PagePictures {
        guard try VerifiedKind.of(.file(input), hasContent: !content.isEmpty) == .document else {
            throw SignetError(
                .usage, file: input, "the file is not a PDF: --report-pages cannot be used",
                hint: "leave out --report-pages")
        }
        let pictures = try DrawPages(password: password.source()).run(.file(input), document)
        for remark in pictures.remarks {
            switch remark {
            case .encrypted:
                reporter.warning(
                    "\(input): the report shows no pages, because the document is encrypted and the "
                        + "program that draws pages does not receive the password")
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
