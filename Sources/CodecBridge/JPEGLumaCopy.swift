import Base

/// Takes the brightness out of a sequential, Huffman-coded YCbCr picture, coefficient for
/// coefficient, in memory that follows the picture's width alone.
///
/// The codes of a block's coefficients are the same wherever the block stands, so their bits are
/// copied. Only the differences of mean values are coded anew: they depend on the block before,
/// and blocks of subsampled pictures come in another order (ITU-T T.81 A.2). libjpeg would keep
/// the coefficients of the whole picture.
struct JPEGLumaCopy {
    /// A component's part in the scan: blocks that come together.
    private struct Component {
        let isLuma: Bool
        let horizontal: Int
        let vertical: Int
        let differences: JPEGHuffmanTable
        let coefficients: JPEGHuffmanTable
    }

    private let source: any ByteSource
    private let markers: JPEGMarkers
    private let components: [Component]
    private let luma: Component
    private let quantization: [Int]
    private let usual: JPEGHuffmanTable
    private let dataOffset: Int

    /// The blocks of all components that may come together (ITU-T T.81 B.2.3).
    private static let blockLimit = 10

    /// - Returns: `nil` when the picture is of another kind, or too unusual to be worth it.
    /// - Throws: ``CodecError`` about the markers; what the source throws.
    init?(_ source: any ByteSource) throws {
        let cache = BlockCache(source)
        markers = try JPEGMarkers(cache)
        guard [.baseline, .extended].contains(markers.process), !markers.isArithmetic,
            markers.bitsPerSample == 8, markers.hasLumaOfItsOwn, markers.width > 0,
            markers.height > 0, let usual = JPEGHuffmanTable.usualDifferences,
            let tables = try JPEGTables(markers.segments, in: cache)
        else { return nil }
        let head = try cache.bytes(at: markers.scanOffset, count: 5)
        guard head.count == 5, (1...3).contains(head[4]) else { return nil }
        let count = Int(head[4])
        let length = 6 + 2 * count
        let scan = try cache.bytes(at: markers.scanOffset + 5, count: 2 * count + 3)
        guard Int(head[2]) << 8 | Int(head[3]) == length,
            scan.suffix(3).elementsEqual([0, 63, 0])
        else { return nil }
        var components: [Component] = []
        var places: [Int] = []
        for index in 0..<count {
            let (id, selector) = (scan[2 * index], scan[2 * index + 1])
            guard let place = markers.components.firstIndex(where: { $0.id == id }),
                !places.contains(place), let differences = tables.differences[selector >> 4],
                let coefficients = tables.coefficients[selector & 15]
            else { return nil }
            places.append(place)
            // The blocks of a component alone come row by row.
            let frame = markers.components[place]
            components.append(
                Component(
                    isLuma: place == 0, horizontal: count == 1 ? 1 : frame.horizontal,
                    vertical: count == 1 ? 1 : frame.vertical, differences: differences,
                    coefficients: coefficients))
        }
        guard let luma = components.first(where: \.isLuma),
            components.reduce(0, { $0 + $1.horizontal * $1.vertical }) <= Self.blockLimit,
            let quantization = tables.quantization[markers.components[0].quantizationTable]
        else { return nil }
        self.source = source
        self.components = components
        self.luma = luma
        self.quantization = quantization
        self.usual = usual
        dataOffset = markers.scanOffset + 2 + length
    }

    /// Writes the picture.
    ///
    /// - Throws: ``CodecError`` when the data is damaged; what source and sink throw. The sink
    ///   holds a part then.
    func run(to sink: any ByteSink) throws -> JPEGTranscoder.Outcome {
        try sink.append(head)
        var reader = JPEGScanReader(source, at: dataOffset)
        try copyBlocks(from: &reader, to: sink)
        if try reader.passMarker() != 0xD9 {
            var walker = JPEGScanWalker()
            guard try walker.walk(source, from: reader.markerOffset) != nil else {
                throw CodecError(.truncated, detail: "the data ends before the picture does")
            }
        }
        let strays = reader.strayByteCount
        return JPEGTranscoder.Outcome(
            width: markers.width, height: markers.height, components: 1,
            warning: strays > 0 ? "\(strays) bytes of its data belong to no part of it" : nil)
    }

    private func copyBlocks(from reader: inout JPEGScanReader, to sink: any ByteSink) throws {
        let blocks = components.indices.flatMap { index in
            let component = components[index]
            return (0..<component.vertical).flatMap { y in
                (0..<component.horizontal).map { (component: index, x: $0, y: y) }
            }
        }
        let lumaIndex = components.firstIndex(where: \.isLuma)
        let decoder = JPEGBlockReader(components.map { ($0.differences, $0.coefficients) })
        let most = blocks.count * JPEGBlockReader.largestBitCount
        let (width, height) = ((markers.width + 7) / 8, (markers.height + 7) / 8)
        var rows = JPEGLumaRows(count: luma.vertical, table: usual)
        var mean = 0
        var restart: UInt8 = 0
        var unitsToRestart = markers.restartInterval
        for top in stride(from: 0, to: height, by: luma.vertical) {
            for left in stride(from: 0, to: width, by: luma.horizontal) {
                if markers.restartInterval > 0 {
                    if unitsToRestart == 0 {
                        try Self.expect(restart, from: &reader)
                        restart = (restart + 1) & 7
                        unitsToRestart = markers.restartInterval
                        mean = 0
                    }
                    unitsToRestart -= 1
                }
                try reader.require(bitCount: most)
                var position = reader.bitPosition
                do {
                    let window = unsafe reader.window.span.bytes
                    for block in blocks {
                        guard
                            let found = decoder.block(of: block.component, at: position, in: window)
                        else { throw Self.damaged("there is a code that has no meaning") }
                        position = found.coefficients.upperBound
                        guard block.component == lumaIndex else { continue }
                        mean += found.difference
                        // Units reach over the picture's right and lower edge.
                        if left + block.x < width, top + block.y < height {
                            try rows.append(
                                to: block.y, mean: mean, found.coefficients, of: window)
                        }
                    }
                }
                reader.bitPosition = position
                guard reader.isWithinData else {
                    throw Self.damaged("a part of it ends too early")
                }
            }
            try rows.finish(to: sink, isEnd: top + luma.vertical >= height)
        }
    }

    private static func damaged(_ detail: String) -> CodecError {
        CodecError(.malformed, detail: "its data is corrupt: \(detail)")
    }

    private static func expect(_ restart: UInt8, from reader: inout JPEGScanReader) throws {
        guard try reader.passMarker() == 0xD0 + restart else {
            throw damaged("its restart markers are out of order")
        }
    }

    /// All that comes before the data: a frame of one component with the picture's own tables.
    private var head: [UInt8] {
        let density = markers.density
        let unit: UInt8 =
            switch density?.unit {
            case .perInch: 1
            case .perCentimetre: 2
            default: 0
            }
        let isWide = quantization.contains { $0 > 255 }
        var bytes: [UInt8] = [0xFF, 0xD8]
        func add(_ marker: UInt8, _ content: [UInt8]) {
            bytes += [0xFF, marker] + Self.word(content.count + 2) + content
        }
        add(
            0xE0,
            Array("JFIF\0".utf8) + [1, 1, unit] + Self.word(density?.x ?? 1)
                + Self.word(density?.y ?? 1) + [0, 0])
        add(
            0xDB,
            isWide ? [16] + quantization.flatMap(Self.word) : [0] + quantization.map(UInt8.init))
        add(
            isWide ? 0xC1 : 0xC0,
            [8] + Self.word(markers.height) + Self.word(markers.width) + [1, 1, 0x11, 0])
        add(
            0xC4,
            [0] + usual.counts + usual.symbols + [0x10] + luma.coefficients.counts
                + luma.coefficients.symbols)
        add(0xDA, [1, 1, 0, 0, 63, 0])
        return bytes
    }

    /// Two bytes, the higher one first; the number must fit.
    private static func word(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}
