/// Words for a person that name settings and tasks by what they are.
///
/// What to do about a failure is known where it happens; what the program at hand calls it, a flag or
/// a button, is not. So a hint says `"leave out \(.digest)"`, and whoever shows it fills in the names
/// with a ``Vocabulary``.
public struct Wording: Sendable, Hashable {
    /// Something that a person can set for a task.
    public enum Setting: String, Sendable, CaseIterable {
        case acceptDifferences, acceptNames, allowDamaged, allowFailed, allowHidden,
            alternativeNames, attached
        case certificate, certification, chain, configuration, content, days, decryptionCertificate
        case decryptionKey, decryptionPassphrase, digest, encoding, field, font, force, gray, hash,
            identity, image
        case inPlace, include, ink, input, key, keyType, level, keyTimeout, lock, lockLevel, margin,
            mark
        case maximumSize, newField, newPassphrase, noPassphrase, noText, ocspResponse,
            oneTimePassword, output
        case outputFolder, padding, page, passphrase, password, pdfA, place, profile, quality,
            reason
        case rectangle, recursive, requireFresh, offline, revocationList, scale, serviceClient,
            serviceClientSecret
        case serviceLogin, servicePassword, serviceToken, serviceTrust, serviceUnencryptedLogin
        case signer, size, skipExisting, strict, strip, subfilter, subject, text, trust, trustAnchor
        case trustListCertificate, tsa, tsaAnchor, tsaClientCertificate, tsaClientKey, tsaLogin
        case timeZone
        case tsaPassword, tsaTimeout, tsaTrust, unencryptedLogin, wait
    }

    /// Something that a person can have done.
    public enum Task: Sendable, Hashable {
        case createAuthority, createCertificate, createTimestampCertificate
        case digestFile
        /// Raises a document to the next level.
        case extend(file: String, renewing: Bool)
        case fetchTrustLists
        case generateTokenKey
        case importIdentity, listIdentities, listPendingIdentities
        case listFields(file: String)
        case removeIdentity(name: String)
        case listKeys(afterLogin: Bool)
        case prepareRemoteSignature
        case show(file: String)
        /// To a level, where one is named.
        case sign(level: SignatureLevel?)
        case verify(file: String)
    }

    /// How a setting is named in a sentence.
    public enum Mention: Sendable, Hashable {
        /// By its name alone.
        case name
        /// As something to give, with what stands for its value.
        case given
        /// Set to a value.
        case value(String)
    }

    /// A piece of a sentence.
    public enum Part: Sendable, Hashable {
        case words(String)
        case setting(Setting, Mention)
        case task(Task)
        case advice(Advice)
    }

    /// What a program calls settings and tasks.
    public protocol Vocabulary: Sendable {
        func name(of setting: Setting, as mention: Mention) -> String
        func name(of task: Task) -> String
        func words(for advice: Advice) -> Wording
    }

    /// In the order of the sentence.
    public private(set) var parts: [Part]

    /// Words that name no setting.
    public init(_ words: String) { parts = [.words(words)] }

    /// The words for an advice, which whoever shows it has.
    public init(_ advice: Advice) { parts = [.advice(advice)] }

    /// The words with the program's names filled in.
    public func text(by vocabulary: some Vocabulary) -> String {
        parts.map { part in
            switch part {
            case .words(let words): words
            case .setting(let setting, let mention): vocabulary.name(of: setting, as: mention)
            case .task(let task): vocabulary.name(of: task)
            case .advice(let advice): vocabulary.words(for: advice).text(by: vocabulary)
            }
        }.joined()
    }

    public static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.parts += right.parts
        return sum
    }
}

extension Wording: ExpressibleByStringInterpolation {
    public init(stringLiteral words: String) { self.init(words) }

    public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

    /// Takes facts, settings and tasks in a literal.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var parts: [Part] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            parts.reserveCapacity(2 * interpolationCount + 1)
        }

        public mutating func appendLiteral(_ words: String) {
            if !words.isEmpty { parts.append(.words(words)) }
        }

        public mutating func appendInterpolation(_ fact: some CustomStringConvertible) {
            appendLiteral(fact.description)
        }

        public mutating func appendInterpolation(_ wording: Wording) { parts += wording.parts }

        /// Names the setting.
        public mutating func appendInterpolation(_ setting: Setting) {
            parts.append(.setting(setting, .name))
        }

        /// Names the setting with a value.
        public mutating func appendInterpolation(_ setting: Setting, _ value: String) {
            parts.append(.setting(setting, .value(value)))
        }

        /// Tells to give the setting.
        public mutating func appendInterpolation(giving setting: Setting) {
            parts.append(.setting(setting, .given))
        }

        /// Names the task as something to do.
        public mutating func appendInterpolation(task: Task) { parts.append(.task(task)) }
    }
}

extension Wording: CustomStringConvertible {
    /// For programs without names of their own.
    public var description: String { text(by: PlainVocabulary()) }

    private struct PlainVocabulary: Vocabulary {
        func name(of setting: Setting, as mention: Mention) -> String {
            guard case .value(let value) = mention else { return setting.rawValue }
            return "\(setting.rawValue) \(value)"
        }

        func name(of task: Task) -> String { "\(task)" }
        func words(for advice: Advice) -> Wording { Wording(String(describing: advice)) }
    }
}

extension Wording: Encodable {
    /// Where an encoder's user info has the ``Vocabulary``.
    public static let vocabularyKey = CodingUserInfoKey(rawValue: "vocabulary")

    public func encode(to encoder: any Encoder) throws {
        let vocabulary = Self.vocabularyKey.flatMap { encoder.userInfo[$0] as? any Vocabulary }
        var container = encoder.singleValueContainer()
        try container.encode(vocabulary.map { text(by: $0) } ?? description)
    }
}
