/// An optional value that is encoded as null if it is nil, so that programs find every key.
@propertyWrapper public struct Nullable<Value: Sendable>: Sendable {
    /// The value; nil if absent.
    public var wrappedValue: Value?

    /// Initializer required of a property wrapper.
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
