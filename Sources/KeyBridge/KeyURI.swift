/// The URI of a key outside this process, identified by its scheme.
package protocol KeyURI {
    static var scheme: String { get }
    /// The place of keys that can sign, but not decrypt; nil if they can.
    static var signOnlyPlace: String? { get }
}

extension KeyURI {
    /// Maximum length in bytes.
    package static var byteLimit: Int { 4096 }

    /// Whether the text has this scheme, ignoring case.
    package static func canParse(_ text: String) -> Bool {
        text.prefix(scheme.count).lowercased() == scheme
    }
}

/// The kinds of keys outside this process.
package enum KeyURIs {
    private static var kinds: [any KeyURI.Type] {
        [PKCS11URI.self, ServiceURI.self, ProgramURI.self, ProviderURI.self]
    }

    /// The kind of a URI; nil for other texts, such as file names.
    package static func kind(of text: String) -> (any KeyURI.Type)? {
        kinds.first { $0.canParse(text) }
    }
}
