import ArgumentParser

/// Arguments that can be filled in without ArgumentParser's reflection, which takes two milliseconds
/// for each start of `sign`: a third of the whole run.
protocol DirectlyRead: ParsableArguments {
    /// Shows each option, flag and group to the reader, under the name that its declaration has for
    /// ArgumentParser.
    mutating func read(_ reader: inout DirectReader)
}

/// A frequent command that is read directly where it can be.
///
/// Only plain arguments are taken. Whatever else there is (abbreviations, help, mistakes) goes to
/// ArgumentParser, which knows the same options and says what is wrong.
protocol DirectlyParsed: ParsableCommand, DirectlyRead {}

extension DirectlyParsed {
    /// The filled-in command; nil when ArgumentParser has to look.
    static func parsedDirectly(_ arguments: ArraySlice<String>) -> Self? {
        var command = Self()
        var reader = DirectReader()
        command.read(&reader)
        var rest = arguments
        while let argument = rest.popFirst() {
            reader.look(for: argument, before: rest.first)
            command.read(&reader)
            switch reader.takenCount {
            case 1: break
            case 2: rest.removeFirst()
            default: return nil
            }
        }
        reader.check()
        command.read(&reader)
        guard reader.isComplete, (try? command.validate()) != nil else { return nil }
        return command
    }
}

/// What is done in one walk through the declarations of a command.
struct DirectReader {
    private enum Walk {
        /// Each property gets its default.
        case defaults
        /// Looks for the option or flag that a word of the command line is.
        case named
        /// Looks for what takes a word that is neither.
        case input
        /// The checks of all groups are made, as ArgumentParser does after parsing.
        case checks
    }

    private var walk = Walk.defaults
    private var word = ""
    /// The value of an option; nil where there is none, or one that ArgumentParser has to look at.
    private var value: String?
    /// How many words were taken: an option takes its value too.
    private(set) var takenCount = 0
    /// Whether nothing is missing or contradicts the rest.
    private(set) var isComplete = true

    /// Begins the walk with a word of the command line.
    mutating func look(for word: String, before next: String?) {
        walk = word.hasPrefix("-") && word != "-" ? .named : .input
        self.word = word
        value = next.flatMap { $0.hasPrefix("-") && $0 != "-" ? nil : $0 }
        takenCount = 0
    }

    /// Begins the last walk.
    mutating func check() { walk = .checks }

    mutating func flag(_ name: String, short: String? = nil, _ property: inout Flag<Bool>) {
        if walk == .defaults { property.wrappedValue = false }
        guard isNamed(name, short) else { return }
        property.wrappedValue = true
        takenCount = 1
    }

    mutating func option(
        _ name: String, short: String? = nil, _ property: inout Option<String?>
    ) {
        if walk == .defaults { property.wrappedValue = nil }
        if let value = taken(name, short) { property.wrappedValue = value }
    }

    mutating func option(_ name: String, _ property: inout Option<[String]>) {
        if walk == .defaults { property.wrappedValue = [] }
        if let value = taken(name, nil) { property.wrappedValue.append(value) }
    }

    mutating func option(
        _ name: String, _ property: inout Option<String>, default initial: String
    ) {
        if walk == .defaults { property.wrappedValue = initial }
        if let value = taken(name, nil) { property.wrappedValue = value }
    }

    /// An option that has to be given.
    mutating func required(
        _ name: String, short: String? = nil, _ property: inout Option<String>
    ) {
        if walk == .defaults { property.wrappedValue = "" }
        if let value = taken(name, short) { property.wrappedValue = value }
        if walk == .checks && property.wrappedValue.isEmpty { isComplete = false }
    }

    mutating func inputs(_ property: inout Argument<[String]>) {
        if walk == .defaults { property.wrappedValue = [] }
        guard walk == .input else { return }
        property.wrappedValue.append(word)
        takenCount = 1
    }

    mutating func group<Group: DirectlyRead>(_ property: inout OptionGroup<Group>) {
        switch walk {
        case .defaults:
            var group = Group()
            group.read(&self)
            property.wrappedValue = group
        case .named:
            guard takenCount == 0 else { return }
            var group = property.wrappedValue
            group.read(&self)
            if takenCount > 0 { property.wrappedValue = group }
        case .checks:
            var group = property.wrappedValue
            group.read(&self)
            if (try? group.validate()) == nil { isComplete = false }
        case .input:
            break
        }
    }

    private func isNamed(_ name: String, _ short: String?) -> Bool {
        guard walk == .named, takenCount == 0 else { return false }
        // Most names are of another length, which costs less to tell.
        return word.utf8.count == name.utf8.count && word == name || word == short
    }

    private mutating func taken(_ name: String, _ short: String?) -> String? {
        guard isNamed(name, short), let value else { return nil }
        takenCount = 2
        return value
    }
}
