import Base

/// Writes objects as text (ISO 32000-2 §7.3).
package enum PDFWriter {
    /// Appends an object. If a stream's data is still in the source file, only its dictionary is
    /// written: to write the whole stream, load the data first.
    package static func write(_ object: PDFObject, into output: inout [UInt8]) {
        switch object {
        case .null: output += "null".utf8
        case .boolean(let value): output += (value ? "true" : "false").utf8
        case .integer(let value): output += String(value).utf8
        case .real(let real): output += real.text
        case .string(let string): write(string, into: &output)
        case .name(let name): write(name, into: &output)
        case .reference(let id): output += "\(id.number) \(id.generation) R".utf8
        case .verbatim(let bytes): output += bytes
        case .array(let elements):
            output.append(91)
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(32) }
                write(element, into: &output)
            }
            output.append(93)
        case .dictionary(let dictionary): write(dictionary, into: &output)
        case .stream(let stream):
            guard case .data(let bytes) = stream.content else {
                write(stream.dictionary, into: &output)
                return
            }
            var dictionary = stream.dictionary
            dictionary["Length"] = .integer(bytes.count)
            write(dictionary, into: &output)
            output += "\nstream\n".utf8
            output += bytes
            output += "\nendstream".utf8
        }
    }

    /// The object as written in a file; see ``write(_:into:)`` for streams.
    package static func bytes(_ object: PDFObject) -> [UInt8] {
        var output: [UInt8] = []
        write(object, into: &output)
        return output
    }

    private static func write(_ dictionary: PDFDictionary, into output: inout [UInt8]) {
        output += "<<".utf8
        for entry in dictionary.entries {
            output.append(32)
            write(entry.key, into: &output)
            output.append(32)
            write(entry.value, into: &output)
        }
        output += " >>".utf8
    }

    /// Writes `#` and delimiters, and all bytes that are not printable ASCII, as `#xx`.
    private static func write(_ name: PDFName, into output: inout [UInt8]) {
        output.append(47)
        name.forEachByte { byte in
            if byte > 32, byte < 127, byte != 35, !Characters.isDelimiter(Int(byte)) {
                output.append(byte)
            } else {
                output.append(35)
                output += Hex.digits(of: [byte], uppercase: true)
            }
        }
    }

    private static func write(_ string: PDFString, into output: inout [UInt8]) {
        if string.isHexadecimal {
            output.append(60)
            output += Hex.digits(of: string.bytes)
            output.append(62)
            return
        }
        output.append(40)
        for byte in string.bytes {
            switch byte {
            case 40, 41, 92: output += [92, byte]
            // A bare carriage return would be read as a line feed.
            case 13: output += [92, 114]
            default: output.append(byte)
            }
        }
        output.append(41)
    }
}
