import ArgumentParser

extension HashSignatureOptions {
    static func blank() -> Self {
        var options = Self()
        options.digest = nil
        options.input = nil
        options.encoding = nil
        options.padding = nil
        options.form = nil
        return options
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "--digest": digest = value
        case "--input": input = value
        case "--encoding": encoding = value
        case "--padding": padding = value
        case "--form": form = value
        default: return false
        }
        return true
    }
}

extension HashSignCommand: DirectlyParsed {
    static func blank() -> Self {
        var command = Self()
        command.inputs = []
        command.key = ""
        command.passphrase = .blank()
        command.service = .blank()
        command.output = nil
        command.signature = .blank()
        command.replace = .blank()
        command.batch = .blank()
        command.messages = .blank()
        return command
    }

    mutating func set(flag: String) -> Bool {
        guard flag == "--force" else {
            return batch.set(flag: flag) || messages.set(flag: flag)
        }
        replace.force = true
        return true
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "--key": key = value
        case "-o", "--output": output = value
        default:
            return signature.set(option: option, to: value)
                || passphrase.set(option: option, to: value)
                || batch.set(option: option, to: value)
        }
        return true
    }

    mutating func add(input: String) -> Bool {
        inputs.append(input)
        return true
    }

    func validateAll() throws {
        guard !key.isEmpty else { throw ValidationError("A key is missing.") }
        try passphrase.validate()
        try signature.validate()
        try batch.validate()
        try messages.validate()
        try validate()
    }
}

extension CSRCreateCommand: DirectlyParsed {
    static func blank() -> Self {
        var command = Self()
        command.key = nil
        command.newKey = nil
        command.keyOut = nil
        command.noPassphrase = false
        command.passphrase = .blank()
        command.output = ""
        command.subject = nil
        command.san = []
        command.keyUsage = nil
        command.extendedKeyUsage = nil
        command.digest = nil
        command.padding = nil
        command.der = false
        command.replace = .blank()
        command.messages = .blank()
        return command
    }

    mutating func set(flag: String) -> Bool {
        switch flag {
        case "--no-passphrase": noPassphrase = true
        case "--der": der = true
        case "--force": replace.force = true
        default: return messages.set(flag: flag)
        }
        return true
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "--key": key = value
        case "--new-key": newKey = value
        case "--key-out": keyOut = value
        case "-o", "--output": output = value
        case "--subject": subject = value
        case "--san": san.append(value)
        case "--key-usage": keyUsage = value
        case "--extended-key-usage": extendedKeyUsage = value
        case "--digest": digest = value
        case "--padding": padding = value
        default: return passphrase.set(option: option, to: value)
        }
        return true
    }

    mutating func add(input: String) -> Bool { false }

    func validateAll() throws {
        guard !output.isEmpty else { throw ValidationError("An output is missing.") }
        try passphrase.validate()
        try messages.validate()
        try validate()
    }
}

extension KeyCommand.Generate: DirectlyParsed {
    static func blank() -> Self {
        var command = Self()
        command.output = ""
        command.type = "rsa:3072"
        command.noPassphrase = false
        command.alwaysAuthenticate = false
        command.passphrase = .blank()
        command.publicOut = nil
        command.replace = .blank()
        command.messages = .blank()
        return command
    }

    mutating func set(flag: String) -> Bool {
        switch flag {
        case "--no-passphrase": noPassphrase = true
        case "--always-authenticate": alwaysAuthenticate = true
        case "--force": replace.force = true
        default: return messages.set(flag: flag)
        }
        return true
    }

    mutating func set(option: String, to value: String) -> Bool {
        switch option {
        case "-o", "--output": output = value
        case "--type": type = value
        case "--public-out": publicOut = value
        default: return passphrase.set(option: option, to: value)
        }
        return true
    }

    mutating func add(input: String) -> Bool { false }

    func validateAll() throws {
        guard !output.isEmpty else { throw ValidationError("An output is missing.") }
        try passphrase.validate()
        try messages.validate()
        try validate()
    }
}
