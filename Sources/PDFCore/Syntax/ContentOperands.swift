/// What stands before an operator of a content stream, and whether that is what the operator takes
/// (ISO 32000-2 Annex A). Where it is not, one reader passes over the operator, another one takes
/// what is there, the first operands or the last.
struct ContentOperands {
    enum Kind: UInt64 {
        case integer, real, name, string, array, dictionary, other
    }

    /// What operators take.
    private enum Shape {
        case nothing
        case numbers(Int)
        case integer, name, string, array
        /// `d`, `Tf`, `"`.
        case dash, font, spacedText
        /// One number or more; these and a name, or a name alone.
        case color, pattern
        /// A name, then a name or a dictionary.
        case properties
    }

    private(set) var count = 0
    /// The last ones, three bits each, the newest lowest.
    private var kinds: UInt64 = 0

    private static let kindWidth: UInt64 = 3
    /// The most that all readers keep for an operator: the components of a colour and its pattern.
    private static let limit = 16

    enum Fit { case suits, doesNot, isUnknown }

    mutating func take(_ kind: Kind) {
        count += 1
        kinds = kinds << Self.kindWidth | kind.rawValue
    }

    mutating func removeAll() { (count, kinds) = (0, 0) }

    /// Whether they are what an operator takes.
    ///
    /// - Parameter code: The operator's bytes as a big-endian number.
    func fit(_ code: Int) -> Fit {
        Self.shape(of: code).map { suit($0) ? .suits : .doesNot } ?? .isUnknown
    }

    private func suit(_ shape: Shape) -> Bool {
        switch shape {
        case .nothing: count == 0
        case .numbers(let wanted): count == wanted && areNumbers(wanted)
        case .integer: count == 1 && kind(0) == .integer
        case .name: count == 1 && kind(0) == .name
        case .string: count == 1 && kind(0) == .string
        case .array: count == 1 && kind(0) == .array
        case .dash: count == 2 && isNumber(0) && kind(1) == .array
        case .font: count == 2 && isNumber(0) && kind(1) == .name
        case .spacedText: count == 3 && kind(0) == .string && isNumber(1) && isNumber(2)
        case .color: count > 0 && count <= Self.limit && areNumbers(count)
        case .pattern:
            count > 0 && count <= Self.limit
                && (isNumber(0) || kind(0) == .name) && areNumbers(count - 1, behind: 1)
        case .properties:
            count == 2 && kind(1) == .name && (kind(0) == .name || kind(0) == .dictionary)
        }
    }

    /// Whether the last one is a name.
    var endsWithName: Bool { count > 0 && kind(0) == .name }

    static func isOperator(_ code: Int) -> Bool { shape(of: code) != nil }

    /// - Parameter index: From the last one.
    private func kind(_ index: Int) -> Kind? {
        Kind(rawValue: kinds >> (UInt64(index) * Self.kindWidth) & 7)
    }

    private func isNumber(_ index: Int) -> Bool {
        let kind = kind(index)
        return kind == .integer || kind == .real
    }

    private func areNumbers(_ wanted: Int, behind start: Int = 0) -> Bool {
        // Those further back are not known any more.
        (start..<min(start + wanted, 64 / Int(Self.kindWidth))).allSatisfy(isNumber)
    }

    private static func shape(of code: Int) -> Shape? {
        switch code {
        // q Q W W* n f F f* B B* b b* S s h
        case 0x71, 0x51, 0x57, 0x572A, 0x6E, 0x66, 0x46, 0x662A, 0x42, 0x422A, 0x62, 0x622A, 0x53,
            0x73, 0x68:
            .nothing
        // BT ET T* EMC BX EX BI
        case 0x4254, 0x4554, 0x542A, 0x454D43, 0x4258, 0x4558, 0x4249: .nothing
        // w J j M i G g Tc Tw Tz TL Ts
        case 0x77, 0x4A, 0x6A, 0x4D, 0x69, 0x47, 0x67, 0x5463, 0x5477, 0x547A, 0x544C, 0x5473:
            .numbers(1)
        // m l Td TD d0
        case 0x6D, 0x6C, 0x5464, 0x5444, 0x6430: .numbers(2)
        // RG rg
        case 0x5247, 0x7267: .numbers(3)
        // v y re K k
        case 0x76, 0x79, 0x7265, 0x4B, 0x6B: .numbers(4)
        // cm c Tm d1
        case 0x636D, 0x63, 0x546D, 0x6431: .numbers(6)
        // Tr
        case 0x5472: .integer
        // ri gs CS cs sh Do MP BMC
        case 0x7269, 0x6773, 0x4353, 0x6373, 0x7368, 0x446F, 0x4D50, 0x424D43: .name
        // Tj '
        case 0x546A, 0x27: .string
        // TJ
        case 0x544A: .array
        // d
        case 0x64: .dash
        // Tf
        case 0x5466: .font
        // "
        case 0x22: .spacedText
        // SC sc
        case 0x5343, 0x7363: .color
        // SCN scn
        case 0x53434E, 0x73636E: .pattern
        // DP BDC
        case 0x4450, 0x424443: .properties
        default: nil
        }
    }
}
