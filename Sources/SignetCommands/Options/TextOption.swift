import ArgumentParser

// Options are declared as text; see ``OptionValue``. The value name in the help determines the
// shell completion, unless a completion is given.

extension Option<String> {
    init(
        name: NameSpecification = .long, _ help: String, value: String,
        completion: CompletionKind? = nil
    ) {
        self.init(
            name: name, help: ArgumentHelp(help, valueName: value),
            completion: completion ?? Completion.usual[value])
    }
}

extension Option<String?> {
    init(
        name: NameSpecification = .long, parsing: SingleValueParsingStrategy = .next,
        _ help: String, value: String, completion: CompletionKind? = nil
    ) {
        self.init(
            name: name, parsing: parsing, help: ArgumentHelp(help, valueName: value),
            completion: completion ?? Completion.usual[value])
    }
}

extension Option<[String]> {
    init(
        wrappedValue: [String], parsing: ArrayParsingStrategy = .singleValue, _ help: String,
        value: String, completion: CompletionKind? = nil
    ) {
        self.init(
            wrappedValue: wrappedValue, parsing: parsing,
            help: ArgumentHelp(help, valueName: value),
            completion: completion ?? Completion.usual[value])
    }
}
