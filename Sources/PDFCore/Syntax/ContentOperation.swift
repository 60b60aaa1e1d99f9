/// One operation of a content stream (ISO 32000-2 §7.8.2): the operator with its operands,
/// including the elements of arrays and dictionaries.
package struct ContentOperation {
    package enum Operand {
        case number(Double)
        case name(PDFName)
        case string([UInt8])
        case arrayStart
        case arrayEnd
        /// An operand that no text or path operator has.
        case other

        fileprivate var kind: Character {
            switch self {
            case .number: "n"
            case .name: "/"
            case .string: "s"
            case .arrayStart: "["
            case .arrayEnd: "]"
            case .other: "o"
            }
        }
    }

    /// The operator; `BI` for a whole inline image, whose operands are its entries.
    package var name = ""
    package var operands: [Operand] = []

    package var numbers: [Double] {
        operands.compactMap { if case .number(let value) = $0 { value } else { nil } }
    }

    package var names: [PDFName] {
        operands.compactMap { if case .name(let value) = $0 { value } else { nil } }
    }

    package var strings: [[UInt8]] {
        operands.compactMap { if case .string(let value) = $0 { value } else { nil } }
    }

    /// Whether the operands have the number and kinds that the operator requires (ISO 32000-2
    /// Annex A). Of too many operands, some viewers use the first ones and others the last ones.
    package var hasUsualOperands: Bool {
        let kinds = String(operands.map(\.kind))
        switch name {
        case "TJ":
            return kinds.hasPrefix("[") && kinds.hasSuffix("]")
                && kinds.dropFirst().dropLast().allSatisfy { "ns".contains($0) }
        case "d":
            return kinds.hasPrefix("[") && kinds.hasSuffix("]n")
                && kinds.dropFirst().dropLast(2).allSatisfy { $0 == "n" }
        case "BDC", "DP": return kinds.first == "/"
        default: return Self.usualOperands[name].map { $0 == kinds } ?? true
        }
    }

    /// The kinds of operands that an operator requires; see ``Operand/kind``.
    private static let usualOperands: [String: String] = {
        var found: [String: String] = [:]
        let operators = [
            "": "q Q BT ET T* h W W* n S s f F f* B B* b b* EMC BX EX",
            "n": "TL Tc Tw Tr Tz Ts w J j M i g G", "nn": "Td TD m l", "nnn": "rg RG",
            "nnnn": "k K re v y", "nnnnnn": "cm Tm c", "s": "Tj '", "nns": "\"",
            "/": "Do BMC MP ri CS cs gs sh", "/n": "Tf",
        ]
        for (kinds, names) in operators {
            for name in names.split(separator: " ") { found[String(name)] = kinds }
        }
        return found
    }()

    /// Default maximum length of analyzed content, in bytes.
    package static let byteLimit = 64 * 1024

    /// Maximum length in bytes of a string that all viewers read completely (ISO 32000-1 Annex C).
    private static let stringByteLimit = 32_767

    /// The operations in sequence; `nil` if the content is ambiguous or too long, or contains an
    /// inline image.
    package static func all(
        in content: [UInt8], upTo limit: Int = byteLimit
    ) -> [ContentOperation]? {
        guard content.count <= limit else { return nil }
        var reader = ContentReader(content)
        var found: [ContentOperation] = []
        while reader.isReadable, let operation = reader.next() {
            guard operation.name != "BI",
                operation.strings.allSatisfy({ $0.count <= stringByteLimit })
            else { return nil }
            found.append(operation)
        }
        return reader.isReadable && !reader.hasOddStrings ? found : nil
    }
}
