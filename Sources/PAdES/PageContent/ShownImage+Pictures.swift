import PDFCore

// Images whose data say of themselves what they are.
extension ShownImage {
    mutating func checkJPEG(_ width: Int, _ height: Int, _ components: Int) throws {
        guard let data = try pictureData() else { return }
        let transform = try document.value(parameters(), "ColorTransform")
        guard transform == .null || transform.integerValue != nil else {
            throw Oddity("its ColorTransform is no number")
        }
        let header = try JPEGHeader(
            data, colorTransform: transform.integerValue, upTo: budget.countedByteCount)
        budget.countedByteCount -= header.walkedByteCount
        if !header.isEnough { budget.isEnough = false }
        if let doubt = header.doubt { throw Oddity(doubt) }
        guard (header.width, header.height, header.componentCount) == (width, height, components)
        else { throw Oddity("its JPEG data have another size or number of components") }
    }

    /// The data of masks have no colours, and say their depth themselves.
    mutating func checkJPX(
        _ width: Int, _ height: Int, _ role: Role, isMask: Bool
    ) throws {
        if isMask { throw Oddity("it is a mask of JPEG 2000 data") }
        if try value("Decode") != .null {
            throw Oddity("it has a Decode, which JPEG 2000 data have not")
        }
        if try value("SMaskInData").integerValue ?? 0 != 0 {
            throw Oddity("its cover is in its JPEG 2000 data, which few readers look for")
        }
        try checkRole(role)
        if role == .image { try checkMasks(width, height, nil) }
        guard let data = try pictureData() else { return }
        let header = try JPXHeader(data)
        if let doubt = header.doubt { throw Oddity(doubt) }
        guard (header.width, header.height) == (width, height) else {
            throw Oddity("its JPEG 2000 data have another size")
        }
        guard !header.hasMore else { throw Oddity("its JPEG 2000 data have more than colours") }
        let stated = header.colors.flatMap { Self.colorCounts[$0] }
        if header.colors != nil, stated != header.componentCount {
            throw Oddity("its JPEG 2000 data have other components than they say")
        }
        // Some readers turn such colours as those of JPEG, others take them as they are.
        if header.colors == Self.mixedColors || header.isSubsampled {
            throw Oddity("its JPEG 2000 data have colours apart from brightness (sYCC)")
        }
        let space = try value("ColorSpace")
        guard space != .null else { return }
        let found = try ColorSpaces(document, functions).space(space)
        guard found.space?.componentCount == header.componentCount, found.space?.isIndexed == false
        else { throw Oddity("its JPEG 2000 data have other components than its ColorSpace") }
        if let name = space.nameValue, let colors = header.colors, Self.names[name] != colors {
            throw Oddity("its JPEG 2000 data have other colours than its ColorSpace")
        }
    }

    /// Of the colours that JPEG 2000 has numbers for: CMYK, sRGB, grey, sYCC; and those of names.
    private static let colorCounts = [12: 4, 16: 3, 17: 1, mixedColors: 3]
    private static let mixedColors = 18
    private static let names: [PDFName: Int] = [
        "DeviceCMYK": 12, "DeviceRGB": 16, "DeviceGray": 17,
    ]

    /// Data for fax have so many samples in a row (ISO 32000-2 Table 11).
    mutating func checkFax(_ width: Int, _ height: Int) throws {
        let values = try parameters()
        for (key, isFlag) in Self.faxParameters {
            let entry = try document.value(values, key)
            let isOfItsKind = isFlag ? entry.booleanValue != nil : entry.integerValue != nil
            if entry != .null, !isOfItsKind {
                throw Oddity("its data have an odd parameter /\(key)")
            }
        }
        let columns = try document.value(values, "Columns")
        let rows = try document.value(values, "Rows").integerValue ?? 0
        guard columns == .null ? width == Self.faxWidth : columns.integerValue == width,
            rows == 0 || rows == height
        else { throw Oddity("its data are for another size") }
        let hasEnd = try document.value(values, "EndOfBlock").booleanValue ?? true
        let scheme = try document.value(values, "K").integerValue ?? 0
        if scheme < 0, try document.value(values, "EndOfLine").booleanValue == true {
            throw Oddity("its data for fax are of a scheme without ends of lines")
        }
        guard let data = try pictureData() else { return }
        if let doubt = try FaxData.doubt(about: data, scheme: scheme) { throw Oddity(doubt) }
        if scheme < 0, hasEnd, try !FaxData.hasEnd(data) {
            guard try areRowsWhole(data, width, height, values) else {
                throw Oddity("its data for fax do not end")
            }
            return
        }
        // A row takes a bit at least, or a byte.
        let isAligned = try document.value(values, "EncodedByteAlign").booleanValue == true
        let rowCount = isAligned ? data.count : 8 * data.count - (hasEnd ? FaxData.endBitCount : 0)
        if scheme < 0, rowCount < height {
            throw Oddity("its data for fax end before its last row")
        }
    }

    /// How much more it costs to count rows than to pass over their data.
    private static let rowCost = 16

    /// Whether the data of a fax whose end is not marked are all its rows.
    private mutating func areRowsWhole(
        _ data: ImageData, _ width: Int, _ height: Int, _ values: PDFDictionary
    ) throws -> Bool {
        let isAligned = try document.value(values, "EncodedByteAlign").booleanValue == true
        guard !isAligned else { return false }
        guard data.count <= budget.countedByteCount / Self.rowCost else {
            budget.isEnough = false
            return true
        }
        budget.countedByteCount -= data.count * Self.rowCost
        return FaxRows.areWhole(
            try data.bytes(at: 0, count: data.count), columns: width, rows: height)
    }

    /// And whether they are true or false, not numbers.
    private static let faxParameters: [(PDFName, isFlag: Bool)] = [
        ("K", false), ("Columns", false), ("Rows", false), ("DamagedRowsBeforeError", false),
        ("BlackIs1", true), ("EncodedByteAlign", true), ("EndOfLine", true), ("EndOfBlock", true),
    ]
    private static let faxWidth = 1728

    mutating func checkJBIG2(_ width: Int, _ height: Int) throws {
        let globals = try document.value(parameters(), "JBIG2Globals")
        guard globals == .null || globals.streamValue != nil else {
            throw Oddity("its JBIG2 data share something that is no data")
        }
        let shared = try globals.streamValue.map { stream in
            let bytes = try document.decodedData(
                of: stream, upTo: budget.byteCount * Self.pictureShare)
            budget.byteCount -= bytes.count / Self.pictureShare
            return ImageData(content: .memory(bytes))
        }
        guard let data = try pictureData() else { return }
        let header = try JBIG2Header(data, shared: shared)
        if let doubt = header.doubt { throw Oddity(doubt) }
        guard header.width == width, (header.height ?? header.stripeEnd) == height else {
            throw Oddity("its JBIG2 data have another size")
        }
    }
}
