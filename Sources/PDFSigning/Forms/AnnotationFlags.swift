package import PDFCore

/// The flags of an annotation (ISO 32000-2 Table 167), and whether viewers agree on them: some take a
/// real number for flags, others take what is no integer of 31 bits for none.
package struct AnnotationFlags {
    /// Concerns unknown kinds of annotations only.
    static let invisible = 1
    package static let hidden = 2
    static let print = 4
    static let noZoom = 8
    static let noRotate = 16
    package static let noView = 32
    package static let toggleNoView = 256
    /// What decides where an annotation is drawn.
    private static let placing =
        invisible | hidden | print | noZoom | noRotate | noView | toggleNoView

    /// As viewers have them that take any number.
    private let value: Int
    /// Why other viewers have others, for people; nil when all agree.
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
            doubt = "its flags are \(entry.kind): viewers disagree whether it is seen"
        }
    }

    /// Whether one of the flags is set, at least for some viewers.
    package func mayHave(_ flags: Int) -> Bool { value & flags != 0 }

    /// Whether one of the flags is set for all viewers.
    func surelyHas(_ flags: Int) -> Bool { doubt == nil && mayHave(flags) }

    /// Whether some viewers hide it, on the screen at least.
    package var mayBeHidden: Bool { mayHave(Self.hidden | Self.noView) }

    /// What decides where it is drawn. Those on which viewers disagree are like no others.
    package var showing: Int { (doubt == nil ? 0 : 1 << 32) | value & Self.placing }
}
