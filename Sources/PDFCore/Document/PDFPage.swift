/// A rectangle with ordered corners (ISO 32000-2 §7.9.5).
package struct PDFRectangle: Hashable, Sendable {
    package let left: Double
    package let bottom: Double
    package let right: Double
    package let top: Double

    /// Creates a rectangle from two opposite corners in any order.
    package init(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) {
        left = min(x1, x2)
        bottom = min(y1, y2)
        right = max(x1, x2)
        top = max(y1, y2)
    }

    package var width: Double { right - left }
    package var height: Double { top - bottom }

    /// The common part; `nil` if it has no area.
    package func intersection(_ other: PDFRectangle) -> PDFRectangle? {
        let (x1, x2) = (max(left, other.left), min(right, other.right))
        let (y1, y2) = (max(bottom, other.bottom), min(top, other.top))
        return x1 < x2 && y1 < y2 ? PDFRectangle(x1, y1, x2, y2) : nil
    }
}

/// A page with its inherited attributes (ISO 32000-2 §7.7.3).
package struct PDFPage {
    package let id: ObjectID
    /// The page's own entries.
    package let dictionary: PDFDictionary
    package let mediaBox: PDFRectangle
    /// The crop box within the media box; the media box if there is none.
    package let cropBox: PDFRectangle
    /// Clockwise degrees: 0, 90, 180 or 270.
    package let rotate: Int
    /// Points per unit of the page's user space.
    package let userUnit: Double
    /// Reasons why viewers may show another part of the page or rotate it differently, as text.
    package let doubts: [String]

    /// US Letter, the size that viewers show without a media box.
    private static let defaultBox = PDFRectangle(0, 0, 612, 792)

    /// Attributes that a page inherits from its ancestors (ISO 32000-2 §7.7.3.4).
    private static let inheritableKeys: [PDFName] = ["MediaBox", "CropBox", "Rotate"]

    /// - Parameter path: The page tree nodes from the page's parent to the root. `nil` if the page
    ///   was not found through the page tree.
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
        // Viewers differ on whether a null entry is replaced by an inherited one.
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

    /// Whether the nodes on the path to a page give it other attributes than its /Parent chain.
    /// Some viewers use the former, some the latter.
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

    /// The resources of the page's content, its own or inherited ones.
    package func resources(in document: PDFDocument) throws(PDFError) -> PDFDictionary {
        try Self.resources(of: dictionary, in: document)
    }

    /// The resources of a page given by its dictionary only.
    package static func resources(
        of page: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> PDFDictionary {
        let inherited = try inherited(["Resources"], page, document)
        return inherited["Resources"]?.dictionaryValue ?? PDFDictionary()
    }

    /// Values of keys, inherited from the ancestors if the page has none.
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
