import Base

/// Parses the input with each set of encoding rules.
enum ASN1Fuzz {
    /// - Returns: the failure; nil if the result is correct.
    static func failure(of bytes: [UInt8]) -> String? {
        let strict = ASN1Node.parse(bytes, .der)
        let definite = ASN1Node.parse(bytes, .definite)
        let lenient = ASN1Node.parse(bytes, .ber)
        if strict != nil, definite == nil { return "DER that is refused with longer lengths" }
        if definite != nil, lenient == nil { return "what is refused as BER" }
        if let strict, strict.definite != bytes { return "DER that is written differently" }
        if let failure = [strict, definite, lenient].compactMap({ $0 }).lazy
            .compactMap(failure).first
        {
            return failure
        }
        return headFailure(of: bytes)
    }

    /// The failure of a parsed element.
    private static func failure(of node: ASN1Node) -> String? {
        guard ASN1Node.byteCount(in: node.bytes, node.rules) == node.whole.count else {
            return "an element that has two lengths"
        }
        // The nesting depth is unchanged, so an accepted element must be accepted again.
        guard let again = ASN1Node.parse(node.definite, .der) else {
            return "BER that does not become DER"
        }
        if again.isAmbiguous != node.isAmbiguous { return "ambiguity that comes and goes" }
        var next = [node]
        while let element = next.popLast() {
            if let identifier = element.objectIdentifier {
                guard OID(identifier.description) == identifier,
                    identifier.content == Array(element.content)
                else { return "an identifier that is written differently" }
            }
            if element.rules != .definite, let number = element.integer,
                DERWriter.integer(number) != DERWriter.element(element.tag, Array(element.content))
            {
                return "a number that is written differently"
            }
            guard element.isConstructed else { continue }
            var reader = element.reader
            while let child = reader.next() { next.append(child) }
            guard reader.isAtEnd else { return "a parsed element that cannot be read" }
        }
        return nil
    }

    /// The length of the first element must not depend on the bytes after it.
    private static func headFailure(of bytes: [UInt8]) -> String? {
        guard let count = ASN1Node.byteCount(in: bytes, .ber) else { return nil }
        guard count <= bytes.count, let head = ASN1Node.headByteCount(in: bytes), head <= count,
            ASN1Node.byteCount(in: Array(bytes[..<count]), .ber) == count
        else { return "an element that depends on what follows" }
        return nil
    }
}
