import ArgumentParser

/// Parses simple arguments without the reflection of ArgumentParser, which would be two thirds of
/// the instructions of a small `sign`.
///
/// Commands are `Decodable`, and the keys of their properties are the names of their options.
/// ArgumentParser handles abbreviations, help and errors.
final class PlainArguments {
    private struct NotPlain: Error {}

    private struct Word {
        let text: String
        /// The property of the option; nil for values.
        var property: String?
        /// Whether it is the value in `--name=value`.
        var isJoined = false
        var isTaken = false
    }

    private var words: [Word] = []
    /// The words that are not options. Each option is assumed to have a value until all properties
    /// are decoded.
    private var inputs: [String] = []
    private var nextInput = 0

    private var flag = Flag<Bool>(wrappedValue: false)
    private var option = Option<String?>()
    private var list = Option<[String]>()

    /// The command in the arguments; nil if ArgumentParser must parse them.
    static func command(_ arguments: [String]) -> (any ParsableCommand)? {
        var type: any ParsableCommand.Type = Signet.self
        var words = arguments[...]
        while let word = words.first,
            let next = type.configuration.subcommands.first(where: {
                $0.configuration.commandName == word
            })
        {
            type = next
            words.removeFirst()
        }
        return type.configuration.subcommands.isEmpty ? try? decode(type, words) : nil
    }

    private static func decode<Command: ParsableCommand>(
        _ type: Command.Type, _ words: ArraySlice<String>
    ) throws -> Command {
        let arguments = try PlainArguments(words)
        let source = Source(arguments: arguments)
        var command = try Command(from: source)
        if try arguments.changesInputs() { command = try Command(from: source) }
        guard arguments.nextInput == arguments.inputs.count else { throw NotPlain() }
        try command.validate()
        return command
    }

    private init(_ arguments: ArraySlice<String>) throws {
        for argument in arguments {
            guard argument.hasPrefix("-") && argument != "-" else {
                words.append(Word(text: argument))
                continue
            }
            let parts = argument.split(
                separator: "=", maxSplits: argument.hasPrefix("--") ? 1 : 0,
                omittingEmptySubsequences: false)
            guard let property = Self.property(parts[0]) else { throw NotPlain() }
            words.append(Word(text: argument, property: property))
            if parts.count > 1 { words.append(Word(text: String(parts[1]), isJoined: true)) }
        }
        for (index, word) in words.enumerated()
        where word.property == nil && (index == 0 || words[index - 1].property == nil) {
            inputs.append(word.text)
        }
        flag.wrappedValue = false
        option.wrappedValue = nil
        list.wrappedValue = []
    }

    /// The property name of an option, as ArgumentParser derives it; nil for other words.
    private static func property(_ option: Substring) -> String? {
        switch option {
        case "-o": return "output"
        case "-q": return "quiet"
        case "-v": return "verbose"
        default: break
        }
        guard option.hasPrefix("--") else { return nil }
        var name = ""
        for part in option.dropFirst(2).split(separator: "-", omittingEmptySubsequences: false) {
            guard part.count > 1, let first = part.first, first.isLowercase,
                part.allSatisfy({ !$0.isUppercase })
            else { return nil }
            name += name.isEmpty ? String(part) : first.uppercased() + part.dropFirst()
        }
        return name
    }

    /// Whether the remaining words differ from the decoded inputs.
    private func changesInputs() throws -> Bool {
        let others = words.filter { !$0.isTaken }
        guard others.allSatisfy({ $0.property == nil && !$0.isJoined }) else { throw NotPlain() }
        let texts = others.map(\.text)
        guard texts != inputs else { return false }
        inputs = texts
        nextInput = 0
        return true
    }

    fileprivate func decode<Property: Decodable>(
        _ type: Property.Type, _ name: String
    ) throws -> Property {
        if type == Option<String?>.self {
            var option = option
            if let value = try values(name).last { option.wrappedValue = value }
            return try same(option)
        }
        if type == Flag<Bool>.self {
            var flag = flag
            if isNamed(name) { flag.wrappedValue = true }
            return try same(flag)
        }
        if type == Option<[String]>.self {
            var list = list
            list.wrappedValue = try values(name)
            return try same(list)
        }
        if type == Option<String>.self {
            guard let value = try values(name).last else { throw NotPlain() }
            var option = Option<String>()
            option.wrappedValue = value
            return try same(option)
        }
        if type == Argument<[String]>.self {
            var argument = Argument<[String]>()
            argument.wrappedValue = Array(inputs[min(nextInput, inputs.count)...])
            nextInput = max(inputs.count, nextInput + 1)
            return try same(argument)
        }
        if type == Argument<String>.self {
            var argument = Argument<String>()
            argument.wrappedValue = nextInput < inputs.count ? inputs[nextInput] : ""
            nextInput += 1
            return try same(argument)
        }
        return try Property(from: Source(arguments: self))
    }

    private func same<Property, Other>(_ property: Property) throws -> Other {
        guard let other = property as? Other else { throw NotPlain() }
        return other
    }

    private func isNamed(_ name: String) -> Bool {
        var isNamed = false
        for index in words.indices where words[index].property == name {
            words[index].isTaken = true
            isNamed = true
        }
        return isNamed
    }

    private func values(_ name: String) throws -> [String] {
        var values: [String] = []
        for index in words.indices where words[index].property == name {
            let next = index + 1
            guard next < words.count, words[next].property == nil else { throw NotPlain() }
            words[index].isTaken = true
            words[next].isTaken = true
            values.append(words[next].text)
        }
        return values
    }

    /// A structure, because casts of classes in ArgumentParser load Foundation: 3% of the
    /// instructions of a small `sign`.
    private struct Source: Decoder {
        let arguments: PlainArguments
        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
            KeyedDecodingContainer(Properties(arguments: arguments))
        }

        func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotPlain() }

        func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NotPlain() }
    }

    private struct Properties<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let arguments: PlainArguments

        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }

        func decodeNil(forKey key: Key) -> Bool { false }

        func decode<Property: Decodable>(
            _ type: Property.Type, forKey key: Key
        ) throws -> Property {
            try arguments.decode(type, key.stringValue)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw NotPlain() }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw NotPlain()
        }

        func superDecoder() throws -> any Decoder { throw NotPlain() }

        func superDecoder(forKey key: Key) throws -> any Decoder { throw NotPlain() }
    }
}
