import Base
import CLoaded

/// A QR code with error correction level M (ISO/IEC 18004).
package struct QRCode: Sendable {
    /// A rectangle of dark modules, from the top left corner.
    package struct Block: Equatable, Sendable {
        package let column: Int
        package let row: Int
        package let width: Int
        package fileprivate(set) var height: Int
    }

    /// Modules per side, without the quiet zone: 21 to 177.
    package let width: Int
    /// All dark modules, merged into rectangles that do not overlap.
    package let blocks: [Block]

    /// Maximum size of a text in bytes: version 40-M has 2331 (§7.4.10), of which two may mark the
    /// text as UTF-8.
    package static let byteLimit = 2329
    /// Width in modules of the light margin on each side (§6.3.8).
    package static let quietZone = 4

    /// - Throws: `.limitExceeded`, or `.libraryMissing` if libqrencode is not installed.
    package init(_ text: String) throws(CodecError) {
        let bytes = Array(text.utf8)
        guard (1...Self.byteLimit).contains(bytes.count) else {
            throw CodecError(
                .limitExceeded,
                "the text of the QR code has \(bytes.count) bytes (permitted: 1 to \(Self.byteLimit))"
            )
        }
        var side: Int32 = 0
        var modules = [UInt8](repeating: 0, count: Int(CQR_WIDTH_LIMIT * CQR_WIDTH_LIMIT))
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        switch Int(unsafe CQR_encode(bytes, bytes.count, isASCII ? 1 : 0, &side, &modules)) {
        case Int(CQR_ENCODED): break
        case Int(CQR_MISSING):
            throw CodecError(
                .libraryMissing,
                "the library libqrencode.so.4 is not installed (Debian: libqrencode4)")
        default: throw CodecError(.limitExceeded, "no QR code has space for this text")
        }
        width = Int(side)
        blocks = Self.blocks(modules, width: width)
    }

    /// Runs of dark modules, merged with an equal run in the row above.
    private static func blocks(_ modules: [UInt8], width: Int) -> [Block] {
        var (finished, open): ([Block], [Block]) = ([], [])
        for row in 0..<width {
            var (runs, column) = ([Block](), 0)
            while column < width {
                let start = column
                while column < width, modules[row * width + column] == 1 { column += 1 }
                if column > start {
                    let width = column - start
                    let above = open.firstIndex { $0.column == start && $0.width == width }
                    var run = Block(column: start, row: row, width: width, height: 0)
                    if let above { run = open.remove(at: above) }
                    run.height += 1
                    runs.append(run)
                } else {
                    column += 1
                }
            }
            finished += open
            open = runs
        }
        return finished + open
    }
}
