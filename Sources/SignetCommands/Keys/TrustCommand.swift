import ArgumentParser
import SignetKit

struct TrustCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Download and display EU trusted lists; import others.",
        discussion: """
            EU member states publish trusted lists of qualified trust services (ETSI TS 119 612); the \
            European Commission publishes the list of trusted lists (LOTL). With them, 'signet verify \
            --trust-list eu' reports whether a signature is qualified. Only 'trust update' downloads them.

            Examples:
              signet trust update
              signet trust list
              signet trust list --services --territory CZ
              signet verify contract.pdf --trust-list eu --require-qualified qesig
            """, subcommands: [Update.self, List.self])

    struct Update: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "update", abstract: "Download, verify and store trusted lists.",
            discussion: """
                Verifies the LOTL with the certificates published in the Official Journal (see 'signet \
                trust list --anchors'), and the national lists with the LOTL. An older EU \
                list never replaces a newer one. If a download fails, the stored list is kept, with exit code 69.

                --aatl and --mozilla import a list from a file and download nothing. The signature of \
                Adobe's list is verified with --trust-anchor. Of Mozilla's list, \
                Signet imports the CAs that Mozilla trusts for e-mail. To use an \
                imported list: signet verify --trust-list aatl (or mozilla).

                Examples:
                  signet trust update
                  signet trust update --territory CZ --territory SK
                  signet trust update --from lists/
                  signet trust update --aatl tl12.acrobatsecuritysettings --trust-anchor adobe.crt
                """)

        @Option(
            help: ArgumentHelp(
                "Country of the list (Greece: EL, United Kingdom: UK); may be repeated"))
        var territory: [String] = []
        @Option(
            "Folder with lists, or another URL of the LOTL", value: "dir|url",
            completion: .directory)
        var from: String?
        @Option(
            "Import Adobe's trust list (AATL) from security settings: PDF or XML", value: "file")
        var aatl: String?
        @Option("Import Mozilla's list of CAs (certdata.txt)", value: "file")
        var mozilla: String?
        @OptionGroup var anchor: TrustAnchorOptions
        @Flag(
            help:
                "Import a list that is older, weaker, shorter or unsigned, or has another or expired signer"
        )
        var force = false
        @OptionGroup(title: "General") var messages: OutputOptions

        func validate() throws {
            if force, aatl == nil, mozilla == nil {
                throw ValidationError("--force requires --aatl or --mozilla.")
            }
            if aatl != nil || mozilla != nil, !territory.isEmpty || from != nil {
                throw ValidationError(
                    "--aatl and --mozilla cannot be combined with --territory and --from.")
            }
            if mozilla != nil, !anchor.trustAnchor.isEmpty {
                throw ValidationError(
                    "--trust-anchor cannot be combined with --mozilla, because Mozilla's list is not signed."
                )
            }
        }

        private func importLists(_ reporter: Reporter) throws {
            let files = [(AnchorListKind.aatl, aatl), (.mozilla, mozilla)]
            for case (let kind, let file?) in files {
                var task = ImportTrustAnchors(kind, file: file)
                task.anchors = anchor.trustAnchor
                task.force = force
                let imported = try task.run()
                try reporter.result(TrustText.text(imported))
                try reporter.result(json: imported)
                for reason in imported.overridden { reporter.warning("\(file): \(reason)") }
                if imported.signer == nil {
                    reporter.warning(
                        "\(file) is not signed: use it only from a source that you trust")
                }
            }
        }

        func run(_ reporter: Reporter) throws {
            if aatl != nil || mozilla != nil { return try importLists(reporter) }
            var task = UpdateTrustLists()
            task.territories = territory.map { $0.uppercased() }
            task.origin = from
            task.anchors = anchor.trustAnchor
            if messages.verbose { task.step = { Reporter.step($0) } }
            let updated = try TrustCommand.reaching { try task.run() }
            try reporter.result(TrustText.text(updated))
            try reporter.result(json: updated)
            for failure in updated.failures {
                reporter.warning(
                    "the trusted list of \(failure.territory) was not updated: \(failure.message)")
            }
            if updated.outOfDate {
                reporter.warning("the list of trusted lists (LOTL) is out of date")
            }
            if !updated.failures.isEmpty { throw ExitStatus.serviceUnavailable }
        }
    }

    /// Adds a hint to errors of fetching the lists.
    private static func reaching<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SignetError
            where error.code == .serviceUnavailable && error.hint == nil
        {
            throw SignetError(
                error.code, file: error.file, error.message,
                hint: Sentence(
                    "try again later, or add --from DIR to use a folder with lists; stored lists are "
                        + "kept"))
        }
    }

    struct List: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Verify and list the stored trusted lists.",
            discussion: """
                Examples:
                  signet trust list
                  signet trust list --services --territory CZ
                  signet trust list --anchors
                """)

        @Option(help: ArgumentHelp("Country of the list; may be repeated"))
        var territory: [String] = []
        @Flag(help: "Show the services on the lists")
        var services = false
        @Flag(help: "Show the trust anchors of the LOTL")
        var anchors = false
        @Option("Folder with lists, instead of the stored ones", value: "dir")
        var from: String?
        @OptionGroup var anchor: TrustAnchorOptions
        @OptionGroup(title: "General") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            if anchors {
                let known = ShowTrustLists.knownAnchors
                try reporter.result(TrustText.text(known))
                try reporter.result(json: known)
                return
            }
            var task = ShowTrustLists()
            task.territories = territory.map { $0.uppercased() }
            task.showsServices = services
            task.folder = from
            task.anchors = anchor.trustAnchor
            let shown = try task.run()
            try reporter.result(TrustText.text(shown))
            try reporter.result(json: shown)
            if shown.imported.contains(where: { $0.problem != nil }) {
                throw ExitStatus.malformedInput
            }
        }
    }
}

/// The trust anchors of the European lists.
struct TrustAnchorOptions: ParsableArguments {
    @Option(
        "Signing certificate of the AATL or of the EU list of trusted lists (default for the EU: built in)",
        value: "file")
    var trustAnchor: [String] = []
}

enum TrustText {
    static func text(_ imported: ImportedTrustAnchors) -> String {
        let anchors = anchors(imported.anchorCount, imported.signer, imported.issued)
        return Reporter.printable(
            "\(imported.file): stored \(anchors)\(changes(imported)); use: signet verify --trust-list \(imported.name)"
        )
    }

    private static let namedEntryCount = 3

    /// ` (+1 trust anchor 'NAME', -2 distrust records 'A', 'B')`
    private static func changes(_ imported: ImportedTrustAnchors) -> String {
        let parts = [("+", imported.added), ("-", imported.removed)].flatMap { sign, entries in
            Dictionary(grouping: entries, by: \.words).sorted { $0.key > $1.key }.map {
                let names = $1.prefix(namedEntryCount).map { "'\($0.name)'" }
                let more = $1.count - names.count
                return "\(sign)\($1.count) \($0)\($1.count == 1 ? "" : "s") "
                    + names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
            }
        }
        return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    }

    private static func anchors(_ count: Int, _ signer: String?, _ issued: Moment?) -> String {
        "\(count) trust anchor\(count == 1 ? "" : "s")"
            + (signer.map { ", signed by \($0)" } ?? "") + (issued.map { " on \($0.day)" } ?? "")
    }

    static func text(_ updated: UpdatedTrustLists) -> String {
        var lines = [head(updated.listOfLists?.sequence, updated.anchor, updated.pivots)]
        lines += updated.lists.map { list in
            line(
                list.territory, list.sequence, list.issued, list.nextUpdate,
                isOutOfDate: list.outOfDate)
        }
        return lines.joined(separator: "\n")
    }

    static func text(_ shown: ShownTrustLists) -> String {
        var lines = [shown.listOfLists].compactMap(\.self).map {
            head($0.sequence, shown.anchor, shown.pivots) + ($0.outOfDate ? ", out of date" : "")
        }
        for list in shown.lists {
            if let problem = list.problem {
                lines.append("  \(list.territory): \(Reporter.printable(problem))")
                continue
            }
            lines.append(
                line(
                    list.territory, list.sequence ?? 0, list.issued, list.nextUpdate,
                    isOutOfDate: list.outOfDate) + ", services: \(list.serviceCount)")
            for service in list.services ?? [] {
                let purposes =
                    service.purposes.isEmpty ? "" : " " + service.purposes.joined(separator: ", ")
                lines.append(
                    Reporter.printable(
                        "    \(service.provider): \(service.name) (\(service.kind)\(purposes), "
                            + "\(service.status) since \(service.since.day))"))
            }
        }
        lines += shown.imported.map { list in
            let state = list.problem ?? anchors(list.anchorCount ?? 0, list.signer, list.issued)
            return Reporter.printable("imported list \(list.name): \(state)")
        }
        return lines.joined(separator: "\n")
    }

    static func text(_ anchors: ShownTrustAnchors) -> String {
        anchors.journals.map { journal in
            let until = journal.supersededFrom.map { ", for lists before \($0.day)" } ?? ""
            return
                (["\(journal.name)\(until)"] + journal.uris.map { "  \($0)" }
                + journal.sha256.map { "  SHA-256 \($0)" }).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func head(_ sequence: Int?, _ anchor: String?, _ pivots: Int) -> String {
        let way = pivots == 0 ? "" : " via \(pivots) pivot list\(pivots == 1 ? "" : "s")"
        return "list of trusted lists (LOTL) \(sequence ?? 0), verified with "
            + (anchor ?? "the given certificates") + way
    }

    private static func line(
        _ territory: String, _ sequence: Int, _ issued: Moment?, _ nextUpdate: Moment?,
        isOutOfDate: Bool
    ) -> String {
        let end = nextUpdate.map {
            isOutOfDate ? "expired on \($0.day)" : "valid until \($0.day)"
        }
        return "  \(territory): list \(sequence) of \(issued?.day ?? ""), \(end ?? "closed")"
    }
}
