import CodecBridge

/// Creates PNG files (ISO/IEC 15948).
package struct SamplePNG {
    /// The samples of a pixel; their number depends on `colorType`.
    package var pixel: (_ x: Int, _ y: Int) -> [Int]
    package var width: Int
    package var height: Int
    /// 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGB and alpha.
    package var colorType: UInt8
    /// Bits per sample: 8 or 16.
    package var bits = 8
    package var isInterlaced = false
    /// The palette: red, green and blue of each entry.
    package var palette: [UInt8] = []
    /// Width and height in the header, if different from the actual ones.
    package var claimedSide: Int?
    /// The content of a tRNS chunk.
    package var transparency: [UInt8] = []
    /// The content of a pHYs chunk: horizontal and vertical pixels per meter.
    package var pixelsPerMetre: (x: Int, y: Int)?
    /// Chunks after the header: type and content.
    package var extraChunks: [(type: String, content: [UInt8])] = []

    package init(
        _ width: Int, _ height: Int, colorType: UInt8,
        pixel: @escaping (_ x: Int, _ y: Int) -> [Int]
    ) {
        self.width = width
        self.height = height
        self.colorType = colorType
        self.pixel = pixel
    }

    /// Quarters in four colors, red and green above blue and black.
    package static func quarters(_ width: Int, _ height: Int) -> SamplePNG {
        SamplePNG(width, height, colorType: 2) { x, y in
            switch (x < width / 2, y < height / 2) {
            case (true, true): [255, 0, 0]
            case (false, true): [0, 255, 0]
            case (true, false): [0, 0, 255]
            case (false, false): [0, 0, 0]
            }
        }
    }

    package var bytes: [UInt8] {
        // Adam7: the start position and the steps of each pass.
        let passes =
            isInterlaced
            ? [
                (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
                (0, 1, 1, 2),
            ] : [(0, 0, 1, 1)]
        var rows: [UInt8] = []
        for (left, top, across, down) in passes where left < width {
            for y in stride(from: top, to: height, by: down) {
                rows.append(0)
                for x in stride(from: left, to: width, by: across) {
                    for sample in pixel(x, y) {
                        if bits == 16 { rows.append(UInt8(sample >> 8)) }
                        rows.append(UInt8(sample & 0xFF))
                    }
                }
            }
        }
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += Self.chunk(
            "IHDR",
            Self.number(claimedSide ?? width) + Self.number(claimedSide ?? height)
                + [UInt8(bits), colorType, 0, 0, isInterlaced ? 1 : 0])
        for (type, content) in extraChunks { file += Self.chunk(type, content) }
        if let (x, y) = pixelsPerMetre {
            file += Self.chunk("pHYs", Self.number(x) + Self.number(y) + [1])
        }
        if !palette.isEmpty { file += Self.chunk("PLTE", palette) }
        if !transparency.isEmpty { file += Self.chunk("tRNS", transparency) }
        file += Self.chunk("IDAT", Flate.deflate(rows)) + Self.chunk("IEND", [])
        return file
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + content
        return number(content.count) + body + number(Int(checksum(body)))
    }

    private static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(value >> $0 & 0xFF) }
    }

    /// CRC-32 (ISO/IEC 15948 Annex D).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
