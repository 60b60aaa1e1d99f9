/// An optional value that is encoded as null where it is nil, so that a program finds every key.
@propertyWrapper public struct Nullable<Value: Sendable>: Sendable {
    /// Nil where there is none.
    public var wrappedValue: Value?

    /// As the compiler calls it.
    public init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
}

extension Nullable: Equatable where Value: Equatable {}

extension Nullable: Encodable where Value: Encodable {
    /// The value, or null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}
