import ArgumentParser

/// A frequent command that can be filled in without ArgumentParser's reflection, which takes two
/// milliseconds for each start of `sign`: a third of the whole run.
///
/// Only plain arguments are taken. Whatever else there is (abbreviations, help, mistakes) goes to
/// ArgumentParser, which knows the same options and says what is wrong.
protocol DirectlyParsed: ParsableCommand {
    /// The command with every property at its default.
    static func blank() -> Self
    mutating func set(flag: String) -> Bool
    mutating func set(option: String, to value: String) -> Bool
    /// - Returns: whether the command takes inputs.
    mutating func add(input: String) -> Bool
    /// Every check that ArgumentParser makes after parsing.
    func validateAll() throws
}

extension DirectlyParsed {
    /// The filled-in command; nil when ArgumentParser has to look.
    static func parsedDirectly(_ arguments: ArraySlice<String>) -> Self? {
        var command = blank()
        var rest = arguments
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-"), argument != "-" else {
                guard command.add(input: argument) else { return nil }
                continue
            }
            if command.set(flag: argument) { continue }
            guard argument.hasPrefix("--") || argument == "-o", let value = rest.popFirst(),
                !value.hasPrefix("-") || value == "-", command.set(option: argument, to: value)
            else { return nil }
        }
        guard (try? command.validateAll()) != nil else { return nil }
        return command
    }
}

extension OutputOptions {
    static func blank() -> Self {
        var options = Self()
        options.json = false
        options.quiet = false
        options.verbose = false
        return options
    }

    mutating func set(flag: String) -> Bool {
        switch flag {
        case "--json": json = true
        case "-q", "--quiet": quiet = true
        case "-v", "--verbose": verbose = true
        default: return false
        }
        return true
    }
}

extension PasswordOptions {
    static func blank() -> Self {
        var options = Self()
        options.passwordFile = nil
        options.passwordEnv = nil
        options.decryptKey = nil
        options.decryptCert = nil
        options.decryptPassphraseFile = nil
        options.decryptPassphraseEnv = nil
        return options
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "--password-file": passwordFile = value
        case "--password-env": passwordEnv = value
        default: return false
        }
        return true
    }
}

extension KeyOptions {
    static func blank() -> Self {
        var options = Self()
        options.key = nil
        options.identity = nil
        options.cert = nil
        options.chain = []
        options.passphrase = .blank()
        options.service = .blank()
        return options
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "--key": key = value
        case "--identity": identity = value
        case "--cert": cert = value
        case "--chain": chain.append(value)
        default: return passphrase.set(option: option, to: value)
        }
        return true
    }
}

extension PassphraseOptions {
    static func blank() -> Self {
        var options = Self()
        options.passphraseFile = nil
        options.passphraseEnv = nil
        return options
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "--passphrase-file": passphraseFile = value
        case "--passphrase-env": passphraseEnv = value
        default: return false
        }
        return true
    }
}

extension ReplaceOptions {
    static func blank() -> Self {
        var options = Self()
        options.force = false
        return options
    }
}

extension SignatureOptions {
    static func blank() -> Self {
        var options = Self()
        options.field = nil
        options.newField = false
        options.allowHidden = false
        options.allowFailed = false
        options.strict = false
        options.subfilter = nil
        options.name = nil
        options.reason = nil
        options.location = nil
        options.contact = nil
        options.digest = nil
        options.padding = nil
        options.certify = nil
        options.lock = nil
        options.lockLevel = nil
        options.atTime = nil
        options.level = nil
        return options
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "--field": field = value
        case "--name": name = value
        case "--reason": reason = value
        case "--location": location = value
        case "--contact": contact = value
        case "--digest": digest = value
        case "--padding": padding = value
        case "--subfilter": subfilter = value
        case "--certify": certify = value
        case "--lock": lock = value
        case "--lock-level": lockLevel = value
        case "--at-time": atTime = value
        case "--level": level = value
        default: return false
        }
        return true
    }
}

extension TimestampArguments {
    static func blank() -> Self {
        var options = Self()
        options.tsa = []
        options.tsaUser = nil
        options.tsaPasswordFile = nil
        options.tsaPasswordEnv = nil
        options.tsaAllowInsecureAuth = false
        options.tsaAnchor = []
        options.tsaTrust = nil
        options.tsaClientCert = nil
        options.tsaClientKey = nil
        options.tsaClientPassphraseFile = nil
        options.tsaClientPassphraseEnv = nil
        options.tsaPolicy = nil
        options.tsaTimeout = nil
        options.tsaSoapEnvelope = nil
        options.tsaSoapAction = nil
        options.tsaSoapResult = nil
        return options
    }

    /// The frequent ones.
    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "--tsa": tsa.append(value)
        case "--tsa-user": tsaUser = value
        case "--tsa-password-file": tsaPasswordFile = value
        case "--tsa-password-env": tsaPasswordEnv = value
        case "--tsa-anchor": tsaAnchor.append(value)
        case "--tsa-trust": tsaTrust = value
        case "--tsa-timeout": tsaTimeout = value
        default: return false
        }
        return true
    }
}

extension StampArguments {
    static func blank() -> Self {
        var options = Self()
        options.at = nil
        options.defaultStamp = false
        options.size = nil
        options.margin = nil
        options.rect = nil
        options.text = nil
        options.lang = nil
        options.timeZone = nil
        options.background = nil
        options.noText = false
        options.font = nil
        options.image = nil
        options.inkFromPhoto = false
        options.ink = nil
        options.mark = nil
        options.markSize = nil
        options.markText = nil
        return options
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "--at": at = value
        case "--size": size = value
        case "--margin": margin = value
        case "--rect": rect = value
        case "--text": text = value
        case "--lang": lang = value
        case "--time-zone": timeZone = value
        case "--background": background = value
        case "--font": font = value
        case "--image": image = value
        case "--ink": ink = value
        case "--mark": mark = value
        case "--mark-size": markSize = value
        case "--mark-text": markText = value
        default: return false
        }
        return true
    }
}

extension PhotoSigningArguments {
    static func blank() -> Self {
        var options = Self()
        options.asPDF = false
        options.page = nil
        options.gray = false
        options.strip = false
        return options
    }
}

extension SignCommand: DirectlyParsed {
    static func blank() -> Self {
        var place = PlaceOptions()
        place.output = nil
        place.inPlace = false
        place.skipExisting = false
        place.replace = .blank()
        var kind = SignatureKindOptions()
        kind.format = nil
        kind.dryRun = false
        kind.preview = nil
        var command = Self()
        command.inputs = []
        command.key = .blank()
        command.password = .blank()
        command.place = place
        command.kind = kind
        command.signature = .blank()
        command.stamp = .blank()
        command.timestamp = .blank()
        command.evidence = .blank()
        command.batch = .blank()
        command.photos = .blank()
        command.settings = .blank()
        command.messages = .blank()
        return command
    }

    mutating func set(flag: String) -> Bool {
        switch flag {
        case "--in-place": place.inPlace = true
        case "--force": place.replace.force = true
        case "--dry-run": kind.dryRun = true
        case "--skip-existing": place.skipExisting = true
        case "--new-field": signature.newField = true
        case "--allow-hidden": signature.allowHidden = true
        case "--allow-failed": signature.allowFailed = true
        case "--strict": signature.strict = true
        case "--no-text": stamp.noText = true
        case "--default-stamp": stamp.defaultStamp = true
        case "--ink-from-photo": stamp.inkFromPhoto = true
        default: return batch.set(flag: flag) || messages.set(flag: flag)
        }
        return true
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "-o", "--output": place.output = value
        case "--format": kind.format = value
        case "--preview": kind.preview = value
        default:
            return key.set(option: option, to: value)
                || signature.set(option: option, to: value) || stamp.set(option: option, to: value)
                || password.set(option: option, to: value)
                || timestamp.set(option: option, to: value)
                || batch.set(option: option, to: value)
                || settings.set(option: option, to: value)
        }
        return true
    }

    mutating func add(input: String) -> Bool {
        inputs.append(input)
        return true
    }

    func validateAll() throws {
        try place.validate()
        try batch.validate()
        try key.passphrase.validate()
        try key.validate()
        try password.validate()
        try signature.validate()
        try stamp.validate()
        try timestamp.validate()
        try evidence.validate()
        try photos.validate()
        try messages.validate()
        try validate()
    }
}

extension TrustOptions {
    static func blank() -> Self {
        var options = Self()
        options.trust = []
        options.chain = []
        options.saveCerts = nil
        options.signer = nil
        options.crl = []
        options.online = false
        options.atTime = nil
        return options
    }
}

extension VerifyCommand: DirectlyParsed {
    static func blank() -> Self {
        var command = Self()
        command.inputs = []
        command.trust = .blank()
        command.policies = .blank()
        command.lists = .blank()
        command.field = nil
        command.content = nil
        command.requireLevel = nil
        command.requireUnchanged = false
        command.explainLevel = false
        command.asOf = nil
        command.extractRevision = nil
        command.report = nil
        command.output = nil
        command.replace = .blank()
        command.batch = .blank()
        command.password = .blank()
        command.settings = .blank()
        command.messages = .blank()
        return command
    }

    mutating func set(flag: String) -> Bool {
        switch flag {
        case "--force": replace.force = true
        case "--online": trust.online = true
        case "--require-unchanged": requireUnchanged = true
        case "--explain-level": explainLevel = true
        default: return batch.set(flag: flag) || messages.set(flag: flag)
        }
        return true
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "--trust": trust.trust.append(value)
        case "--chain": trust.chain.append(value)
        case "--save-certs": trust.saveCerts = value
        case "--signer": trust.signer = value
        case "--at-time": trust.atTime = value
        case "--field": field = value
        case "--content": content = value
        case "--crl": trust.crl.append(value)
        case "--require-level": requireLevel = value
        case "--trust-list": lists.trustList.append(value)
        case "--require-qualified": lists.requireQualified = value
        case "--as-of": asOf = value
        case "--extract-revision": extractRevision = value
        case "--report": report = value
        case "-o", "--output": output = value
        default:
            return password.set(option: option, to: value)
                || batch.set(option: option, to: value)
                || settings.set(option: option, to: value)
        }
        return true
    }

    mutating func add(input: String) -> Bool {
        inputs.append(input)
        return true
    }

    func validateAll() throws {
        try batch.validate()
        try password.validate()
        try lists.validate()
        try messages.validate()
        try validate()
    }
}
