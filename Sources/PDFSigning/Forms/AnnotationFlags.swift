package import PDFCore

/// The flags of an annotation (ISO 32000-2 Table 167). Viewers disagree about some values: real
/// numbers, and integers that exceed 31 bits.
package struct AnnotationFlags {
    /// Applies only to unknown kinds of annotations.
    static let invisible = 1
    package static let hidden = 2
    static let print = 4
    static let noZoom = 8
    static let noRotate = 16
    package static let noView = 32
    package static let toggleNoView = 256
    /// The flags that determine whether and where an annotation is drawn.
    private static let placing =
        invisible | hidden | print | noZoom | noRotate | noView | toggleNoView

    /// The flags as read by viewers that accept any numeric value.
    private let value: Int
    /// Why viewers read different flags, as text; nil if all agree.
    package let doubt: String?

    package init(of annotation: PDFDictionary, in document: PDFDocument) throws(PDFError) {
        self.init(try document.value(annotation, "F"))
    }

    /// - Parameter entry: /F, resolved.
    package init(_ entry: PDFObject) {
        switch entry {
        case .null: (value, doubt) = (0, nil)
        case .integer(let flags) where (0...Int(Int32.max)).contains(flags):
            (value, doubt) = (flags, nil)
        default:
            let number = entry.numberValue ?? 0
            value = number.isFinite ? Int(max(0, min(Double(Int32.max), number))) : 0
            doubt = "its flags are \(entry.kind): some viewers display it, others do not"
        }
    }

    /// Whether at least some viewers read one of the flags as set.
    package func mayHave(_ flags: Int) -> Bool { value & flags != 0 }

    /// Whether all viewers read one of the flags as set.
    func surelyHas(_ flags: Int) -> Bool { doubt == nil && mayHave(flags) }

    /// Whether some viewers hide it on the screen.
    package var mayBeHidden: Bool { mayHave(Self.hidden | Self.noView) }

    /// The flags that determine whether and where the annotation is drawn. Ambiguous flags get a
    /// value that differs from all others.
    package var showing: Int { (doubt == nil ? 0 : 1 << 32) | value & Self.placing }
}
