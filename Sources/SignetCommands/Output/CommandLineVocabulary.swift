import SignetKit

extension Wording {
    /// With flags and commands filled in.
    var onCommandLine: String { text(by: CommandLineVocabulary()) }
}

/// What the settings and tasks that hints of the library name are called here.
struct CommandLineVocabulary: Wording.Vocabulary {
    func name(of setting: Wording.Setting, as mention: Wording.Mention) -> String {
        let flag = Self.flags[setting] ?? Flag(setting.rawValue)
        return switch mention {
        case .name: flag.name
        case .given: flag.given
        case .value(let value): "\(flag.name) \(ShellWord.quoted(value))"
        }
    }

    func name(of task: Wording.Task) -> String {
        let command =
            switch task {
            case .createAuthority: "cert create --ca"
            case .createCertificate: "cert create --help"
            case .createTimestampCertificate: "cert create --profile tsa"
            case .digestFile: "hash digest FILE"
            case .extend(let file, let renewing):
                "extend \(ShellWord.quoted(file)) --tsa URL" + (renewing ? " --renew" : "")
            case .fetchTrustLists: "trust update"
            case .generateTokenKey: "key generate -o pkcs11:..."
            case .importIdentity: "identity import --help"
            case .listIdentities: "identity list"
            case .listPendingIdentities: "identity pending"
            case .listFields(let file): "field list \(ShellWord.quoted(file))"
            case .removeIdentity(let name): "identity remove \(ShellWord.quoted(name))"
            case .listKeys(let afterLogin): "key list" + (afterLogin ? " --login" : "")
            case .prepareRemoteSignature: "remote prepare"
            case .show(let file): "show \(ShellWord.quoted(file))"
            case .sign(let level):
                "sign" + (level.map { " --level \($0.rawValue.dropFirst(2))" } ?? "")
            case .verify(let file): "verify \(ShellWord.quoted(file))"
            }
        return "signet " + command
    }

    struct Flag {
        let name: String
        /// With what stands for its value.
        let given: String

        init(_ name: String, _ value: String? = nil) {
            self.name = name
            given = value.map { "\(name) \($0)" } ?? name
        }

        /// A secret, which comes from a file or the environment.
        static func secret(_ name: String) -> Flag {
            Flag("\(name)-file", "FILE or \(name)-env NAME")
        }
    }

    /// All settings; a test sees to it.
    static let flags: [Wording.Setting: Flag] = [
        .acceptDifferences: Flag("--accept-differences"),
        .acceptNames: Flag("--accept-names"),
        .allowDamaged: Flag("--allow-damaged"),
        .allowFailed: Flag("--allow-failed"),
        .allowHidden: Flag("--allow-hidden"),
        .alternativeNames: Flag("--san", "NAME"),
        .attached: Flag("--attached"),
        .certificate: Flag("--cert", "FILE"),
        .certification: Flag("--certify", "PERMISSION"),
        .chain: Flag("--chain", "FILE"),
        .configuration: Flag("--config", "FILE"),
        .content: Flag("--content", "FILE"),
        .days: Flag("--days", "NUMBER"),
        .decryptionCertificate: Flag("--decrypt-cert", "FILE"),
        .decryptionKey: Flag("--decrypt-key", "SOURCE"),
        .decryptionPassphrase: .secret("--decrypt-passphrase"),
        .digest: Flag("--digest", "NAME"),
        .encoding: Flag("--encoding", "NAME"),
        .field: Flag("--field", "NAME"),
        .font: Flag("--font", "FILE"),
        .force: Flag("--force"),
        .gray: Flag("--gray"),
        .hash: Flag("--hash", "HEX"),
        .identity: Flag("--identity", "NAME"),
        .image: Flag("--image", "FILE"),
        .inPlace: Flag("--in-place"),
        .include: Flag("--include", "GLOB"),
        .ink: Flag("--ink", "FILE"),
        .input: Flag("--input", "KIND"),
        .key: Flag("--key", "FILE"),
        .keyType: Flag("--type", "TYPE"),
        .level: Flag("--level", "LEVEL"),
        .keyTimeout: Flag("--key-timeout", "SECONDS"),
        .lock: Flag("--lock", "FIELDS"),
        .lockLevel: Flag("--lock-level", "PERMISSION"),
        .margin: Flag("--margin", "LENGTH"),
        .mark: Flag("--mark", "PAGES"),
        .maximumSize: Flag("--max-size", "SIZE"),
        .newPassphrase: .secret("--new-passphrase"),
        .newField: Flag("--new-field"),
        .noPassphrase: Flag("--no-passphrase"),
        .noText: Flag("--no-text"),
        .ocspResponse: Flag("--ocsp", "FILE"),
        .oneTimePassword: .secret("--otp"),
        .output: Flag("--output", "FILE"),
        .outputFolder: Flag("--output", "FOLDER"),
        .padding: Flag("--padding", "NAME"),
        .page: Flag("--page", "SIZE"),
        .passphrase: .secret("--passphrase"),
        .password: .secret("--password"),
        .pdfA: Flag("--pdfa"),
        .place: Flag("--at", "PLACE"),
        .profile: Flag("--profile", "NAME"),
        .quality: Flag("--quality", "NUMBER"),
        .reason: Flag("--reason", "TEXT"),
        .timeZone: Flag("--time-zone", "NAME"),
        .rectangle: Flag("--rect", "BOX"),
        .recursive: Flag("--recursive"),
        .requireFresh: Flag("--require-fresh"),
        .offline: Flag("--offline"),
        .revocationList: Flag("--crl", "FILE"),
        .scale: Flag("--scale", "NUMBER"),
        .serviceClient: Flag("--service-client-id", "ID"),
        .serviceClientSecret: .secret("--service-client-secret"),
        .serviceLogin: Flag("--service-user", "NAME"),
        .servicePassword: .secret("--service-password"),
        .serviceToken: .secret("--service-token"),
        .serviceTrust: Flag("--service-trust", "FILE"),
        .serviceUnencryptedLogin: Flag("--service-allow-insecure-auth"),
        .signer: Flag("--signer", "FILE"),
        .size: Flag("--size", "SIZE"),
        .skipExisting: Flag("--skip-existing"),
        .strict: Flag("--strict"),
        .strip: Flag("--strip"),
        .subfilter: Flag("--subfilter", "NAME"),
        .subject: Flag("--subject", "\"CN=...\""),
        .text: Flag("--text", "TEXT"),
        .trust: Flag("--trust", "FILE"),
        .trustAnchor: Flag("--trust-anchor", "FILE"),
        .trustListCertificate: Flag("--trust-list-cert", "FILE"),
        .tsa: Flag("--tsa", "URL"),
        .tsaAnchor: Flag("--tsa-anchor", "FILE"),
        .tsaClientCertificate: Flag("--tsa-client-cert", "FILE"),
        .tsaClientKey: Flag("--tsa-client-key", "FILE"),
        .tsaLogin: Flag("--tsa-user", "NAME"),
        .tsaPassword: .secret("--tsa-password"),
        .tsaTimeout: Flag("--tsa-timeout", "SECONDS"),
        .tsaTrust: Flag("--tsa-trust", "FILE"),
        .unencryptedLogin: Flag("--tsa-allow-insecure-auth"),
        .wait: Flag("--wait", "DURATION"),
    ]
}
