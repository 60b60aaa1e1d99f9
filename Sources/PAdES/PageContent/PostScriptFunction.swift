import PDFCore

/// A program of a type 4 function (ISO 32000-2 §7.10.5), run so strictly that every reader gets the
/// same: what depends on the types of numbers, on rounding halves below 0 or on bits is not known.
struct PostScriptFunction {
    private indirect enum Step {
        case number(Double, isWhole: Bool)
        case operation(String)
        case block([Step])
    }

    private enum Value {
        case number(Double, isWhole: Bool)
        case truth(Bool)
        /// A number that is not worked out.
        case some

        var isNumber: Bool { if case .truth = self { false } else { true } }
        var number: Double? { if case .number(let value, _) = self { value } else { nil } }
        var whole: Int? {
            if case .number(let value, true) = self { Int(exactly: value) } else { nil }
        }
    }

    private let steps: [Step]

    private static let nesting = 16
    private static let stackLimit = 100
    /// Whole numbers have 32 bits.
    private static let wholeLimit = Double(Int32.max)
    private static let realLimit = 3.4e38

    /// Nil for what does not follow the syntax.
    init?(_ content: [UInt8]) {
        var open: [[Step]] = []
        var isClosed = false
        for word in Self.words(content) {
            guard !isClosed else { return nil }
            switch word {
            case "{":
                guard open.count < Self.nesting else { return nil }
                open.append([])
            case "}":
                guard let last = open.popLast() else { return nil }
                if open.isEmpty {
                    open = [last]
                    isClosed = true
                } else {
                    open[open.count - 1].append(.block(last))
                }
            default:
                guard !open.isEmpty else { return nil }
                let isNumber = word.allSatisfy { "+-.0123456789".contains($0) }
                if isNumber, let value = Double(word) {
                    let isWhole = !word.contains(".")
                    open[open.count - 1].append(.number(value, isWhole: isWhole))
                } else {
                    open[open.count - 1].append(.operation(word))
                }
            }
        }
        guard isClosed, let first = open.first else { return nil }
        steps = first
    }

    /// Whether it has operators whose results jump where their operands go on evenly.
    var jumps: Bool { Self.jump(steps) }

    private static let jumping: Set<String> = [
        "ceiling", "floor", "round", "truncate", "cvi", "idiv", "mod", "if", "ifelse",
    ]

    private static func jump(_ steps: [Step]) -> Bool {
        steps.contains { step in
            switch step {
            case .number: false
            case .operation(let name): jumping.contains(name)
            case .block(let inner): jump(inner)
            }
        }
    }

    private static func words(_ content: [UInt8]) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        var isComment = false
        func end() {
            if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
            word = []
        }
        for byte in content {
            switch byte {
            case 10, 13:
                isComment = false
                end()
            case _ where isComment: break
            case 0x25:
                isComment = true
                end()
            case 0x7B, 0x7D:
                end()
                words.append(byte == 0x7B ? "{" : "}")
            case 0, 9, 12, 32: end()
            default: word.append(byte)
            }
        }
        end()
        return words
    }

    /// - Returns: How many numbers are left; nil where anything goes wrong, or readers differ.
    func run(_ inputs: [Double]) -> Int? {
        var stack = inputs.map { Value.number($0, isWhole: false) }
        guard Self.run(steps, &stack), stack.allSatisfy(\.isNumber) else { return nil }
        return stack.count
    }

    /// - Returns: The numbers that are left; nil where one is not worked out, or readers differ.
    func values(_ inputs: [Double]) -> [Double]? {
        var stack = inputs.map { Value.number($0, isWhole: false) }
        guard Self.run(steps, &stack) else { return nil }
        let numbers = stack.compactMap(\.number)
        return numbers.count == stack.count ? numbers : nil
    }

    /// A program has no loops: each step is taken once at most.
    private static func run(_ steps: [Step], _ stack: inout [Value]) -> Bool {
        var blocks: [[Step]] = []
        for step in steps {
            switch step {
            case .number(let value, let isWhole):
                guard blocks.isEmpty else { return false }
                stack.append(.number(value, isWhole: isWhole && value.magnitude <= wholeLimit))
            case .block(let block): blocks.append(block)
            case .operation("if"), .operation("ifelse"):
                guard case .operation(let name) = step,
                    blocks.count == (name == "if" ? 1 : 2),
                    case .truth(let truth)? = stack.popLast()
                else { return false }
                if let chosen = truth ? blocks.first : blocks.dropFirst().first {
                    guard run(chosen, &stack) else { return false }
                }
                blocks = []
            case .operation(let name):
                guard blocks.isEmpty, apply(name, &stack) else { return false }
            }
            guard stack.count <= stackLimit else { return false }
        }
        return blocks.isEmpty
    }

    private static func apply(_ name: String, _ stack: inout [Value]) -> Bool {
        switch name {
        case "true", "false": stack.append(.truth(name == "true"))
        case "pop": return stack.popLast() != nil
        case "dup":
            guard let last = stack.last else { return false }
            stack.append(last)
        case "exch":
            guard stack.count > 1 else { return false }
            stack.swapAt(stack.count - 1, stack.count - 2)
        case "copy", "index", "roll": return arrange(name, &stack)
        case "add", "sub", "mul", "div", "idiv", "mod", "atan", "exp":
            guard let second = stack.popLast(), let first = stack.popLast(),
                let result = combine(name, first, second)
            else { return false }
            stack.append(result)
        case "eq", "ne", "gt", "ge", "lt", "le":
            guard let second = stack.popLast()?.number, let first = stack.popLast()?.number else {
                return false
            }
            stack.append(.truth(compare(name, first, second)))
        case "and", "or":
            guard case .truth(let second)? = stack.popLast(),
                case .truth(let first)? = stack.popLast()
            else { return false }
            stack.append(.truth(name == "and" ? first && second : first || second))
        default:
            guard let last = stack.popLast(), let result = convert(name, last) else { return false }
            stack.append(result)
        }
        return true
    }

    private static func arrange(_ name: String, _ stack: inout [Value]) -> Bool {
        guard let last = stack.popLast()?.whole else { return false }
        switch name {
        case "copy":
            guard (0...stack.count).contains(last) else { return false }
            stack += stack.suffix(last)
        case "index":
            guard (0..<stack.count).contains(last) else { return false }
            stack.append(stack[stack.count - 1 - last])
        default:
            guard let count = stack.popLast()?.whole, (0...stack.count).contains(count) else {
                return false
            }
            guard count > 0 else { return true }
            let moved = Array(stack.suffix(count))
            let shift = ((last % count) + count) % count
            stack.replaceSubrange(
                (stack.count - count)..., with: moved.suffix(shift) + moved.dropLast(shift))
        }
        return true
    }

    private static func compare(_ name: String, _ first: Double, _ second: Double) -> Bool {
        switch name {
        case "eq": first == second
        case "ne": first != second
        case "gt": first > second
        case "ge": first >= second
        case "lt": first < second
        default: first <= second
        }
    }

    private static func combine(_ name: String, _ first: Value, _ second: Value) -> Value? {
        guard first.isNumber, second.isNumber else { return nil }
        if name == "exp" || name == "atan" {
            // Of roots of numbers below 0, and of no direction, nobody knows.
            guard let left = first.number, let right = second.number else { return .some }
            let isKnown =
                name == "exp" ? left > 0 || left == 0 && right > 0 : left != 0 || right != 0
            return isKnown ? .some : nil
        }
        guard let left = first.number, let right = second.number else {
            return name == "idiv" || name == "mod" || second.number == 0 ? nil : .some
        }
        let wholes = first.whole.flatMap { left in second.whole.map { (left, $0) } }
        switch name {
        case "add": return number(left + right, isWhole: wholes != nil)
        case "sub": return number(left - right, isWhole: wholes != nil)
        case "mul": return number(left * right, isWhole: wholes != nil)
        case "div": return right == 0 ? nil : number(left / right)
        default:
            guard let (left, right) = wholes, right != 0 else { return nil }
            return number(Double(name == "idiv" ? left / right : left % right), isWhole: true)
        }
    }

    private static func convert(_ name: String, _ value: Value) -> Value? {
        if name == "not", case .truth(let truth) = value { return .truth(!truth) }
        guard case .number(let number, let isWhole) = value else {
            return isPlain(name) && value.isNumber ? .some : nil
        }
        switch name {
        case "abs": return Self.number(number.magnitude, isWhole: isWhole)
        case "neg": return Self.number(-number, isWhole: isWhole)
        case "ceiling": return Self.number(number.rounded(.up), isWhole: isWhole)
        case "floor": return Self.number(number.rounded(.down), isWhole: isWhole)
        case "truncate": return Self.number(number.rounded(.towardZero), isWhole: isWhole)
        case "round":
            guard number >= 0 || (number - number.rounded(.down)) != 0.5 else { return nil }
            return Self.number((number + 0.5).rounded(.down), isWhole: isWhole)
        case "sqrt": return number < 0 ? nil : Self.number(number.squareRoot())
        case "sin", "cos": return .some
        case "ln", "log": return number > 0 ? .some : nil
        case "cvi": return Self.number(number.rounded(.towardZero), isWhole: true)
        case "cvr": return Self.number(number)
        default: return nil
        }
    }

    /// Whether an operator takes every number.
    private static func isPlain(_ name: String) -> Bool {
        ["abs", "neg", "ceiling", "floor", "truncate", "sin", "cos", "cvr"].contains(name)
    }

    /// Nil where it is no number, or none that all can hold.
    private static func number(_ value: Double, isWhole: Bool = false) -> Value? {
        let limit = isWhole ? wholeLimit : realLimit
        return value.magnitude <= limit ? .number(value, isWhole: isWhole) : nil
    }
}
