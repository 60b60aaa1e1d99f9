import CodecBridge

/// A cross-reference section to be written. Its form is that of the newest existing section:
/// readers exist that follow a chain of one form only.
struct NewSection {
    let kind: CrossReferenceSection.Kind
    /// What positions are reduced by to get offsets.
    let base: Int
    /// Objects with their positions, by ascending number.
    var entries: [(id: ObjectID, position: Int)] = []

    /// What `Size` has to be at least.
    var lowestSize: Int { (entries.last?.id.number ?? 0) + 1 }

    /// Appends the section and its trailer.
    ///
    /// - Parameters:
    ///   - trailer: The entries of the trailer dictionary.
    ///   - position: Where the section begins in the new file.
    ///   - containerNumber: An unused number for a cross-reference stream.
    func write(
        _ trailer: PDFDictionary, at position: Int, containerNumber: Int,
        into output: inout [UInt8]
    ) throws(PDFError) {
        switch kind {
        case .stream:
            writeStream(trailer, at: position, containerNumber: containerNumber, into: &output)
        case .table, .hybrid, .rebuilt:
            try writeTable(trailer, at: position, into: &output)
        }
    }

    /// Runs of consecutive numbers.
    private static func groups(_ numbers: [Int]) -> [ClosedRange<Int>] {
        var groups: [ClosedRange<Int>] = []
        for number in numbers {
            if let last = groups.last, last.upperBound + 1 == number {
                groups[groups.count - 1] = last.lowerBound...number
            } else {
                groups.append(number...number)
            }
        }
        return groups
    }

    private func writeTable(
        _ trailer: PDFDictionary, at position: Int, into output: inout [UInt8]
    ) throws(PDFError) {
        guard position - base < PDFLimits.tableOffsetLimit else {
            throw PDFError(
                .offsetTooLarge, "offset \(position - base) does not fit a cross-reference table",
                offset: position)
        }
        // Object 0 heads the list of free objects, as in the examples of ISO 32000-2 Annex H.
        output += "xref\n0 1\n0000000000 65535 f \n".utf8
        var index = 0
        for group in Self.groups(entries.map(\.id.number)) {
            output += "\(group.lowerBound) \(group.count)\n".utf8
            for _ in group {
                let entry = entries[index]
                output += Self.digits(entry.position - base, 10)
                output.append(32)
                output += Self.digits(entry.id.generation, 5)
                output += " n \n".utf8
                index += 1
            }
        }
        output += "trailer\n".utf8
        PDFWriter.write(.dictionary(trailer), into: &output)
        output.append(10)
    }

    private func writeStream(
        _ trailer: PDFDictionary, at position: Int, containerNumber: Int,
        into output: inout [UInt8]
    ) {
        let container = ObjectID(number: containerNumber)
        let all = (entries + [(container, position)]).sorted { $0.id < $1.id }
        // The widths that hold the largest values; the stream itself stands at the end.
        let offsetWidth = max(4, (Int.bitWidth - (position - base).leadingZeroBitCount + 7) / 8)
        var rows: [UInt8] = []
        for entry in all {
            rows.append(1)
            let offset = entry.position - base
            for shift in stride(from: 8 * (offsetWidth - 1), through: 0, by: -8) {
                rows.append(UInt8(truncatingIfNeeded: offset >> shift))
            }
            rows.append(UInt8(entry.id.generation >> 8 & 0xFF))
            rows.append(UInt8(entry.id.generation & 0xFF))
        }
        let index = Self.groups(all.map(\.id.number)).flatMap { group -> [PDFObject] in
            [.integer(group.lowerBound), .integer(group.count)]
        }
        var dictionary: PDFDictionary = ["Type": .name("XRef")]
        for entry in trailer.entries { dictionary[entry.key] = entry.value }
        let size = max(trailer["Size"]?.integerValue ?? 0, containerNumber + 1)
        dictionary["Size"] = .integer(size)
        dictionary["W"] = .array([.integer(1), .integer(offsetWidth), .integer(2)])
        dictionary["Index"] = .array(index)
        dictionary["Filter"] = .name("FlateDecode")
        output += "\(container.number) 0 obj\n".utf8
        PDFWriter.write(
            .stream(PDFStream(dictionary: dictionary, data: Flate.deflate(rows))), into: &output)
        output += "\nendobj\n".utf8
    }

    private static func digits(_ value: Int, _ width: Int) -> [UInt8] {
        let digits = Array(String(value).utf8)
        return [UInt8](repeating: 48, count: max(0, width - digits.count)) + digits
    }
}
