import FoundationEssentials

/// The JSON Schemas of all outputs, from `Scripts/schema`.
enum JSONSchemas {
    /// Such as `verify-1`.
    static let names = EmbeddedFile.names.filter { $0.hasSuffix(".json") }
        .map { String($0.dropLast(5)) }

    static func text(of name: String) -> String { EmbeddedFile.text(name + ".json") }

    private struct Title: Decodable { let title: String? }

    static func title(of name: String) -> String? {
        let schema = Data(text(of: name).utf8)
        return (try? JSONDecoder().decode(Title.self, from: schema))?.title
    }
}
