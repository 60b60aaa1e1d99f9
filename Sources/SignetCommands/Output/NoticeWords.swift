import Base
import SignetKit

extension Notice {
    /// On the command line.
    var text: String {
        switch self {
        case .linkNotFollowed(let path): "\(path): is a link, which is not followed; name it itself"
        case .linkLeadsNowhere(let path): "\(path): is a link that leads nowhere"
        case .folderLinkNotFollowed(let path):
            "\(path): is a link to a folder, which is not followed; name it itself"
        case .tooDeep(let folder, let limit):
            "\(folder): is not searched: over \(limit) folders in each other"
        case .cannotExchange(let path):
            "\(path): the file system cannot exchange files: what another program saves there at the "
                + "moment of the replacement is lost"
        case .cannotLock(let path):
            "\(path): cannot be locked there: nothing keeps another run from using it at the same "
                + "time, and from doing the same work"
        case .entriesWithoutPlace(let path, let count):
            "\(path): \(count) lines of an earlier version do not say in which folder their files are, "
                + "and are passed over"
        case .otherNamesKeepContent(let path, let count):
            "\(path): other names of the file (hard links: \(count)) keep its former content"
        case .attributesLost(let path, let what):
            "\(path): \(what.joined(separator: ", ")) of the file that it replaces could not be kept"
        case .outputsPassedOver(let count, let suffix):
            "passed over: \(count) called *\(suffix), as outputs are; name them, or have the outputs "
                + "elsewhere"
        case .closedToOthers(let path): "\(path): others had access to it, and have none any more"
        case .changeUnfinished(let root, let reason):
            "\(root): an interrupted change cannot be finished: \(reason)"
        case .leftoversRemoved(let root):
            "\(root): removed what an interrupted command left there"
        case .storeDamaged(let path, let reason):
            "\(path) is damaged (signet identity remove takes its last name): \(reason)"
        case .otherNames(let path, let names): Self.otherNames(path, names)
        case .requestFinished(let name, let path):
            "the request for '\(name)' was interrupted: it is finished, and is in \(path)"
        case .requestPending(let name, let path):
            "the request for '\(name)' was interrupted: it is pending, and is in \(path)"
        case .wrongPassphrase: "the passphrase is wrong, try again"
        case .wrongPassword: "the password is wrong, try again"
        case .unknownQueries(let names):
            "the PKCS#11 URI's \(names.joined(separator: ", ")) means nothing here"
        case .enterPINOnReader(let token): "enter the PIN of the token '\(token)' on its reader"
        case .givenPINNotUsed: "the PIN that the options name is not used"
        case .confirmOnReader(let token):
            "confirm on the reader of the token '\(token)' that its key is used"
        case .oneTimePasswords(let signatures, let perPassword, let passwords):
            "\(signatures) signatures, \(perPassword) for each one-time password: \(passwords) will "
                + "be asked for"
        case .words(let program, let words): "\(program): \(words)"
        case .moreWords(let program, let count): "\(program): and \(count) lines more"
        case .stampsRefused(let reason, let endsByItself):
            "time stamps are refused: \(reason); "
                + (endsByItself
                    ? "it goes on by itself when the token is back"
                    : "start the authority anew when that is mended")
        case .stampsGivenAgain: "time stamps are given again"
        case .settingsUsed(let file, let options):
            "from the settings in \(file): \(options.joined(separator: " "))"
        }
    }

    private static func otherNames(_ path: String, _ names: [String]) -> String {
        "\(path): the certificate is also for \(names.joined(separator: ", ")), which was not "
            + "requested"
    }
}

extension ExistingOutput {
    /// What is wrong with an output, by the paths of it and its input; nil for nothing.
    func words(
        isDocument: @escaping @Sendable (String) throws -> Bool
    ) -> @Sendable (String, String) -> String? {
        { output, input in
            guard let isDocument = try? isDocument(input) else { return nil }
            return doubt(about: output, of: input, isDocument: isDocument)?.text
        }
    }
}

extension ExistingOutput.Doubt {
    /// What a warning says of the output.
    var text: String {
        switch self {
        case .unreadable: "it cannot be read"
        case .otherBeginning: "it does not begin with the input"
        case .unsigned: "it is no signed version of the input"
        case .badSignature(let words): "its signature is not good: \(words)"
        case .addedAfter: "something was added after its signature"
        case .otherDocument(let words): "it is another document: \(words)"
        case .changedAfter(let words): "it was changed after its signature: \(words)"
        case .otherSigner(let name):
            "it is signed by another certificate, of \(name.inQuotes)"
        case .otherContent: "it is no signature of the input"
        }
    }
}

extension SecretQuestion {
    /// The prompt on a terminal.
    var prompt: String {
        switch self {
        case .tokenPIN(let token, let subject, let left):
            let tries =
                switch left {
                case .one: "LAST TRY before the token locks. "
                case .few: "Few tries are left. "
                case .usual: ""
                }
            return "\(tries)PIN of token \"\(token)\"\(Self.whose(subject)): "
        case .signaturePIN(let token, let subject):
            return "Signature PIN of token \"\(token)\"\(Self.whose(subject)), empty if it is the "
                + "same: "
        case .decryptionPIN(let token, let subject):
            return "PIN of token \"\(token)\"\(Self.whose(subject)) to decrypt with, empty if it "
                + "is the same: "
        case .servicePIN(let key): return "PIN of \(key.text): "
        case .oneTimePassword(let key, let signatures, let expected):
            let which =
                expected.map {
                    ", signatures \(signatures.lowerBound) to \(signatures.upperBound) of at most "
                        + "\($0)"
                } ?? ""
            return "One-time password for \(key.text)\(which): "
        }
    }

    private static func whose(_ subject: String?) -> String { subject.map { " (\($0))" } ?? "" }
}

extension SecretQuestion.ServiceKey {
    fileprivate var text: String { "\"\(id)\" (\(subject)) at \(address)" }
}
