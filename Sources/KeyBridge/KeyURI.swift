/// A text that names a key that is elsewhere, by its scheme.
package protocol KeyURI { static var scheme: String { get } }

extension KeyURI {
    /// The longest that is read.
    package static var byteLimit: Int { 4096 }

    /// Whether the text is meant as one: by its scheme, whatever the case.
    package static func canParse(_ text: String) -> Bool {
        text.prefix(scheme.count).lowercased() == scheme
    }
}
