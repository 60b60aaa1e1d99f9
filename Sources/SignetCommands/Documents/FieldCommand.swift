import ArgumentParser
import SignetKit

struct FieldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "field", abstract: "Add empty signature fields to PDFs, and list them.",
        discussion: """
            A field says where somebody is to sign, and may say how. Whoever signs needs no options \
            for the place: sign takes the only empty field, or the one that --field names.

            Examples:
              signet field add contract.pdf --field Buyer --at last:bottom-left \\
                  --field Seller --at last:bottom-right
              signet field list contract.fields.pdf
              signet sign contract.fields.pdf --key me.p12 --field Buyer
            """, subcommands: [FieldAddCommand.self, FieldListCommand.self])
}

struct FieldAddCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add empty signature fields for others to sign.",
        discussion: """
            The first --at is the first --field's place, the second one the second's; --at auto once \
            serves all. Without a place a field is invisible. All other options are for all fields of \
            the run. The fields come in an incremental update: what is there stays byte for byte, and \
            where a certification or a signature forbids new fields there are none. The result is \
            NAME.fields.pdf.

            What a field demands (--reason, --digest, --certify, ...) its signer has to agree to, and \
            sign refuses what does not fit.

            Examples:
              signet field add contract.pdf --field Buyer --at last:bottom-left \\
                  --field Seller --at last:bottom-right
              signet field add form.pdf --field Approval --at 1:top-right \\
                  --reason Approved --reason Rejected --lock all
              signet field add templates --recursive --field Signed --at auto -o new/
            """ + ExitStatus.help(.making))

    @Argument(help: "The PDF files.", completion: .file())
    var inputs: [String] = []

    @OptionGroup(title: "Fields") var place: FieldPlaceArguments
    @OptionGroup(title: "Demands") var demands: FieldDemandArguments
    @OptionGroup(title: "Output") var output: PlaceOptions
    @OptionGroup(title: "Output") var damage: DamageOptions
    @OptionGroup(title: "Many files") var batch: BatchOptions
    @OptionGroup(title: "Encrypted documents") var password: PasswordOptions
    @OptionGroup(title: "Settings") var settings: SettingsOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(inputs)
        try password.check(inputs: inputs + batch.standardInput)
        _ = try fields()
        try output.check(inputs: inputs)
    }

    private func fields() throws -> [NewFieldOptions] {
        guard !place.field.isEmpty else {
            throw ValidationError("Give the new field a name: --field NAME.")
        }
        guard place.field.count <= AddFields.fieldLimit else {
            throw ValidationError("Up to \(AddFields.fieldLimit) fields are added at once.")
        }
        return try zip(place.field, place.stamps()).map { name, stamp in
            var options = NewFieldOptions(name: name)
            options.stamp = stamp
            try demands.apply(to: &options)
            return options
        }
    }

    func run(_: Reporter) throws {
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
    @Option("The new field's name; repeatable.", value: "name")
    var field: [String] = []
    // `-1:top` begins with a hyphen like an option.
    @Option(
        parsing: .unconditionalSingleValue,
        """
        Where the field shows, as with sign: a page and a place (last:bottom-right, 1:20mm,30mm), \
        auto, or text:WORDS; repeatable, one for each field.
        """, value: "page:place", completion: Completion.places)
    var at: [String] = []
    @OptionGroup var extent: StampExtentOptions
    @Option(
        parsing: .unconditionalSingleValue,
        "The same in raw PDF user space, instead of --at; repeatable.", value: "page:x1,y1,x2,y2")
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
                "There are \(count) fields and \(found.count) places: give each --field its --at, "
                    + "or --at auto once for all.")
        }
        return found
    }
}

/// Requirements of new fields for their signatures.
struct FieldDemandArguments: ParsableArguments {
    @Option("What people are told who rest on the field.", value: "text")
    var tooltip: String?
    @Flag(help: "The form is not complete without this signature.")
    var required = false
    @Option(
        "The signature locks form fields: all, only:A,B or except:A,B.", value: "fields",
        completion: Completion.locks)
    var lock: String?
    @Option(
        "What the lock permits of later changes: no-changes, form-filling or annotations.",
        value: "changes", completion: .list(DocMDPPermission.names))
    var lockLevel: String?
    @Option("A reason that may be given; repeatable.", value: "text")
    var reason: [String] = []
    @Option(
        "A format of the signature: ETSI.CAdES.detached or adbe.pkcs7.detached; repeatable.",
        value: "name", completion: .list(SigningOptions.SubFilter.names))
    var subfilter: [String] = []
    @Option(
        "A hash algorithm that may be used; repeatable.", value: "name",
        completion: .list(SigningOptions.Digest.names))
    var digest: [String] = []
    @Option(
        "The signature certifies the document: no-changes, form-filling, annotations; or none.",
        value: "changes", completion: .list(DocMDPPermission.names + ["none"]))
    var certify: String?
    @Option("The time-stamping authority to be asked.", value: "url")
    var tsa: String?
    @Option("A certificate that may sign; repeatable.", value: "file")
    var signer: [String] = []
    @Option("A certificate whose subject may have issued the signer's; repeatable.", value: "file")
    var issuer: [String] = []
    @Option(
        "What the signer's certificate has in its subject: \"O=Firma,C=CZ\"; repeatable.",
        value: "name")
    var subject: [String] = []
    @Option(
        "What the signer's key is for, of X.509's names, such as nonRepudiation,...", value: "list")
    var keyUsage: String?
    @Flag(help: "Recommend reasons, formats, hashes, timestamp and signers only.")
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
        commandName: "list", abstract: "List the signature fields of PDFs, and what they demand.",
        discussion: """
            Nothing is verified: who signed is what the signature's certificate says.

            Examples:
              signet field list contract.pdf
              signet field list contract.pdf --json
            """ + ExitStatus.help(.making))

    @Argument(help: "The PDF files.", completion: .file())
    var inputs: [String] = []
    @OptionGroup(title: "Many files") var batch: BatchOptions
    @OptionGroup(title: "Encrypted documents") var password: PasswordOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(inputs)
        try password.check(inputs: inputs + batch.standardInput)
        if batch.journal != nil {
            throw ValidationError("Listing leaves nothing to be noted: leave out --journal.")
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
            try reporter.result(FieldListText.lines(listed).joined(separator: "\n"))
            try reporter.result(json: listed)
            return .done
        }
    }
}

/// The field list for people: one line each, with notes below.
private enum FieldListText {
    static func lines(_ listed: ListedFields) -> [String] {
        let count = listed.fields.count
        let counted =
            count == 0 ? "no signature fields" : "\(count) signature field\(count == 1 ? "" : "s")"
        let certified = listed.certification.map { ", certified (permits \($0.rawValue))" } ?? ""
        var lines = [Reporter.printable("\(listed.file): \(counted)\(certified)")]
        for field in listed.fields { lines += self.lines(field) }
        if listed.unplaced > 0 {
            lines.append("  where the last \(listed.unplaced) are was not looked at")
        }
        return lines
    }

    private static func lines(_ field: ListedFields.Field) -> [String] {
        let state =
            switch field.state {
            case .empty: "empty"
            case .pending: "prepared, waits for its signature"
            case .signed: "signed" + (field.signer.map { " by \($0) (not verified here)" } ?? "")
            }
        let places =
            field.widgets.isEmpty
            ? "invisible" : field.widgets.map(\.description).joined(separator: " and ")
        var lines = ["  " + Reporter.printable("\(field.name): \(state), \(places)")]
        if let tooltip = field.tooltip { lines.append(fact("tooltip", tooltip)) }
        if field.required { lines.append(fact("required", "yes")) }
        if let lock = field.lock {
            let level = field.lockLevel.map { "; permits \($0.rawValue) afterwards" } ?? ""
            lines.append(fact("locks", lock + level))
        }
        for constraint in field.constraints {
            let values = constraint.values.joined(separator: " | ")
            lines.append(
                fact(
                    constraint.demanded ? "demands" : "suggests",
                    constraint.kind + (values.isEmpty ? "" : ": \(values)")))
        }
        lines += field.doubts.map { fact("doubt", $0) }
        return lines + field.notes.map { fact("note", $0) }
    }

    private static func fact(_ label: String, _ value: String) -> String {
        Reporter.fact(label, value, indent: 4, width: 10)
    }
}
