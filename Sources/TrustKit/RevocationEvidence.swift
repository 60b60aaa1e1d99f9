package import CryptoBridge

/// Revocation lists and OCSP responses at hand, wherever they come from: their authorities sign
/// them, so that nobody else has to be believed.
package struct RevocationEvidence: Sendable {
    package private(set) var lists: [RevocationList] = []
    package private(set) var responses: [OCSPResponse] = []

    /// Most pieces that are kept of one source.
    package static let countLimit = 1000

    package init() {}

    package init(lists: [RevocationList], responses: [OCSPResponse]) {
        self.lists = lists
        self.responses = responses
    }

    package var isEmpty: Bool { lists.isEmpty && responses.isEmpty }

    package static func + (left: Self, right: Self) -> Self {
        Self(lists: left.lists + right.lists, responses: left.responses + right.responses)
    }

    /// Everything that is validly said about a certificate.
    func statements(
        about certificate: Certificate, issuer: Certificate
    ) throws(CryptoError) -> [RevocationStatement] {
        var statements: [RevocationStatement] = []
        for response in responses {
            if let found = try response.statement(about: certificate, issuer: issuer) {
                statements.append(found)
            }
        }
        for list in lists {
            if let found = try list.statement(about: certificate, issuer: issuer) {
                statements.append(found)
            }
        }
        return statements
    }
}
