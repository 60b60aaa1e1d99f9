import CLoaded

/// The normalized form of a password (SASLprep, RFC 4013).
package enum SASLprep {
    package enum Outcome: Equatable, Sendable {
        case prepared([UInt8])
        /// The password contains prohibited characters, or mixes text directions.
        case unsuitable
        /// libidn is not installed.
        case libraryMissing
    }

    /// The name of the missing library, for messages.
    package static let missingLibrary = "libidn.so.12 (Debian package libidn12)"

    /// - Parameter text: UTF-8.
    package static func prepare(_ text: [UInt8]) -> Outcome {
        var output: UnsafeMutablePointer<UInt8>?
        var count = 0
        switch Int(unsafe CText_saslprep(text, text.count, &output, &count)) {
        case Int(CTEXT_LOADED): break
        case Int(CTEXT_NO_STRINGPREP): return .libraryMissing
        default: return .unsuitable
        }
        defer { unsafe CText_free_secret(output, count) }
        return .prepared(unsafe Array(UnsafeBufferPointer(start: output, count: count)))
    }
}
