import PDFCore

/// Pages on which objects are used, as text: `page 2: content`, `page 1: image /Im0`.
struct PagePlaces {
    private var places: [Int: String] = [:]
    private var wanted: Set<Int>
    /// Pages share resources: only the first page is reported.
    private var visited: Set<ObjectID> = []

    private static let maximumResourceCount = 100_000
    /// Maximum nesting depth of form XObjects that are searched.
    private static let maximumDepth = 8

    /// - Parameters:
    ///   - numbers: the objects to find.
    ///   - remaining: the remaining number of pages to search.
    init(of numbers: Set<Int>, in document: PDFDocument, _ remaining: inout Int) throws(PDFError) {
        wanted = numbers
        let pageCount = (try? document.pageCount()) ?? 0
        for index in 0..<pageCount {
            guard !wanted.isEmpty, remaining > 0 else { return }
            remaining -= 1
            guard let page = try? document.page(at: index) else { continue }
            try search(page.dictionary, name: "page \(index + 1)", in: document)
        }
    }

    subscript(number: Int) -> String? { places[number] }

    private mutating func found(_ entry: PDFObject?, at place: String) {
        guard let id = entry?.referenceValue, wanted.remove(id.number) != nil else { return }
        places[id.number] = place
    }

    private mutating func isNew(_ entry: PDFObject) -> Bool {
        guard visited.count < Self.maximumResourceCount else { return false }
        return entry.referenceValue.map { visited.insert($0).inserted } ?? true
    }

    private mutating func search(
        _ page: PDFDictionary, name: String, in document: PDFDocument
    ) throws(PDFError) {
        found(page["Contents"], at: "\(name): content")
        for part in (try? document.value(page, "Contents"))?.arrayValue ?? [] {
            found(part, at: "\(name): content")
        }
        var stack = [(entry: page["Resources"], depth: 0)]
        while let (entry, depth) = stack.popLast() {
            found(entry, at: "\(name): fonts or images")
            guard let entry, depth <= Self.maximumDepth, isNew(entry),
                let resources = (try? document.resolve(entry))?.dictionaryValue
            else { continue }
            for category in resources.keys {
                found(resources[category], at: "\(name): fonts or images")
                guard let named = resources[category], isNew(named),
                    let list = (try? document.resolve(named))?.dictionaryValue
                else { continue }
                for key in list.keys {
                    guard let part = list[key], let id = part.referenceValue, isNew(part) else {
                        continue
                    }
                    let object = try? document.object(id)
                    let dictionary = object?.streamValue?.dictionary ?? object?.dictionaryValue
                    let kind = Self.kind(category, of: dictionary)
                    found(list[key], at: "\(name): \(kind) /\(key)")
                    if let inner = dictionary?["Resources"] { stack.append((inner, depth + 1)) }
                    // Entries such as the parts of a font or the mask of an image.
                    for part in dictionary?.keys ?? [] {
                        found(dictionary?[part], at: "\(name): \(kind) /\(key)")
                    }
                    if let descriptor = dictionary?["FontDescriptor"],
                        let parts = (try? document.resolve(descriptor))?.dictionaryValue
                    {
                        for part in parts.keys {
                            found(parts[part], at: "\(name): \(kind) /\(key)")
                        }
                    }
                }
            }
        }
    }

    private static func kind(_ category: PDFName, of dictionary: PDFDictionary?) -> String {
        switch (category, dictionary?["Subtype"]?.nameValue) {
        case ("Font", _): "font"
        case ("XObject", "Image"?): "image"
        case ("XObject", _): "drawing"
        default: category.description
        }
    }
}
