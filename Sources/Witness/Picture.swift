/// A page drawn by a viewer: 8 bits for each of red, green and blue.
package struct Picture: Equatable, Sendable {
    package let width: Int
    package let height: Int
    /// Three bytes for each pixel, row by row from the top.
    let pixels: ArraySlice<UInt8>

    /// Maximum side of a picture, in pixels, and maximum length of a number in the header, in
    /// digits.
    private static let (largestSide, digitLimit) = (20_000, 6)

    /// The pictures in a series of binary portable pixmaps (Netpbm's `ppm(5)`). Nil if the format
    /// is wrong.
    static func all(in bytes: [UInt8]) -> [Picture]? {
        var found: [Picture] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let picture = Picture(takingFrom: &rest) else { return nil }
            found.append(picture)
        }
        return found
    }

    private init?(takingFrom rest: inout ArraySlice<UInt8>) {
        guard rest.starts(with: [UInt8(ascii: "P"), UInt8(ascii: "6")]) else { return nil }
        rest = rest.dropFirst(2)
        var numbers: [Int] = []
        while numbers.count < 3 {
            guard let number = Self.number(&rest) else { return nil }
            numbers.append(number)
        }
        // One byte of white space ends the header.
        rest = rest.dropFirst()
        guard numbers[2] == 255, (1...Self.largestSide).contains(numbers[0]),
            (1...Self.largestSide).contains(numbers[1])
        else { return nil }
        (width, height) = (numbers[0], numbers[1])
        let count = width * height * 3
        guard rest.count >= count else { return nil }
        pixels = rest.prefix(count)
        rest = rest.dropFirst(count)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
        while let byte = rest.first {
            if byte == UInt8(ascii: "#") {
                rest = rest.drop { $0 != 10 }
            } else if byte == 32 || (9...13).contains(byte) {
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        let digits = rest.prefix { (48...57).contains($0) }
        guard digits.count <= digitLimit else { return nil }
        rest = rest.dropFirst(digits.count)
        return Int(String(decoding: digits, as: UTF8.self))
    }

    init(width: Int, height: Int, pixels: [UInt8]) {
        (self.width, self.height, self.pixels) = (width, height, pixels[...])
    }

    /// Lightness of each pixel, 0 to 255.
    var lightness: [UInt8] {
        var found: [UInt8] = []
        found.reserveCapacity(width * height)
        var index = pixels.startIndex
        while index + 2 < pixels.endIndex {
            let (red, green, blue) = (pixels[index], pixels[index + 1], pixels[index + 2])
            found.append(UInt8((Int(red) * 77 + Int(green) * 151 + Int(blue) * 28) >> 8))
            index += 3
        }
        return found
    }

    /// A copy with some boxes white, given as fractions of width and height from the upper left
    /// corner.
    package func masked(
        _ boxes: [(left: Double, top: Double, right: Double, bottom: Double)]
    ) -> Picture {
        guard !boxes.isEmpty else { return self }
        var copy = Array(pixels)
        for box in boxes {
            let columns = Self.pixels(box.left, box.right, of: width)
            for row in Self.pixels(box.top, box.bottom, of: height) {
                let start = (row * width + columns.lowerBound) * 3
                for index in start..<(start + columns.count * 3) { copy[index] = 255 }
            }
        }
        return Picture(width: width, height: height, pixels: copy)
    }

    /// The pixels between two positions on a side, given as fractions of its length.
    static func pixels(_ start: Double, _ end: Double, of count: Int) -> Range<Int> {
        func pixel(_ part: Double) -> Int { Int((max(0, min(1, part)) * Double(count)).rounded()) }
        return pixel(start)..<max(pixel(start), pixel(end))
    }

    /// Whether the pictures of two viewers clearly differ: several cells differ in lightness, also
    /// from the adjacent cells. Different fonts and antialiasing cause smaller differences.
    package func clearlyDiffers(from other: Picture) -> Bool {
        guard abs(width - other.width) <= Self.cellSize, abs(height - other.height) <= Self.cellSize
        else { return true }
        let (mine, others) = (cells, other.cells)
        let columns = min(mine.columns, others.columns)
        let rows = min(mine.values.count / mine.columns, others.values.count / others.columns)
        var count = 0
        for row in 0..<rows {
            for column in 0..<columns {
                let value = mine.values[row * mine.columns + column]
                let nearest = (max(0, row - 1)...min(rows - 1, row + 1)).flatMap { row in
                    (max(0, column - 1)...min(columns - 1, column + 1)).map { column in
                        abs(value - others.values[row * others.columns + column])
                    }
                }.min()
                if nearest ?? 0 > Self.clearDifference { count += 1 }
            }
        }
        return count >= Self.differingCellCount
    }

    /// Side of a cell in pixels, minimum difference of lightness, and minimum number of differing
    /// cells.
    private static let (cellSize, clearDifference, differingCellCount) = (6, 60, 4)

    /// The mean lightness of each cell.
    private var cells: (columns: Int, values: [Int]) {
        let columns = (width + Self.cellSize - 1) / Self.cellSize
        let rows = (height + Self.cellSize - 1) / Self.cellSize
        var sums = [Int](repeating: 0, count: columns * rows)
        var counts = sums
        for (index, value) in lightness.enumerated() {
            let cell = index / width / Self.cellSize * columns + index % width / Self.cellSize
            sums[cell] += Int(value)
            counts[cell] += 1
        }
        return (columns, zip(sums, counts).map { $1 > 0 ? $0 / $1 : 0 })
    }
}
