import CodecBridge

/// A new cross-reference section. It has the form of the newest existing section, because some
/// viewers follow only chains of one form.
struct NewSection {
    private(set) var kind: CrossReferenceSection.Kind
    /// Subtracted from positions to get offsets.
    let base: Int
    private var entries: [CrossReferenceEntry] = []
    /// Whether the section has no predecessor: its table begins at 0 and normally has no gaps.
    private var isComplete = false

    init(kind: CrossReferenceSection.Kind, base: Int) {
        self.kind = kind
        self.base = base
    }

    /// Minimum value of `Size`.
    var lowestSize: Int { (entries.map(\.number).max() ?? 0) + 1 }

    mutating func add(_ id: ObjectID, at position: Int) {
        let location = ObjectLocation.offset(position, generation: id.generation)
        entries.append(CrossReferenceEntry(number: id.number, location: location))
    }

    /// Adds all objects of a section that exists only in memory.
    ///
    /// - Parameter replaced: The rewritten objects, which are omitted.
    mutating func replace(
        _ section: CrossReferenceSection, except replaced: [ObjectID: PDFObject]
    ) throws(PDFError) {
        let numbers = Set(replaced.keys.map(\.number))
        var taken: [CrossReferenceEntry] = []
        var hasCompressed = false
        try section.forEachEntry { (entry) throws(PDFError) in
            guard !numbers.contains(entry.number), entry.location != .free else { return }
            if case .compressed = entry.location { hasCompressed = true }
            taken.append(entry)
        }
        entries += taken
        // Only a cross-reference stream can refer to objects in object streams.
        kind = hasCompressed ? .stream : .table
        isComplete = true
    }

    /// Appends the section and its trailer.
    ///
    /// - Parameters:
    ///   - trailer: The entries of the trailer dictionary.
    ///   - position: Start of the section in the new file.
    ///   - containerNumber: An unused number for a cross-reference stream.
    func write(
        _ trailer: PDFDictionary, at position: Int, containerNumber: Int, into output: inout [UInt8]
    ) throws(PDFError) {
        switch kind {
        case .stream:
            writeStream(trailer, at: position, containerNumber: containerNumber, into: &output)
        case .table, .hybrid, .rebuilt: try writeTable(trailer, at: position, into: &output)
        }
    }

    /// Number of free entries that a table may have regardless of its number of objects.
    private static let gapAllowance = 1000

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
        // Object 0 is the head of the free list, as in the examples of ISO 32000-2 Annex H.
        var listed = [CrossReferenceEntry(number: 0, location: .free)]
        // The first section has one subsection (ISO 32000-2 §7.5.4), so gaps become free entries.
        // Exception: a stray high number would require millions of them.
        let fillsGaps = isComplete && lowestSize <= 2 * entries.count + Self.gapAllowance
        for entry in entries.sorted(by: { $0.number < $1.number }) {
            if fillsGaps {
                while let last = listed.last, last.number + 1 < entry.number {
                    listed.append(CrossReferenceEntry(number: last.number + 1, location: .free))
                }
            }
            listed.append(entry)
        }
        output += "xref\n".utf8
        var index = 0
        let groups =
            isComplete
            ? Self.groups(listed.map(\.number))
            : [0...0] + Self.groups(listed.dropFirst().map(\.number))
        for group in groups {
            output += "\(group.lowerBound) \(group.count)\n".utf8
            for _ in group {
                if case .offset(let position, let generation) = listed[index].location {
                    Self.write(position - base, digitCount: 10, into: &output)
                    output.append(32)
                    Self.write(generation, digitCount: 5, into: &output)
                    output += " n \n".utf8
                } else {
                    output += "0000000000 65535 f \n".utf8
                }
                index += 1
            }
        }
        output += "trailer\n".utf8
        PDFWriter.write(.dictionary(trailer), into: &output)
        output.append(10)
    }

    private func writeStream(
        _ trailer: PDFDictionary, at position: Int, containerNumber: Int, into output: inout [UInt8]
    ) {
        let container = ObjectID(number: containerNumber)
        var all = entries
        all.append(
            CrossReferenceEntry(
                number: containerNumber, location: .offset(position, generation: 0)))
        if isComplete { all.append(CrossReferenceEntry(number: 0, location: .free)) }
        all.sort { $0.number < $1.number }
        // The width of the largest offset, which is that of the stream at the end.
        let offsetWidth = max(4, (Int.bitWidth - (position - base).leadingZeroBitCount + 7) / 8)
        // Indexes above 65535 occur only in object streams by other producers.
        let thirdWidth = 3
        var rows: [UInt8] = []
        for entry in all {
            let (type, second, third) =
                switch entry.location {
                case .free: (0, 0, 65_535)
                case .offset(let position, let generation): (1, position - base, generation)
                case .compressed(let stream, let index): (2, stream, index)
                }
            rows.append(UInt8(type))
            for shift in stride(from: 8 * (offsetWidth - 1), through: 0, by: -8) {
                rows.append(UInt8(truncatingIfNeeded: second >> shift))
            }
            for shift in stride(from: 8 * (thirdWidth - 1), through: 0, by: -8) {
                rows.append(UInt8(truncatingIfNeeded: third >> shift))
            }
        }
        let index = Self.groups(all.map(\.number)).flatMap { group -> [PDFObject] in
            [.integer(group.lowerBound), .integer(group.count)]
        }
        var dictionary: PDFDictionary = ["Type": .name("XRef")]
        for entry in trailer.entries { dictionary[entry.key] = entry.value }
        let size = max(trailer["Size"]?.integerValue ?? 0, containerNumber + 1)
        dictionary["Size"] = .integer(size)
        dictionary["W"] = .array([.integer(1), .integer(offsetWidth), .integer(thirdWidth)])
        dictionary["Index"] = .array(index)
        dictionary["Filter"] = .name("FlateDecode")
        output += "\(container.number) 0 obj\n".utf8
        PDFWriter.write(
            .stream(PDFStream(dictionary: dictionary, data: Flate.deflate(rows))), into: &output)
        output += "\nendobj\n".utf8
    }

    private static func write(_ value: Int, digitCount: Int, into output: inout [UInt8]) {
        output += repeatElement(48, count: digitCount)
        var rest = value
        for place in output.indices.suffix(digitCount).reversed() {
            output[place] += UInt8(rest % 10)
            rest /= 10
        }
    }
}
