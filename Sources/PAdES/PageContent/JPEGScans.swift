/// Whether the scans of a JPEG are such as its frame asks for (ISO/IEC 10918-1 B.2.3, G.1.1): readers
/// find out in different places when they are not.
struct JPEGScans {
    /// A part of the frame: how many of its samples there are in a unit, across and down.
    private struct Component {
        let identifier: UInt8
        let across: Int
        let down: Int
        let table: UInt8
        /// To which bit each of its coefficients came; nil before the first scan that has it.
        var bits = [UInt8?](repeating: nil, count: JPEGScans.coefficientCount)
    }

    /// What a scan needs, and how often it restarts.
    struct Needs {
        let tables: Set<UInt8>
        let codes: Set<UInt8>
        let restartCount: Int
    }

    private let isProgressive: Bool
    private let width: Int
    private let height: Int
    private var components: [Component] = []
    private var scanCount = 0

    private static let coefficientCount = 64
    /// As many as no program writes.
    private static let scanLimit = 100
    private static let factors = 1...4
    /// Most blocks of a unit of several components (B.2.3).
    private static let blockLimit = 10
    /// The side of a block, in samples.
    private static let side = 8
    /// Tables for entropy coding of the coefficients but the first have this in their number.
    private static let otherCodes: UInt8 = 0x10

    /// - Parameter components: of each, what the frame says of it in three bytes.
    /// - Returns: nil for such as no picture has.
    init?(_ width: Int, _ height: Int, _ components: [[UInt8]], isProgressive: Bool) {
        (self.width, self.height, self.isProgressive) = (width, height, isProgressive)
        for part in components {
            let component = Component(
                identifier: part[0], across: Int(part[1] >> 4), down: Int(part[1] & 15),
                table: part[2])
            guard Self.factors.contains(component.across), Self.factors.contains(component.down),
                !self.components.contains(where: { $0.identifier == component.identifier })
            else { return nil }
            self.components.append(component)
        }
    }

    /// Whether nothing more can come.
    var isWhole: Bool { !isProgressive && doubtAtEnd == nil }

    /// What is not there at the end, in words: all readers show what progressive data left out.
    var doubtAtEnd: String? {
        components.allSatisfy { $0.bits[0] != nil }
            ? nil : "its JPEG data have no scan of some component"
    }

    /// Takes the head of a scan.
    ///
    /// - Returns: nil for one that the frame, or what came before, does not allow.
    mutating func take(_ head: [UInt8], _ restartInterval: Int) -> Needs? {
        scanCount += 1
        guard scanCount <= Self.scanLimit, let count = head.first.map(Int.init), count > 0,
            head.count == 4 + 2 * count
        else { return nil }
        let (first, last) = (Int(head[head.count - 3]), Int(head[head.count - 2]))
        let (high, low) = (head[head.count - 1] >> 4, head[head.count - 1] & 15)
        guard isAllowed(first, last, high, low, count) else { return nil }
        var (tables, codes): (Set<UInt8>, Set<UInt8>) = ([], [])
        var taken: [Int] = []
        for index in 0..<count {
            let (identifier, code) = (head[1 + 2 * index], head[2 + 2 * index])
            guard let place = components.firstIndex(where: { $0.identifier == identifier }),
                // In the order of the frame (B.2.3).
                place > taken.last ?? -1, take(place, first...last, high, low)
            else { return nil }
            taken.append(place)
            tables.insert(components[place].table)
            // Bits that are added to the first coefficient are not coded.
            if first == 0, high == 0 { codes.insert(code >> 4) }
            if last > 0 { codes.insert(Self.otherCodes | code & 15) }
        }
        let blocks = taken.reduce(0) { $0 + components[$1].across * components[$1].down }
        guard taken.count == 1 || blocks <= Self.blockLimit else { return nil }
        let units = unitCount(of: taken)
        let restarts = restartInterval == 0 ? 0 : (units - 1) / restartInterval
        return Needs(tables: tables, codes: codes, restartCount: max(0, restarts))
    }

    private func isAllowed(
        _ first: Int, _ last: Int, _ high: UInt8, _ low: UInt8, _ count: Int
    ) -> Bool {
        guard isProgressive else {
            return first == 0 && last == Self.coefficientCount - 1 && high == 0 && low == 0
        }
        let isRange = first == 0 ? last == 0 : last >= first && count == 1
        return isRange && last < Self.coefficientCount && (high == 0 || high == low + 1)
    }

    /// Takes coefficients of a component, which come once, or bit by bit.
    private mutating func take(
        _ place: Int, _ range: ClosedRange<Int>, _ high: UInt8, _ low: UInt8
    ) -> Bool {
        // The first ones come first.
        guard range.lowerBound == 0 || components[place].bits[0] != nil else { return false }
        for index in range {
            guard components[place].bits[index] == (high == 0 ? nil : high) else { return false }
            components[place].bits[index] = low
        }
        return true
    }

    /// Units that a scan is made of: blocks of one component, or of several together (A.2).
    private func unitCount(of taken: [Int]) -> Int {
        let across = components.map(\.across).max() ?? 1
        let down = components.map(\.down).max() ?? 1
        func count(_ samples: Int, _ share: Int, _ most: Int) -> Int {
            (samples * share + Self.side * most - 1) / (Self.side * most)
        }
        guard taken.count == 1 else { return count(width, 1, across) * count(height, 1, down) }
        let component = components[taken[0]]
        return count(width, component.across, across) * count(height, component.down, down)
    }
}
