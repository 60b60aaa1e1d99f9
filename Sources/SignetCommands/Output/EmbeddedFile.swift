import CTexts

/// The files that the program contains: words, scripts and schemas.
enum EmbeddedFile {
    /// All names, such as `german.txt`.
    static var names: [String] {
        var names: [String] = []
        while let name = unsafe CTexts_name(names.count) {
            unsafe names.append(String(cString: name))
        }
        return names
    }

    /// - Parameter name: one of ``names``.
    /// - Returns: the text without the last newline; empty if there is no such file.
    static func text(_ name: String) -> String {
        guard let index = names.firstIndex(of: name), let text = unsafe CTexts_text(index)
        else { return "" }
        return unsafe String(String(cString: text).dropLast())
    }
}
