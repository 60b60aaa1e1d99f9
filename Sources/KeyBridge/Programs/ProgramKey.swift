package import Base
package import CMSKit
package import CryptoBridge
internal import Synchronization
internal import SystemBridge

/// A signing program, found and executable.
package struct SignerProgram: Sendable {
    package let uri: ProgramURI
    package let path: String
    /// Time limit of one call.
    package let seconds: Double

    /// Programs that use cloud services start slowly.
    package static let usualSeconds = 60.0
    private static let signatureLimit = 64 * 1024
    private static let certificateLimit = 1 << 20
    /// Maximum number of standard error lines that are reported.
    private static let toldLineCount = 40
    /// The exit status for an unsupported request.
    private static let notOffered: Int32 = 64

    /// Finds the program, never in the current folder.
    ///
    /// - Throws: ``SigningFailure`` of kind `missing`.
    package init(_ uri: ProgramURI, seconds: Double = usualSeconds) throws {
        self.uri = uri
        self.seconds = seconds
        switch uri.program {
        case .path(let path):
            guard FileSystem.isExecutable(path) else {
                throw SigningFailure(
                    .missing, "the program \(path) does not exist",
                    hint: Sentence(.checkProgramPath))
            }
            self.path = path
        case .named(let name):
            let file = ProgramURI.prefix + name
            guard let found = FileSystem.program(file) else {
                throw SigningFailure(
                    .missing, "the program \(file) was not found in PATH",
                    hint: Sentence(.installProgram))
            }
            path = found
        }
        RunFiles.current?.willRead(path)
    }

    /// Rejects a program that other users can replace: a stored program path is not confirmed
    /// again.
    ///
    /// - Throws: ``SigningFailure`` of kind `refused`.
    package func requireUnchangeable() throws {
        guard let place = FileSystem.changeablePlace(of: path) else { return }
        throw SigningFailure(
            .refused, "other users can write \(place), and could replace the signing program",
            hint: Sentence(.protectProgram, place))
    }

    /// The certificates that it returns, the key's own first; may be empty.
    package func certificates() throws -> [Certificate] {
        guard let bytes = try ask("certificates", limit: Self.certificateLimit) else { return [] }
        guard let certificates = try? Certificate.readAll(bytes), !certificates.isEmpty else {
            throw SigningFailure(
                .unavailable, "\(path) returned no valid certificates")
        }
        return certificates
    }

    /// The public key; nil if the program does not return it.
    package func publicKey() throws -> PublicKey? {
        guard let bytes = try ask("public-key", limit: Self.certificateLimit) else { return nil }
        guard let key = try? PublicKey.read(bytes) else {
            throw SigningFailure(
                .unavailable, "\(path) returned no valid public key")
        }
        return key
    }

    /// - Returns: nil if the program does not support the request.
    private func ask(_ question: String, limit: Int) throws -> [UInt8]? {
        let outcome = try run(question, variables: [:], input: [], limit: limit)
        if outcome.status == Self.notOffered { return nil }
        try check(outcome)
        return outcome.output
    }

    func sign(_ data: [UInt8], _ variables: [String: String]) throws -> [UInt8] {
        let outcome = try run("sign", variables: variables, input: data, limit: Self.signatureLimit)
        try check(outcome)
        return outcome.output
    }

    private func run(
        _ question: String, variables: [String: String], input: [UInt8], limit: Int
    ) throws -> ChildProcess.Outcome {
        var environment = variables
        environment["SIGNET_PROTOCOL"] = "1"
        environment["SIGNET_KEY"] = uri.key
        for (name, value) in uri.others {
            environment["SIGNET_KEY_" + String(name.uppercased().map { $0 == "-" ? "_" : $0 })] =
                value
        }
        do {
            let outcome = try ChildProcess.run(
                path, [question], environment: environment,
                input: input, limit: limit, seconds: seconds)
            let lines = outcome.errors.split(separator: 0x0A)
            for line in lines.prefix(Self.toldLineCount) {
                Notices.say(.wordsOfProgram, path, String(decoding: line, as: UTF8.self))
            }
            if lines.count > Self.toldLineCount {
                Notices.say(.moreWordsOfProgram, path, "\(lines.count - Self.toldLineCount)")
            }
            return outcome
        } catch ChildProcess.Failure.notStarted(let number) {
            throw SigningFailure(
                .missing, "\(path) cannot be run (error \(number))", hint: Sentence(.checkProgram))
        } catch ChildProcess.Failure.timeout {
            throw SigningFailure(
                .removed,
                "\(path) was stopped after the time limit of \(Int(seconds.rounded(.up))) s")
        } catch {
            throw SigningFailure(.unavailable, "\(path) returned more than \(limit) bytes")
        }
    }

    private func check(_ outcome: ChildProcess.Outcome) throws {
        switch outcome.status {
        case 0?: return
        case 77?: throw SigningFailure(.refused, "\(path) refused to sign")
        case 64?:
            throw SigningFailure(.unsupported, "\(path) does not support this signature algorithm")
        case 69?:
            throw SigningFailure(
                .removed, "\(path) cannot reach the key", hint: Sentence(.tryLater))
        case 75?:
            throw SigningFailure(
                .unavailable, "\(path) cannot reach the key", hint: Sentence(.tryLater))
        case let code?:
            throw SigningFailure(.unavailable, "\(path) failed with exit status \(code)")
        case nil: throw SigningFailure(.unavailable, "\(path) was terminated by a signal")
        }
    }
}

/// A key in a program. The program receives only hashes, unless its URI requests messages.
///
/// The first signature is made alone: the program may then prompt for a secret. After a refusal no
/// further request is sent in this run.
package final class ProgramKey: DigestSigner {
    package let program: SignerProgram
    package let publicKey: PublicKey
    private let hasSigned = Atomic(false)
    private let first = Mutex(())
    /// The failure returned to all later callers without another request.
    private let failure = Mutex<SigningFailure?>(nil)
    /// Whether an unreachable signer is retried.
    private let outlastsAbsence = Atomic(false)

    package init(_ program: SignerProgram, publicKey: PublicKey) {
        self.program = program
        self.publicKey = publicKey
    }

    package var takes: SigningInput.Kind { program.uri.wantsMessage ? .messageOnly : .either }

    /// Permits retries after the program could not reach the key or timed out, for long-running
    /// processes.
    package func outlastAbsence() { outlastsAbsence.store(true, ordering: .releasing) }

    package func sign(
        _ input: SigningInput, scheme: SignatureScheme
    ) throws(SigningFailure) -> [UInt8] {
        if hasSigned.load(ordering: .acquiring) { return try ask(input, scheme) }
        return try first.withLock { _ throws(SigningFailure) in try ask(input, scheme) }
    }

    private func ask(
        _ input: SigningInput, _ scheme: SignatureScheme
    ) throws(SigningFailure) -> [UInt8] {
        if let known = failure.withLock({ $0 }) { throw known }
        do {
            let signature = try make(input, scheme)
            hasSigned.store(true, ordering: .releasing)
            return signature
        } catch {
            let isFinal =
                error.code == .refused
                || error.code == .removed && !outlastsAbsence.load(ordering: .acquiring)
            if isFinal { failure.withLock { $0 = $0 ?? error } }
            throw error
        }
    }

    private func make(
        _ input: SigningInput, _ scheme: SignatureScheme
    ) throws(SigningFailure) -> [UInt8] {
        do {
            let hashing = program.uri.wantsMessage ? nil : scheme.digest
            let data: [UInt8]
            var isMessage = false
            switch input {
            case .message(let message):
                data = try hashing?.hash(message) ?? message
                isMessage = hashing == nil
            case .digest(let digest):
                guard !program.uri.wantsMessage else {
                    throw SigningFailure(.usage, "\(program.path) signs data, not a hash")
                }
                data = digest
            }
            let answer = try program.sign(
                data,
                [
                    "SIGNET_ALGORITHM": scheme.name,
                    "SIGNET_DIGEST": scheme.digest?.rawValue ?? "none",
                    "SIGNET_INPUT": isMessage ? "message" : "digest",
                ])
            for reading in SignatureSpellings.readings(of: answer)
            where try publicKey.verify(reading, of: input, scheme) { return reading }
            throw SigningFailure.doesNotVerify
        } catch let failure as SigningFailure {
            throw failure
        } catch {
            throw SigningFailure(.unavailable, "\(error)", cause: error)
        }
    }
}
