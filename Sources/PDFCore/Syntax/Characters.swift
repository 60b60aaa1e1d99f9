/// Character classes (ISO 32000-2 §7.2.3).
package enum Characters {
    /// NUL, tab, line feed, form feed, carriage return, space.
    @inline(__always) package static func isWhiteSpace(_ byte: Int) -> Bool {
        switch byte {
        case 0, 9, 10, 12, 13, 32: true
        default: false
        }
    }

    /// `( ) < > [ ] { } / %`
    @inline(__always) static func isDelimiter(_ byte: Int) -> Bool {
        switch byte {
        case 40, 41, 60, 62, 91, 93, 123, 125, 47, 37: true
        default: false
        }
    }

    /// Neither white space, nor delimiter, nor the end of the input (negative).
    @inline(__always) static func isRegular(_ byte: Int) -> Bool {
        byte >= 0 && !isWhiteSpace(byte) && !isDelimiter(byte)
    }

    @inline(__always) static func isDigit(_ byte: Int) -> Bool { byte >= 48 && byte <= 57 }
}
