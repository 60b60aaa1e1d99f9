import Base

/// Quoting for a command line, in hints that users copy.
package enum ShellWord {
    package static func quoted(_ text: String) -> String {
        let plain = text.utf8.allSatisfy {
            $0.isASCIIAlphanumeric || "_-.,:/@%+=".utf8.contains($0)
        }
        return plain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
