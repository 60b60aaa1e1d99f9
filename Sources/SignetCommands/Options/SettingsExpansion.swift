import SignetKit
import SystemBridge

/// Converts settings to command line options.
struct SettingsExpansion {
    private let settings: Settings
    /// The command: `sign`, `cms verify`.
    private let command: String
    private let typed: Set<String>
    private let typedLevel: SignatureLevel?

    /// The arguments with options from the settings, inserted after the command, unless they were
    /// typed.
    ///
    /// - Throws: ``SignetError`` if the settings cannot be read.
    static func addingSettings(to arguments: [String]) throws -> [String] {
        let words = arguments.prefix { !$0.hasPrefix("-") }
        guard let command = commands.first(where: { words.starts(with: $0) }) else {
            return arguments
        }
        let rest = arguments.dropFirst(command.count)
        let options = rest.prefix { $0 != "--" }
        guard !options.contains("--help"), !options.contains("-h") else { return arguments }
        let settings = try Settings(
            file: value("--config", in: options), profile: value("--profile", in: options))
        guard !settings.settings.isEmpty else { return arguments }
        let expansion = SettingsExpansion(
            settings: settings, command: command.joined(separator: " "),
            typed: Set(
                options.filter { $0.hasPrefix("-") }.map { String($0.prefix { $0 != "=" }) }),
            typedLevel: value("--level", in: options).flatMap { SignatureLevel(argument: $0) })
        try expansion.checkValues()
        expansion.warnAboutWords()
        return command + expansion.options + rest
    }

    /// An invalid value is reported as an error of the settings, not of an option.
    private func checkValues() throws {
        for setting in settings.settings where isWanted(setting.key) {
            for value in setting.values {
                guard let expected = Self.expectation(of: setting.key, from: value) else {
                    continue
                }
                throw SignetError(
                    .malformedInput, file: settings.file,
                    "line \(setting.line): the value '\(value)' of '\(setting.key.rawValue)' is "
                        + "invalid: expected \(expected)")
            }
        }
    }

    /// The expected format of a value; nil if it is valid.
    private static func expectation(of key: Settings.Key, from value: String) -> String? {
        func check<Known: OptionValue>(_ type: Known.Type) -> String? {
            Known(argument: value) == nil ? Known.expected : nil
        }
        switch key {
        case .place: return check(StampPlaceArgument.self)
        case .size: return check(StampSize.self)
        case .margin: return check(Length.self)
        case .digest: return check(SigningOptions.Digest.self)
        case .level: return check(SignatureLevel.self)
        case .language: return check(Language.self)
        case .background: return check(StampBackground.self)
        case .text:
            do throws(SignetError) {
                _ = try StampTemplate(value)
                return nil
            } catch {
                return "a text template: \(error.message)"
            }
        case .timeZone:
            do {
                _ = try ClockZone.named(value)
                return nil
            } catch {
                return "a time zone such as UTC, local, +02:00 or Europe/Prague"
            }
        default: return nil
        }
    }

    /// Reports settings that become statements by the signer, such as the reason.
    private func warnAboutWords() {
        let words = settings.settings.filter { setting in
            [.reason, .location].contains(setting.key) && isWanted(setting.key)
        }.map { "\($0.key.option) \(ShellWord.quoted($0.values.joined(separator: " ")))" }
        guard !words.isEmpty, let file = settings.file else { return }
        Notices.say(.settingsUsed, file, words.joined(separator: " "))
    }

    private static let commands = [
        ["sign"], ["timestamp"], ["verify"], ["cms", "sign"], ["cms", "verify"],
        ["tsp", "send"], ["tsp", "verify"], ["extend"], ["remote", "embed"], ["field", "add"],
    ]

    private static func value(_ option: String, in arguments: ArraySlice<String>) -> String? {
        if let joined = arguments.last(where: { $0.hasPrefix(option + "=") }) {
            return String(joined.dropFirst(option.count + 1))
        }
        guard let index = arguments.lastIndex(of: option), index + 1 < arguments.endIndex else {
            return nil
        }
        return arguments[index + 1]
    }

    private var options: [String] {
        let chosen = settings.settings.filter { isWanted($0.key) }
        let hasPlace = chosen.contains { $0.key == .place }
        return chosen.flatMap { setting in
            setting.values.flatMap { [setting.key.option, $0] }
        } + (hasPlace ? ["--default-stamp"] : [])
    }

    private func isTyped(_ options: String...) -> Bool { options.contains { typed.contains($0) } }

    private func isSet(_ key: Settings.Key) -> Bool {
        settings.settings.contains { $0.key == key } && isWanted(key)
    }

    /// Whether a setting applies to this command and was not replaced by an option.
    private func isWanted(_ key: Settings.Key) -> Bool {
        if typed.contains(key.option) { return false }
        switch key {
        case .identity, .key: return makesSignatures && !isTyped("--key", "--identity")
        case .cert, .chain: return key == .chain ? isVerifying || isSet(.key) : isSet(.key)
        case .passphraseFile, .passphraseEnv:
            return (isSet(.key) || isSet(.identity))
                && !isTyped("--passphrase-file", "--passphrase-env")
        case .tsa: return (makesSignatures || takesTimestamps) && typedLevel != .b
        case .tsaAnchor: return isTyped("--tsa") || isSet(.tsa)
        case .level: return isLevelWanted
        case .digest: return makesSignatures || command == "timestamp"
        case .trust: return isVerifying || command == "extend" || requiresTrust
        case .output:
            return ["sign", "timestamp", "field add"].contains(command)
                && !isTyped("-o", "--in-place")
        case .reason, .location: return command == "sign"
        case .place: return command == "sign" && !isTyped("--rect", "--field")
        case .size, .margin: return (hasStamp || placesFields) && !isTyped("--rect")
        case .image, .ink: return hasStamp && !isTyped("--image", "--ink")
        case .language, .timeZone: return command == "sign"
        case .background: return hasStamp
        case .text, .font: return hasStamp && !isTyped("--no-text")
        }
    }

    private var makesSignatures: Bool { ["sign", "cms sign"].contains(command) }
    private var takesTimestamps: Bool {
        ["timestamp", "tsp send", "extend", "remote embed"].contains(command)
    }
    /// Whether the level requires a trusted signing certificate.
    private var requiresTrust: Bool {
        guard makesSignatures else { return false }
        return (typedLevel ?? (isWanted(.level) ? setLevel : nil) ?? .b) > .t
    }
    private var setLevel: SignatureLevel? {
        settings.settings.first { $0.key == .level }?.values.first
            .flatMap { SignatureLevel(argument: $0) }
    }
    /// Whether the level in the settings is compatible with the options.
    private var isLevelWanted: Bool {
        // The default of `extend` is B-LTA.
        if command == "extend" { return setLevel == .lt && !isTyped("--tsa", "--renew") }
        return makesSignatures && !(setLevel == .b && isTyped("--tsa"))
    }
    private var isVerifying: Bool { command.hasSuffix("verify") }
    private var hasStamp: Bool { command == "sign" && (isTyped("--at", "--rect") || isSet(.place)) }
    private var placesFields: Bool { command == "field add" && isTyped("--at") }
}
