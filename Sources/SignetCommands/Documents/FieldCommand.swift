import ArgumentParser
import SignetKit

struct FieldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "field",
        abstract: "Add empty signature fields to PDFs, or list signature fields.",
        discussion: """
            A signature field defines the position of a signature, and may have requirements for it. \
            'signet sign' signs the only empty field, or the one given with --field.

            Examples:
              signet field add contract.pdf --field Buyer --at last:bottom-left \\
                  --field Seller --at last:bottom-right
              signet field list contract.fields.pdf
              signet sign contract.fields.pdf --key me.p12 --field Buyer
            """, subcommands: [FieldAddCommand.self, FieldListCommand.self])
}

struct FieldAddCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add empty signature fields to PDF files.",
        discussion: """
            The first --at is for the first --field, the second one for the second; one --at auto is for \
            all. A field without a position is invisible. All other options apply to all new fields. \
            The fields are appended as an incremental update (NAME.fields.pdf), if no certification \
            or signature forbids it.

            Signatures must meet the requirements of the field (--reason, --digest, --certify, ...).

            Examples:
              signet field add contract.pdf --field Buyer --at last:bottom-left \\
                  --field Seller --at last:bottom-right
              signet field add form.pdf --field Approval --at 1:top-right \\
                  --reason Approved --reason Rejected --lock all
              signet field add templates --recursive --field Signed --at auto -o new/
            """)

    @Argument(help: ArgumentHelp("PDF files", valueName: "file"), completion: .file())
    var inputs: [String] = []

    @OptionGroup(title: "Fields") var place: FieldPlaceArguments
    @OptionGroup(title: "Requirements") var demands: FieldDemandArguments
    @OptionGroup(title: "Output") var output: PlaceOptions
    @OptionGroup(title: "Output") var damage: DamageOptions
    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "Encrypted PDFs") var password: PasswordOptions
    @OptionGroup(title: "General") var settings: SettingsOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(inputs)
        _ = try fields()
        try output.check(inputs: inputs)
    }

    private func fields() throws -> [NewFieldOptions] {
        guard !place.field.isEmpty else {
            throw ValidationError("The new field requires a name: add --field NAME.")
        }
        for name in place.field { try Value.requireText(name, "--field") }
        guard place.field.count <= AddFields.fieldLimit else {
            throw ValidationError("Too many fields: the limit is \(AddFields.fieldLimit).")
        }
        return try zip(place.field, place.stamps()).map { name, stamp in
            var options = NewFieldOptions(name: name)
            options.stamp = stamp
            try demands.apply(to: &options)
            return options
        }
    }

    func run(_ reporter: Reporter) throws {
        for remark in try place.extent.unitRemarks(at: place.at.first) { reporter.warning(remark) }
        var selected = try output.selected(inputs, patterns: ["*.pdf"], batch, suffix: Self.suffix)
        var task = try AddFields(fields(), password: password.source())
        task.allowsDamaged = damage.allowDamaged
        let names = output.names(Self.suffix, for: selected, batch)
        if output.skipExisting { selected = OutputNaming.withoutOutputs(selected) { _ in names } }
        let paths = selected.map(\.path)
        var many = Batch("changed", paths, messages)
        try OutputNaming.plan(paths) { _ in names }
        try many.configure(batch, command: "field add", named: inputs, output)
        try many.run { _ in
            names
        } work: { [task] input, destination in
            return try task.run(.file(input), into: destination)
        } report: { (input, changed: ChangedForm, reporter) in
            reporter.warnings(changed.warnings, of: input)
            try reporter.made(changed.output, "added \(changed.summary)", json: changed)
            return .done
        }
    }

    private static let suffix = ".fields.pdf"
}

/// Names and positions of new fields.
struct FieldPlaceArguments: ParsableArguments {
    @Option("Name of the new field; may be repeated", value: "name")
    var field: [String] = []
    // `-1:top` begins with a hyphen like an option.
    @Option(
        parsing: .unconditionalSingleValue,
        "Position, as for sign: PAGE:POSITION, auto or text:WORDS; one per field",
        value: "page:position", completion: Completion.places)
    var at: [String] = []
    @OptionGroup var extent: StampExtentOptions
    @Option(
        parsing: .unconditionalSingleValue,
        "Position in points from the bottom left, instead of --at; one per field",
        value: "page:x1,y1,x2,y2")
    var rect: [String] = []

    /// The positions of the fields; nil for invisible ones.
    func stamps() throws -> [StampOptions?] {
        let count = field.count
        try extent.check(hasPlace: !at.isEmpty, hasRectangle: !rect.isEmpty)
        var found =
            try at.map { try extent.stamp(at: $0, rectangle: nil) }
            + rect.map { try extent.stamp(at: nil, rectangle: $0) }
        if found.isEmpty { return [StampOptions?](repeating: nil, count: count) }
        if found.count == 1, let only = found.first, only.position == .free {
            found = [StampOptions](repeating: only, count: count)
        }
        guard found.count == count else {
            throw ValidationError(
                "the number of fields (\(count)) differs from the number of positions "
                    + "(\(found.count)): add one --at per --field, "
                    + "or one --at auto for all.")
        }
        return found
    }
}

/// Requirements of new fields for their signatures.
struct FieldDemandArguments: ParsableArguments {
    @Option("Tooltip of the field", value: "text")
    var tooltip: String?
    @Flag(help: "Mark the field as required")
    var required = false
    @Option(
        "Form fields that the signature locks: all, only:A,B or except:A,B", value: "fields",
        completion: Completion.locks)
    var lock: String?
    @Option(
        "Changes that the lock permits: no-changes, form-filling or annotations",
        value: "changes", completion: .list(DocMDPPermission.names))
    var lockLevel: String?
    @Option("Permitted reason; may be repeated", value: "text")
    var reason: [String] = []
    @Option(
        "Permitted signature format: ETSI.CAdES.detached or adbe.pkcs7.detached; may be repeated",
        value: "name", completion: .list(SigningOptions.SubFilter.names))
    var subfilter: [String] = []
    @Option(
        "Permitted hash algorithm; may be repeated", value: "name",
        completion: .list(SigningOptions.Digest.names))
    var digest: [String] = []
    @Option(
        "Required certification: no-changes, form-filling, annotations, or none (must not certify)",
        value: "changes", completion: .list(DocMDPPermission.names + ["none"]))
    var certify: String?
    @Option("Time-stamping authority to use", value: "url")
    var tsa: String?
    @Option("Certificate that may sign; may be repeated", value: "file")
    var signer: [String] = []
    @Option("Issuer certificate that the signer must have; may be repeated", value: "file")
    var issuer: [String] = []
    @Option(
        "Required subject attributes of the signer, such as \"O=Example,C=CZ\"; may be repeated",
        value: "name")
    var subject: [String] = []
    @Option(
        "Required key usage (X.509 names), such as nonRepudiation", value: "list")
    var keyUsage: String?
    @Flag(
        help: "Recommend reasons, formats, hashes, timestamp and signers instead of requiring them")
    var advice = false

    func apply(to options: inout NewFieldOptions) throws {
        options.tooltip = tooltip
        options.isRequired = required
        options.lock = try Value.parse(lock, "--lock")
        options.lockLevel = try Value.parse(lockLevel, "--lock-level")
        options.reasons = reason
        options.subFilters = try subfilter.compactMap { try Value.parse($0, "--subfilter") }
        options.digests = try digest.compactMap { try Value.parse($0, "--digest") }
        if certify == "none" {
            options.certification = NewFieldOptions.Certification.none
        } else if let permission: DocMDPPermission = try Value.parse(certify, "--certify") {
            options.certification = .permitting(permission)
        }
        options.timestampAddress = tsa
        options.signerFiles = signer
        options.issuerFiles = issuer
        options.subjects = subject
        options.keyUsage = keyUsage.map { $0.split(separator: ",").map(String.init) } ?? []
        options.isAdvice = advice
    }
}

struct FieldListCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List signature fields of PDFs and their requirements.",
        discussion: """
            The signatures are not verified; signer names are claims. Use 'signet verify' to verify them.

            Examples:
              signet field list contract.pdf
              signet field list contract.pdf --json
            """)

    @Argument(help: ArgumentHelp("PDF files", valueName: "file"), completion: .file())
    var inputs: [String] = []
    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "Encrypted PDFs") var password: PasswordOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(inputs)
        if batch.journal != nil {
            throw ValidationError("field list cannot be combined with --journal.")
        }
    }

    func run(_: Reporter) throws {
        let task = ListFields(password: password.source())
        let paths = try batch.selected(inputs, patterns: ["*.pdf"]).map(\.path)
        var many = Batch("listed", paths, messages)
        many.jobs = try batch.jobCount
        many.isSummarized = batch.isBatch
        try many.run { _ in
            nil
        } work: { input, _ in
            try task.run(.file(input))
        } report: { (_, listed: ListedFields, reporter) in
            let text = FieldListText.lines(listed, places: messages.verbose).joined(separator: "\n")
            if listed.fields.isEmpty {
                reporter.remark(text)
            } else {
                try reporter.result(text)
            }
            try reporter.result(json: listed)
            return .done
        }
    }
}

/// The field list as text: one line per field, with notes below.
private enum FieldListText {
    /// - Parameter places: whether positions on pages are listed.
    static func lines(_ listed: ListedFields, places: Bool) -> [String] {
        let count = listed.fields.count
        let counted =
            count == 0 ? "no signature fields" : "\(count) signature field\(count == 1 ? "" : "s")"
        let certified = listed.certification.map { ", certified (permits \($0.rawValue))" } ?? ""
        var lines = [Reporter.printable("\(listed.file): \(counted)\(certified)")]
        for field in listed.fields { lines += self.lines(field, places) }
        if listed.unplaced > 0 {
            lines.append("  the positions of the last \(listed.unplaced) fields were not searched")
        }
        return lines
    }

    private static func lines(_ field: ListedFields.Field, _ places: Bool) -> [String] {
        let state =
            switch field.state {
            case .empty: "empty"
            case .pending: "prepared, without signature"
            case .signed:
                (field.isTimestamp ? "timestamped" : "signed")
                    + (field.signer.map { " by \($0) (not verified here)" } ?? "")
            }
        let position =
            field.widgets.isEmpty
            ? "invisible"
            : field.widgets.map { places ? $0.place : $0.pageText }.joined(separator: " and ")
        var lines = ["  " + Reporter.printable("\(field.name): \(state), \(position)")]
        if let tooltip = field.tooltip { lines.append(fact("tooltip", tooltip)) }
        if field.required { lines.append(fact("required", "yes")) }
        if let lock = field.lock {
            let level = field.lockLevel.map { "; permits \($0.rawValue)" } ?? ""
            lines.append(fact("locks", lock + level))
        }
        for constraint in field.constraints {
            let values = constraint.values.joined(separator: " | ")
            lines.append(
                fact(
                    constraint.demanded ? "requires" : "recommends",
                    constraint.kind + (values.isEmpty ? "" : ": \(values)")))
        }
        lines += field.doubts.map { fact("problem", $0) }
        return lines + field.notes.map { fact("note", $0) }
    }

    private static func fact(_ label: String, _ value: String) -> String {
        Reporter.fact(label, value, indent: 4, width: 10)
    }
}
