package struct PDFVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let major: Int
    package let minor: Int

    package init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads text such as `1.7`.
    package init?(_ text: some Collection<UInt8>) {
        let digits = Array(text)
        guard digits.count >= 3, digits[1] == 46, (48...57).contains(digits[0]),
            (48...57).contains(digits[2])
        else { return nil }
        self.init(major: Int(digits[0] - 48), minor: Int(digits[2] - 48))
    }

    package static func < (left: PDFVersion, right: PDFVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    package var description: String { "\(major).\(minor)" }
}
