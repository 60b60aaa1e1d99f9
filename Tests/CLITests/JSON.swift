import Foundation
import Testing

/// A JSON value: members by name, elements by number. The tests fail at once if they look for members or
/// elements where there are none; a member that an object does not have is null.
@dynamicMemberLookup
enum JSON: Hashable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    subscript(dynamicMember name: String) -> JSON { self[name] }

    subscript(name: String) -> JSON {
        guard case .object(let members) = self else {
            Issue.record("no object with '\(name)': \(self)")
            return .null
        }
        return members[name] ?? .null
    }

    /// The elements of an array; none of null.
    var items: [JSON] { self == .null ? [] : Array(self) }

    /// A string as it is, anything else as Swift writes it.
    var text: String {
        if case .string(let text) = self { return text }
        return "\(self)"
    }

    var number: Double {
        guard case .number(let number) = self else {
            Issue.record("no number: \(self)")
            return .nan
        }
        return number
    }

    var numbers: [Double] { map(\.number) }

    /// Whether a string contains this text, or an array this string.
    func contains(_ text: String) -> Bool {
        if case .string(let own) = self { return own.contains(text) }
        return contains { $0 == .string(text) }
    }
}

extension JSON: RandomAccessCollection {
    private var elements: [JSON] {
        guard case .array(let elements) = self else {
            Issue.record("no array: \(self)")
            return []
        }
        return elements
    }
    var startIndex: Int { 0 }
    var endIndex: Int { elements.count }
    subscript(index: Int) -> JSON {
        guard elements.indices.contains(index) else {
            Issue.record("no element \(index): \(self)")
            return .null
        }
        return elements[index]
    }
}

extension JSON: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let bool = try? container.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let elements = try? container.decode([JSON].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(floatLiteral value: Double) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(Dictionary(members) { $1 })
    }
}
