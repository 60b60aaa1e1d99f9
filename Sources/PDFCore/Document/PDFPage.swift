/// A rectangle with ordered corners (ISO 32000-2 §7.9.5).
package struct PDFRectangle: Hashable, Sendable {
    package let left: Double
    package let bottom: Double
    package let right: Double
    package let top: Double

    /// Corners in any order.
    package init(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) {
        left = min(x1, x2)
        bottom = min(y1, y2)
        right = max(x1, x2)
        top = max(y1, y2)
    }

    package var width: Double { right - left }
    package var height: Double { top - bottom }

    /// The common part; `nil` when there is none with an area.
    package func intersection(_ other: PDFRectangle) -> PDFRectangle? {
        let (x1, x2) = (max(left, other.left), min(right, other.right))
        let (y1, y2) = (max(bottom, other.bottom), min(top, other.top))
        return x1 < x2 && y1 < y2 ? PDFRectangle(x1, y1, x2, y2) : nil
    }
}

/// A page with the attributes it inherits (ISO 32000-2 §7.7.3).
package struct PDFPage {
    package let id: ObjectID
    /// The page's own entries.
    package let dictionary: PDFDictionary
    package let mediaBox: PDFRectangle
    /// The crop box within the media box; the media box when there is none.
    package let cropBox: PDFRectangle
    /// Clockwise degrees: 0, 90, 180 or 270.
    package let rotate: Int
    /// Points for one unit of the page's space.
    package let userUnit: Double
    /// Why readers disagree which part of the page is shown, and how it is turned; for people.
    package let doubts: [String]

    /// US Letter, the page that viewers show when there is no media box.
    private static let defaultBox = PDFRectangle(0, 0, 612, 792)

    /// What a page takes from its ancestors where it lacks it itself.
    private static let inheritableKeys: [PDFName] = ["MediaBox", "CropBox", "Rotate"]

    /// - Parameter path: The nodes of the page tree that lead to the page, the last one first; nil
    ///   where it was not found over these.
    init(
        id: ObjectID, dictionary: PDFDictionary, path: [ObjectID]? = nil, document: PDFDocument
    ) throws(PDFError) {
        self.id = id
        self.dictionary = dictionary
        let inherited = try Self.inherited(Self.inheritableKeys, dictionary, document)
        var doubts: [String] = []
        let media = try Self.rectangle(inherited["MediaBox"], document)
        if media == nil {
            document.reader.warnings.add(
                .missingMediaBox, "page without a usable MediaBox", object: id)
        }
        let page = media ?? Self.defaultBox
        let crop = try Self.rectangle(inherited["CropBox"], document)
        mediaBox = page
        cropBox = crop.flatMap { $0.intersection(page) } ?? page
        for key in ["MediaBox", "CropBox"] as [PDFName] {
            guard let value = inherited[key] else { continue }
            let box = try Self.rectangle(value, document)
            if box == nil || value.arrayValue?.count != 4 {
                doubts.append("its \(key) is not four numbers around an area")
            } else if box?.intersection(page) == nil {
                doubts.append("its \(key) is off its MediaBox")
            }
        }
        // An entry that is null lets some readers inherit, and others not.
        for key in Self.inheritableKeys where inherited[key] != nil {
            if dictionary.entries.contains(where: { $0.key == key && $0.value == .null }) {
                doubts.append("its \(key) is null, and its ancestors have another")
            }
        }
        let degrees = inherited["Rotate"]?.numberValue ?? 0
        let turns = degrees.isFinite && degrees.magnitude < 1e6 ? Int(degrees / 90) % 4 : 0
        rotate = (turns + 4) % 4 * 90
        if let value = inherited["Rotate"], value.numberValue != 0,
            value.integerValue.map({ $0 % 90 != 0 }) ?? true
        {
            doubts.append("its Rotate is not a whole multiple of 90")
        }
        if let path, try Self.isDisputed(dictionary, inherited, path, document) {
            doubts.append("its Parent is not the node that lists it, and has other attributes")
        }
        let statedUnit = try document.value(dictionary, "UserUnit")
        let unit = statedUnit.numberValue ?? 1
        userUnit = unit > 0 && unit.isFinite ? unit : 1
        if statedUnit != .null, statedUnit.numberValue != userUnit {
            doubts.append("its UserUnit is not a number above 0")
        }
        self.doubts = doubts
    }

    /// Whether the nodes that lead to a page give it something else than those that it calls its
    /// ancestors: some readers ask the former, some the latter.
    private static func isDisputed(
        _ dictionary: PDFDictionary, _ inherited: [PDFName: PDFObject], _ path: [ObjectID],
        _ document: PDFDocument
    ) throws(PDFError) -> Bool {
        var values: [PDFName: PDFObject] = [:]
        var current = dictionary
        var isSame = true
        for node in path.map(Optional.some) + [nil] {
            for key in inheritableKeys + ["Resources"] where values[key] == nil {
                let value = try document.value(current, key)
                if value != .null { values[key] = value }
            }
            isSame = isSame && current["Parent"]?.referenceValue == node
            guard let node, let next = try document.object(node).dictionaryValue else { break }
            current = next
        }
        guard !isSame else { return false }
        let others = try Self.inherited(["Resources"], dictionary, document)
        return values != inherited.merging(others) { $1 }
    }

    /// The resources of the page's content, its own or those it inherits.
    package func resources(in document: PDFDocument) throws(PDFError) -> PDFDictionary {
        try Self.resources(of: dictionary, in: document)
    }

    /// The resources of a page that is not further looked at.
    package static func resources(
        of page: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> PDFDictionary {
        let inherited = try inherited(["Resources"], page, document)
        return inherited["Resources"]?.dictionaryValue ?? PDFDictionary()
    }

    /// Values of keys that a page takes from its ancestors where it lacks them itself.
    private static func inherited(
        _ keys: [PDFName], _ dictionary: PDFDictionary, _ document: PDFDocument
    ) throws(PDFError) -> [PDFName: PDFObject] {
        var values: [PDFName: PDFObject] = [:]
        var current = dictionary
        var visited: Set<ObjectID> = []
        for _ in 0..<PDFLimits.pageTreeDepth {
            for key in keys where values[key] == nil {
                let value = try document.value(current, key)
                if value != .null { values[key] = value }
            }
            guard values.count < keys.count, case .reference(let parent)? = current["Parent"] else {
                return values
            }
            guard visited.insert(parent).inserted else {
                throw PDFError(.referenceLoop, "Parent leads in a circle", object: parent)
            }
            guard case .dictionary(let next) = try document.resolve(.reference(parent)) else {
                return values
            }
            current = next
        }
        throw PDFError(
            .limitExceeded, "page tree deeper than \(PDFLimits.pageTreeDepth)",
            object: visited.first)
    }

    private static func rectangle(
        _ object: PDFObject?, _ document: PDFDocument
    ) throws(PDFError) -> PDFRectangle? {
        guard case .array(let elements)? = object, elements.count >= 4 else { return nil }
        var numbers: [Double] = []
        for element in elements.prefix(4) {
            guard let number = try document.resolve(element).numberValue, number.isFinite else {
                return nil
            }
            numbers.append(number)
        }
        let box = PDFRectangle(numbers[0], numbers[1], numbers[2], numbers[3])
        return box.width > 0 && box.height > 0 ? box : nil
    }
}
