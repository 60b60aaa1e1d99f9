internal import Base

/// Names folded for comparison (RFC 5280 §7.1): ASCII in lower case, runs of spaces as one, every
/// string type as UTF-8.
enum CanonicalName {
    static func fold(_ der: ArraySlice<UInt8>) -> [UInt8] {
        var folded: [UInt8] = []
        guard var names = ASN1Reader.single(der, .definite)?.reader else { return Array(der) }
        while let set = names.next() {
            var attributes = set.reader
            while let attribute = attributes.next() {
                var parts = attribute.reader
                guard let type = parts.next(), let value = parts.next() else { return Array(der) }
                folded += type.whole
                folded += fold(value)
                folded.append(0)
            }
            folded.append(1)
        }
        return folded
    }

    private static func fold(_ value: ASN1Node) -> [UInt8] {
        let text: [UInt8]
        switch value.tag {
        case 0x0C, 0x12, 0x13, 0x16, 0x1A: text = Array(value.content)
        case 0x14, 0x1C, 0x1E:
            guard
                let decoded = DistinguishedName.text(value.tag, value.content)
            else { return Array(value.whole) }
            text = Array(decoded.utf8)
        default: return Array(value.whole)
        }
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count)
        for byte in text {
            switch byte {
            case 0x09...0x0D, 0x20: if let last = folded.last, last != 0x20 { folded.append(0x20) }
            case 0x41...0x5A: folded.append(byte + 0x20)
            default: folded.append(byte)
            }
        }
        if folded.last == 0x20 { folded.removeLast() }
        return folded
    }
}
