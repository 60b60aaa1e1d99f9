/// First bytes of tags (X.690 §8.1.2): class, constructed bit and number.
@usableFromInline package enum ASN1Tag {
    @inlinable package static var boolean: UInt8 { 0x01 }
    @inlinable package static var integer: UInt8 { 0x02 }
    @inlinable package static var bitString: UInt8 { 0x03 }
    @inlinable package static var octetString: UInt8 { 0x04 }
    @inlinable package static var objectIdentifier: UInt8 { 0x06 }
    @inlinable package static var enumerated: UInt8 { 0x0A }
    @inlinable package static var utf8String: UInt8 { 0x0C }
    @inlinable package static var printableString: UInt8 { 0x13 }
    @inlinable package static var teletexString: UInt8 { 0x14 }
    @inlinable package static var ia5String: UInt8 { 0x16 }
    @inlinable package static var utcTime: UInt8 { 0x17 }
    @inlinable package static var generalizedTime: UInt8 { 0x18 }
    @inlinable package static var bmpString: UInt8 { 0x1E }
    @inlinable package static var sequence: UInt8 { 0x30 }
    @inlinable package static var set: UInt8 { 0x31 }

    /// A context-specific tag of a constructed element.
    ///
    /// - Parameter number: 0 to 30.
    @inlinable package static func context(_ number: UInt8) -> UInt8 { 0xA0 | number & 0x1F }

    /// A context-specific tag of a primitive element.
    ///
    /// - Parameter number: 0 to 30.
    @inlinable package static func primitiveContext(_ number: UInt8) -> UInt8 {
        0x80 | number & 0x1F
    }
}
