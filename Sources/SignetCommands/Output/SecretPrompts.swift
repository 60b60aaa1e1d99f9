import SignetKit

extension SecretQuestion {
    /// The text of the prompt on a terminal.
    var prompt: String {
        switch self {
        case .tokenPIN(let token, let subject, let left):
            let tries =
                switch left {
                case .one: "LAST TRY before the PIN is locked. "
                case .few: "Few tries are left. "
                case .usual: ""
                }
            return "\(tries)PIN of token \"\(token)\"\(Self.whose(subject)): "
        case .signaturePIN(let token, let subject):
            return "Signature PIN of token \"\(token)\"\(Self.whose(subject)), leave empty if it "
                + "is the same PIN: "
        case .decryptionPIN(let token, let subject):
            return "Decryption PIN of token \"\(token)\"\(Self.whose(subject)), leave empty if it "
                + "is the same PIN: "
        case .servicePIN(let key): return "PIN of \(key.text): "
        case .oneTimePassword(let key, let signatures, let expected):
            let which =
                expected.map {
                    ", signatures \(signatures.lowerBound) to \(signatures.upperBound) of at most "
                        + "\($0)"
                } ?? ""
            return "One-time password for \(key.text)\(which): "
        case .redirectedURL(let service, let address):
            return "To authorize at \(service), open this URL in a browser: \(address) "
                + "Then paste the URL of the page to which the browser was redirected "
                + "(input is hidden): "
        }
    }

    /// The name of the secret in messages.
    var noun: String {
        if case .redirectedURL = self { "the address of a redirect" } else { "a PIN" }
    }

    private static func whose(_ subject: String?) -> String { subject.map { " (\($0))" } ?? "" }
}

extension SecretQuestion.ServiceKey {
    fileprivate var text: String { "\"\(id)\" (\(subject)) at \(address)" }
}
