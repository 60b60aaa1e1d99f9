import PDFCore
import TextBridge

/// The standards that a document claims to conform to, by its XMP metadata (ISO 16684-1). Nothing
/// is checked.
struct DocumentClaims {
    /// Claims such as `PDF/A-3b`, `PDF/UA-1` and `Factur-X (BASIC)`.
    let names: [String]

    /// Larger metadata is not read.
    private static let byteLimit = 4 << 20
    /// Namespaces of invoice metadata, without their versions.
    private static let invoices = [
        ("urn:factur-x:", "Factur-X"), ("urn:zugferd:", "ZUGFeRD"), ("urn:ferd:", "ZUGFeRD"),
    ]

    init(of document: PDFDocument) {
        guard let catalog = try? document.catalog(),
            let stream = try? document.value(catalog, "Metadata").streamValue,
            let bytes = try? document.decodedData(of: stream, upTo: Self.byteLimit)
        else {
            names = []
            return
        }
        let properties = Properties()
        // Properties before a syntax error are kept.
        try? XMLReader.read(bytes, byteLimit: Self.byteLimit, into: properties)
        func value(_ local: String, _ namespace: String) -> String? {
            properties.values.first {
                $0.name.local == local && $0.name.namespace.hasPrefix(namespace)
            }?
            .value
        }
        var names: [String] = []
        if let part = value("part", "http://www.aiim.org/pdfa/ns/id/") {
            let level = value("conformance", "http://www.aiim.org/pdfa/ns/id/") ?? ""
            names.append("PDF/A-\(part)\(level.lowercased())")
        }
        if let part = value("part", "http://www.aiim.org/pdfua/ns/id/") {
            names.append("PDF/UA-\(part)")
        }
        for (namespace, name) in Self.invoices {
            guard let level = value("ConformanceLevel", namespace) else { continue }
            names.append("\(name) (\(level))")
        }
        self.names = names
    }

    /// Collects simple properties, written as attributes or as elements.
    private final class Properties: XMLHandler {
        private(set) var values: [(name: XMLName, value: String)] = []
        private var open: [(name: XMLName, text: String)] = []
        private static let limit = 10_000

        func start(_ element: XMLElement) {
            for attribute in element.attributes { note(attribute.name, value: attribute.value) }
            open.append((element.name, ""))
        }

        func text(_ text: String) {
            if !open.isEmpty { open[open.count - 1].text += text }
        }

        func end() {
            guard let (name, text) = open.popLast() else { return }
            note(name, value: text)
        }

        private func note(_ name: XMLName, value: String) {
            let value = String(
                value.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            guard !value.isEmpty, value.count <= 80, values.count < Self.limit else { return }
            values.append((name, value))
        }
    }
}
