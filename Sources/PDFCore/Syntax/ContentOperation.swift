import ByteKit

/// One operation of a content stream (ISO 32000-2 §7.8.2): the operator with its operands, which
/// are told apart by kind and not by place; those of arrays are among them.
package struct ContentOperation {
    package var name = ""
    package var numbers: [Double] = []
    package var names: [PDFName] = []
    package var strings: [[UInt8]] = []

    /// Longest content that is looked at, in bytes.
    package static let byteLimit = 64 * 1024
    /// Most operands of one operation that are looked at.
    private static let operandLimit = 10_000

    /// The operations in their order; nil when the content cannot be read, is longer than a look
    /// ever is, or holds an inline image.
    package static func all(in content: [UInt8]) -> [ContentOperation]? {
        guard content.count <= byteLimit else { return nil }
        var lexer = Lexer(BlockCache(MemorySource(content)), at: 0)
        var found: [ContentOperation] = []
        var next = ContentOperation()
        var operandCount = 0
        while true {
            guard let token = try? lexer.next(), operandCount <= operandLimit else { return nil }
            operandCount += 1
            switch token {
            case .end:
                return operandCount == 1 ? found : nil
            case .integer(let value): next.numbers.append(Double(value))
            case .real(let value): next.numbers.append(value.value)
            case .name(let name): next.names.append(name)
            case .string(let string): next.strings.append(string.bytes)
            case .arrayStart, .arrayEnd, .dictionaryStart, .dictionaryEnd: break
            case .keyword(.other(let word)):
                next.name = String(decoding: word, as: UTF8.self)
                // What follows is a picture's data.
                guard next.name != "ID" else { return nil }
                found.append(next)
                next = ContentOperation()
                operandCount = 0
            case .keyword(.true), .keyword(.false), .keyword(.null): break
            case .keyword: return nil
            }
        }
    }
}
