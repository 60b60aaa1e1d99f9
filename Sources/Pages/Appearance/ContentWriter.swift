import PDFCore

/// Writes content stream operators (ISO 32000-2 §7.8.2).
struct ContentWriter {
    private(set) var bytes: [UInt8] = []

    mutating func line(_ operation: String) { bytes += Array(operation.utf8) + [0x0A] }

    mutating func line(_ operands: [Double], _ operation: String) {
        line(operands.map(Self.number).joined(separator: " ") + " " + operation)
    }

    mutating func line(_ name: String, _ operands: [Double], _ operation: String) {
        line(name + " " + operands.map(Self.number).joined(separator: " ") + " " + operation)
    }

    mutating func line(_ name: String, _ operand: PDFObject, _ operation: String) {
        bytes += Array((name + " ").utf8)
        line(operand, operation)
    }

    mutating func line(_ operand: PDFObject, _ operation: String) {
        PDFWriter.write(operand, into: &bytes)
        line(" " + operation)
    }

    mutating func append(_ operators: [UInt8]) { bytes += operators }

    static func number(_ value: Double) -> String {
        var bytes: [UInt8] = []
        PDFWriter.write(.number(value), into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
