/// The URI of a key outside this process, identified by its scheme.
package protocol KeyURI { static var scheme: String { get } }

extension KeyURI {
    /// Maximum length in bytes.
    package static var byteLimit: Int { 4096 }

    /// Whether the text has this scheme, ignoring case.
    package static func canParse(_ text: String) -> Bool {
        text.prefix(scheme.count).lowercased() == scheme
    }
}
