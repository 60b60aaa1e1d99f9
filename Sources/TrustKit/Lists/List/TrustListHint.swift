/// Unverified properties of a list, taken from its beginning, for finding lists.
package struct TrustListHint: Sendable {
    package let territory: String
    package let sequence: Int

    /// How many bytes of a document to pass; real lists need a sixth of it.
    package static let byteCount = 1 << 19

    /// - Parameter start: the beginning of the document.
    package init?(_ start: [UInt8]) {
        guard let territory = Self.text(of: "SchemeTerritory", in: start, longest: 16),
            let sequence = Self.text(of: "TSLSequenceNumber", in: start, longest: 16)
                .flatMap({ Int($0) })
        else { return nil }
        self.territory = territory
        self.sequence = sequence
    }

    /// The text of the first element of that name.
    private static func text(of name: String, in bytes: [UInt8], longest: Int) -> String? {
        guard let range = bytes.firstRange(of: Array(name.utf8)),
            let start = bytes[range.upperBound...].prefix(longest * 8)
                .firstIndex(of: UInt8(ascii: ">"))
        else { return nil }
        let rest = bytes[(start + 1)...].prefix(longest * 4)
        guard let end = rest.firstIndex(of: UInt8(ascii: "<")) else { return nil }
        let text = String(decoding: rest[..<end], as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).first.map(String.init)
    }
}
