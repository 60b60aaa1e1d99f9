import ArgumentParser
import Base
import FoundationEssentials
import SignetKit

struct SchemaCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the JSON Schema of a --json output.",
        discussion: """
            Without a name, all schemas are listed. NAME is the value of "schema" in an output, such \
            as signet.verify/1, or short: verify.

            Examples:
              signet schema
              signet schema verify
              signet schema signet.sign/1 > sign-1.json
            """)

    @Argument(
        help: ArgumentHelp("Schema, such as verify (default: list all)", valueName: "name"),
        completion: .list(JSONSchemas.names))
    var name: String?
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        if name == nil && messages.json {
            throw ValidationError("The list of schemas is text: leave out --json, or add a name.")
        }
    }

    func run(_: Reporter) throws {
        // A schema is JSON with and without --json.
        let reporter = Reporter(options: .defaults())
        guard let name else {
            for name in JSONSchemas.names {
                let id = "signet." + name.replacing("-1", with: "/1")
                try reporter.line(id.padding(to: 28) + (JSONSchemas.title(of: name) ?? ""))
            }
            return
        }
        let wanted = (ExactText(name).hasPrefix("signet.") ? String(name.dropFirst(7)) : name)
            .replacing("/", with: "-")
        let found = JSONSchemas.names.first { $0 == wanted || $0 == "\(wanted)-1" }
        guard let found else {
            let names = JSONSchemas.names.map { String($0.dropLast(2)) }
            let stem = wanted.hasSuffix("-1") ? String(wanted.dropLast(2)) : wanted
            let near = Spelling.nearest(to: stem, in: names)
            throw SignetError(
                .usage, "unknown schema '\(name)'",
                hint: near.map { "did you mean: signet schema \($0)" }
                    ?? "to list all schemas, run: signet schema")
        }
        try reporter.result(JSONSchemas.text(of: found))
    }
}
