import CodecBridge

/// A cross-reference section to be written. Its form is that of the newest existing section:
/// readers exist that follow a chain of one form only.
struct NewSection {
    private(set) var kind: CrossReferenceSection.Kind
    /// What positions are reduced by to get offsets.
    let base: Int
    private var entries: [CrossReferenceEntry] = []
    /// Whether the section stands alone: its table begins at 0 and leaves no number out.
    private var isComplete = false

    init(kind: CrossReferenceSection.Kind, base: Int) {
        self.kind = kind
        self.base = base
    }

    /// What `Size` has to be at least.
    var lowestSize: Int { (entries.map(\.number).max() ?? 0) + 1 }

    /// Adds an object.
    mutating func add(_ id: ObjectID, at position: Int) {
        let location = ObjectLocation.offset(position, generation: id.generation)
        entries.append(CrossReferenceEntry(number: id.number, location: location))
    }

    /// Takes over all objects of a section that only exists in memory.
    ///
    /// - Parameter replaced: the rewritten objects.
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
        // Only a stream can say that an object is in another one.
        kind = hasCompressed ? .stream : .table
        isComplete = true
    }

    /// Appends the section and its trailer.
    ///
    /// - Parameters:
    ///   - trailer: The entries of the trailer dictionary.
    ///   - position: Where the section begins in the new file.
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

    /// Free entries that any table may have, however few objects there are.
    private static let gapAllowance = 1000

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
        var listed = [CrossReferenceEntry(number: 0, location: .free)]
        // A first section has one subsection (ISO 32000-2 §7.5.4): gaps are free entries.
        // Not when a stray high number would make millions of them.
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
        // The width that holds the largest offset: the stream itself stands at the end.
        let offsetWidth = max(4, (Int.bitWidth - (position - base).leadingZeroBitCount + 7) / 8)
        // Indexes in object streams go beyond 65535 only in files that others made so.
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
