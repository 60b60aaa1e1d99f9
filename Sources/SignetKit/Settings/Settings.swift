import SystemBridge

/// Default values of options, in a settings file of the user.
public struct Settings: Encodable, Sendable {
    /// The available settings.
    public enum Key: String, CaseIterable, Encodable, Sendable {
        case identity, key, cert, chain
        case passphraseFile = "passphrase-file"
        case passphraseEnv = "passphrase-env"
        case tsa
        case tsaAnchor = "tsa-anchor"
        case level, digest, trust, output, reason, location
        case place = "stamp.at"
        case size = "stamp.size"
        case margin = "stamp.margin"
        case image = "stamp.image"
        case ink = "stamp.ink"
        case text = "stamp.text"
        case font = "stamp.font"
        case language = "stamp.lang"
        case timeZone = "stamp.time-zone"
        case background = "stamp.background"

        /// The option with the last part of the setting's name: `--tsa-anchor`.
        public var option: String { "--" + (rawValue.split(separator: ".").last ?? "") }

        /// Whether several values are permitted.
        var isList: Bool { [.chain, .tsa, .tsaAnchor, .trust].contains(self) }

        /// Whether values are paths relative to the settings file.
        var isPath: Bool {
            switch self {
            case .key, .cert, .chain, .passphraseFile, .tsaAnchor, .trust, .image, .ink, .font: true
            default: false
            }
        }

        /// Alternative settings. A setting in the profile also replaces these settings outside of
        /// profiles.
        var rivals: [Key] {
            switch self {
            case .identity: [.key, .cert, .chain, .passphraseFile, .passphraseEnv]
            case .key: [.identity, .cert, .chain, .passphraseFile, .passphraseEnv]
            case .passphraseFile: [.passphraseEnv]
            case .passphraseEnv: [.passphraseFile]
            case .image: [.ink]
            case .ink: [.image]
            default: []
            }
        }
    }

    /// A setting, with its location in the file.
    public struct Setting: Encodable, Sendable {
        /// The key of the setting.
        public let key: Key
        /// The value, or several values if the setting may be repeated.
        public let values: [String]
        /// Line number in the file, from 1.
        public let line: Int
        /// Profile that contains the setting; nil outside of profiles.
        public let profile: String?
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public private(set) var schema = "signet.config/1"
    /// The file that was read; nil when there is none.
    public let file: String?
    /// The selected profile; nil without one.
    public let profile: String?
    /// Settings outside of profiles, then those of the profile, each in the order of the file.
    public let settings: [Setting]

    /// Empty settings.
    public static let none = Settings(file: nil, profile: nil, settings: [])

    private init(file: String?, profile: String?, settings: [Setting]) {
        self.file = file
        self.profile = profile
        self.settings = settings
    }

    /// The default path of the settings file; nil without a home folder.
    public static var usualFile: String? {
        if let folder = ProcessEnvironment.absolutePath("XDG_CONFIG_HOME") {
            return folder + "/signet/config.toml"
        }
        return ProcessEnvironment.absolutePath("HOME").map { $0 + "/.config/signet/config.toml" }
    }

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - file: path given by the user; nil uses `SIGNET_CONFIG`, then the default file, which
    ///     need not exist.
    ///   - profile: profile whose settings have priority; nil uses `SIGNET_PROFILE`.
    /// - Throws: ``SignetError``: `.malformedInput` with the line for unknown settings, `.usage`
    ///   for a missing profile, `.credentialRefused` if other users can write the file.
    public init(file: String?, profile: String?) throws {
        let profile = profile ?? ProcessEnvironment.string("SIGNET_PROFILE").flatMap(Self.named)
        let named = file ?? ProcessEnvironment.string("SIGNET_CONFIG").flatMap(Self.named)
        guard let path = named ?? Self.usualFile, named != nil || FileSystem.exists(path) else {
            guard let profile else {
                self = .none
                return
            }
            throw SignetError(
                .usage, "the profile '\(profile)' does not exist: no settings file was found",
                hint: Self.usualFile.map { Sentence(.writeSettingsInto, $0) }
                    ?? Sentence(.writeSettingsAndName))
        }
        let bytes = try reading(path) { try FileSystem.readAll(path, limit: TOMLReader.byteLimit) }
        guard FileSystem.isOwn(path) else {
            throw SignetError(
                .credentialRefused, file: path,
                "other users can write the settings file, which controls keys and signatures",
                hint: Sentence(.protectSettings))
        }
        do {
            self = try Self.parse(bytes, file: path, profile: profile)
        } catch let failure as TOMLReader.Failure {
            throw SignetError(
                .malformedInput, file: path, "line \(failure.line): \(failure.detail)")
        }
    }

    /// The names of the profiles in the settings, sorted; empty if they cannot be read.
    ///
    /// - Parameter file: as for ``init(file:profile:)``.
    public static func profiles(file: String?) -> [String] {
        let named = file ?? ProcessEnvironment.string("SIGNET_CONFIG").flatMap(Self.named)
        guard let path = named ?? usualFile, FileSystem.isOwn(path),
            let bytes = try? FileSystem.readAll(path, limit: TOMLReader.byteLimit),
            let entries = try? TOMLReader.read(bytes)
        else { return [] }
        return Set(entries.compactMap { profileName(of: $0.path) }).sorted()
    }

    private static func profileName(of path: [String]) -> String? {
        path.first == "profile" && path.count > 2 ? path[1] : nil
    }

    private static func named(_ text: String) -> String? { text.isEmpty ? nil : text }

    /// Parses the settings.
    ///
    /// - Throws: `TOMLReader.Failure` or ``SignetError``.
    package static func parse(_ bytes: [UInt8], file: String, profile: String?) throws -> Settings {
        var common: [Setting] = []
        var own: [Setting] = []
        var profiles: Set<String> = []
        for entry in try TOMLReader.read(bytes) {
            var path = entry.path
            let name = profileName(of: path)
            if let name {
                path.removeFirst(2)
                profiles.insert(name)
            }
            let setting = try setting(path, entry, name, file)
            if name == nil {
                common.append(setting)
            } else if name == profile {
                own.append(setting)
            }
        }
        if let profile, !profiles.contains(profile) {
            let near = Spelling.nearest(to: profile, in: profiles.sorted())
            throw SignetError(
                .usage, file: file, "the profile '\(profile)' does not exist",
                hint: near.map { Sentence(.didYouMean, $0) }
                    ?? (profiles.isEmpty
                        ? Sentence(.writeProfile, profile)
                        : Sentence(.chooseProfile, profiles.sorted().joined(separator: ", "))))
        }
        let replaced = Set(own.flatMap { [$0.key] + $0.key.rivals })
        return Settings(
            file: file, profile: profile,
            settings: common.filter { !replaced.contains($0.key) } + own)
    }

    private static func setting(
        _ path: [String], _ entry: TOMLReader.Entry, _ profile: String?, _ file: String
    ) throws -> Setting {
        let name = path.joined(separator: ".")
        func failure(_ message: String, hint: Sentence? = nil) -> SignetError {
            SignetError(.malformedInput, file: file, "line \(entry.line): \(message)", hint: hint)
        }
        guard let key = Key(rawValue: name) else {
            let secrets = ["passphrase", "password", "pin", "secret", "tsa-password"]
            guard !secrets.contains(name) else {
                throw failure(
                    "settings must not contain secrets", hint: Sentence(.namePassphraseFile))
            }
            // Suggests a setting with the same last name in another table, such as `stamp.lang` for
            // `lang`.
            let last = path.last ?? name
            let near =
                [last, "stamp.\(last)"].first { Key(rawValue: $0) != nil }
                ?? Spelling.nearest(to: name, in: Key.allCases.map(\.rawValue))
            throw failure(
                "unknown setting '\(name)'", hint: near.map { Sentence(.didYouMean, $0) })
        }
        let values: [String]
        switch entry.value {
        case .string(let text): values = [text]
        case .strings(let texts) where key.isList: values = texts
        case .strings: throw failure("the setting '\(name)' must be a string, not a list")
        }
        guard values.allSatisfy({ !$0.isEmpty && !$0.contains("\0") }) else {
            throw failure("the setting '\(name)' is empty")
        }
        return Setting(
            key: key,
            values: key.isPath
                ? values.map { resolved($0, beside: file) }
                : key == .output ? values.map(withHome) : values,
            line: entry.line, profile: profile)
    }

    /// Replaces `~/` by the user's home folder, as a shell does.
    private static func withHome(_ path: String) -> String {
        guard path.hasPrefix("~/"), let home = ProcessEnvironment.absolutePath("HOME") else {
            return path
        }
        return home + path.dropFirst(1)
    }

    private static func resolved(_ path: String, beside file: String) -> String {
        let path = withHome(path)
        // URIs of tokens and services are not paths.
        guard !path.hasPrefix("/"), !OpenedKey.isElsewhere(path) else { return path }
        return FileSystem.folder(of: FileSystem.absolute(file)) + "/" + path
    }
}
