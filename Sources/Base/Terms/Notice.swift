/// What a person should hear of although nothing failed; whoever shows it has the words.
public enum Notice: Sendable, Hashable {
    // MARK: Files

    /// Links that a search does not follow.
    case linkNotFollowed(path: String), linkLeadsNowhere(path: String)
    /// A link to a folder, and folders in more others than are searched.
    case folderLinkNotFollowed(path: String), tooDeep(folder: String, limit: Int)
    /// What is saved in a file at the moment of its replacement is lost there, and who uses one at the
    /// same time is not kept away.
    case cannotExchange(path: String), cannotLock(path: String)
    /// Lines of a journal that do not say in which folder their files are.
    case entriesWithoutPlace(path: String, count: Int)
    /// Hard links of a file that was replaced.
    case otherNamesKeepContent(path: String, count: Int)
    /// - Parameter what: owner, group, permissions and the like.
    case attributesLost(path: String, what: [String])
    /// Files that are named like outputs.
    case outputsPassedOver(count: Int, suffix: String)
    /// A secret was open to others, and is not any more.
    case closedToOthers(path: String)

    // MARK: Identities

    /// - Parameter reason: what failed.
    case changeUnfinished(root: String, reason: String)
    case leftoversRemoved(root: String)
    case storeDamaged(path: String, reason: String)
    /// A certificate came for more names than were requested.
    case otherNames(path: String, names: [String])
    /// A request that was interrupted, and where it is now.
    case requestFinished(name: String, path: String), requestPending(name: String, path: String)

    // MARK: Keys

    case wrongPassphrase, wrongPassword
    /// Attributes of a PKCS#11 URI that are not known.
    case unknownQueries([String])
    case enterPINOnReader(token: String)
    /// The reader asks for the PIN that is given already.
    case givenPINNotUsed
    case confirmOnReader(token: String)
    /// - Parameters:
    ///   - perPassword: signatures for each one-time password.
    ///   - passwords: that will be asked for.
    case oneTimePasswords(signatures: Int, perPassword: Int, passwords: Int)
    /// What a program that signs wrote to its standard error.
    case words(program: String, String)
    /// - Parameter count: of lines that it wrote besides.
    case moreWords(program: String, count: Int)

    // MARK: Time stamps

    /// - Parameter endsByItself: when the token is back; else the authority has to be started anew.
    case stampsRefused(reason: String, endsByItself: Bool)
    case stampsGivenAgain

    // MARK: Settings

    /// What the settings in a file have a signature say.
    case settingsUsed(file: String, options: [String])
}

/// A secret that a person is asked for.
public enum SecretQuestion: Sendable, Hashable {
    /// How many wrong PINs a token still takes.
    public enum TriesLeft: Sendable {
        case usual, few, one
    }

    /// The PIN that opens a token.
    ///
    /// - Parameter subject: whose key it is, if that is known.
    case tokenPIN(token: String, subject: String?, TriesLeft)
    /// The PIN that confirms each signature; empty where it is the one that opens the token.
    case signaturePIN(token: String, subject: String?)
    /// The PIN that confirms that a document is decrypted; empty where it is the one that opens the
    /// token.
    case decryptionPIN(token: String, subject: String?)
    /// The PIN of a key at a signing service.
    case servicePIN(key: ServiceKey)
    /// - Parameters:
    ///   - signatures: those that it is for, from 1.
    ///   - expected: how many there will be at most, where that is known.
    case oneTimePassword(key: ServiceKey, signatures: ClosedRange<Int>, expected: Int?)

    /// A key at a signing service.
    public struct ServiceKey: Sendable, Hashable {
        /// Of the credential.
        public let id: String
        /// Whose key it is.
        public let subject: String
        /// Where the service is.
        public let address: String

        /// A key as the service names it.
        public init(id: String, subject: String, address: String) {
            self.id = id
            self.subject = subject
            self.address = address
        }
    }
}
