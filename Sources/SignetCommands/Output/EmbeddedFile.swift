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
        guard let text = unsafe CTexts_text(name) else { return "" }
        return unsafe String(String(cString: text).dropLast())
    }

    /// - Returns: the text of the line `key: text` of a file, found without reading the other lines.
    static func row(_ key: String, in name: String) -> String? {
        var length = 0
        guard let text = unsafe CTexts_row(name, key, &length) else { return nil }
        return unsafe String(
            decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
    }
}
