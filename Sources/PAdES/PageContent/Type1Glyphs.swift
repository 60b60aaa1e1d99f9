import ByteKit

/// The glyphs of a Type 1 font program (Adobe Type 1 Font Format, chapters 2 and 7) by their names.
struct Type1Glyphs {
    private let bytes: [UInt8]
    /// Where the outlines begin, which follow `eexec`.
    private let start: Int?

    private static let eexec = Array("eexec".utf8)
    private static let outlines = Array("/CharStrings".utf8)
    /// The key of `eexec`, what it is multiplied with and what is added, and how many bytes mean
    /// nothing.
    private static let key: UInt16 = 55_665
    private static let factor: UInt16 = 52_845
    private static let summand: UInt16 = 22_719
    private static let randomByteCount = 4
    /// The head of a part of a PFB file.
    private static let partHeadByteCount = 6

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        start = bytes.firstRange(of: Self.eexec, from: 0)?.upperBound
    }

    var hasOutlines: Bool { start.map { bytes.count - $0 > Self.eexec.count } ?? false }

    /// The glyphs of codes by names; nil where they cannot be read, none where readers take different
    /// ones: of two lists, of a code that is listed twice, or one whose number says its base.
    var encoding: [Int: [UInt8]]? {
        let head = bytes[..<(start ?? bytes.count)]
        guard let entry = bytes.firstRange(of: Self.encodingKey, from: 0),
            entry.upperBound < head.count
        else { return nil }
        if let other = bytes.firstRange(of: Self.encodingKey, from: entry.upperBound),
            other.upperBound < head.count
        {
            return [:]
        }
        // A name begins where its solidus stands.
        let text = head[entry.upperBound...].prefix(Self.encodingByteLimit).flatMap {
            $0 == 47 ? [32, 47] : [$0]
        }
        let words = text.split { [9, 10, 12, 13, 32].contains($0) }
        if words.first?.elementsEqual("StandardEncoding".utf8) == true {
            return LatinEncoding.standard.names
        }
        var found: [Int: [UInt8]] = [:]
        // `dup 49 /one put`, up to `def`.
        for (index, word) in words.enumerated() where word.elementsEqual("dup".utf8) {
            guard index + 2 < words.count, words[index + 2].first == 47 else { return nil }
            let name = Array(words[index + 2].dropFirst())
            if words[index + 1].contains(UInt8(ascii: "#")) { return [:] }
            guard let code = Int(String(decoding: words[index + 1], as: UTF8.self)) else {
                return nil
            }
            guard found.updateValue(name, forKey: code).map({ $0 == name }) ?? true else {
                return [:]
            }
        }
        return found
    }

    private static let encodingKey = Array("/Encoding".utf8)
    /// 256 lines, with room to spare.
    private static let encodingByteLimit = 20_000

    /// Nil where they cannot be read.
    var names: Set<[UInt8]>? {
        guard let text = decrypted, let found = text.firstRange(of: Self.outlines, from: 0) else {
            return nil
        }
        var names: Set<[UInt8]> = []
        // Of two glyphs of a name some readers take the first one, others the last.
        var twice: Set<[UInt8]> = []
        var position = found.upperBound
        while let name = text[position...].firstIndex(of: UInt8(ascii: "/")) {
            // `/name 123 RD `, then so many bytes.
            var words = text[(name + 1)...].prefix(Self.entryByteLimit)
                .split(maxSplits: 3, omittingEmptySubsequences: false) {
                    $0 == 32 || $0 == 10 || $0 == 13 || $0 == 9
                }[...]
            guard let spelling = words.popFirst(), let digits = words.popFirst(),
                let count = Int(String(decoding: digits, as: UTF8.self)), count >= 0,
                let verb = words.popFirst(), let rest = words.first,
                count <= text.endIndex - rest.startIndex, !verb.isEmpty
            else {
                position = name + 1
                continue
            }
            if !names.insert(Array(spelling)).inserted { twice.insert(Array(spelling)) }
            position = rest.startIndex + count
        }
        return names.isEmpty ? nil : names.subtracting(twice)
    }

    /// A name of 127 bytes, a number and a word.
    private static let entryByteLimit = 160

    /// What is behind `eexec`, in the clear.
    private var decrypted: [UInt8]? {
        guard var position = start else { return nil }
        while position < bytes.count, [9, 10, 13, 32].contains(bytes[position]) { position += 1 }
        if position + Self.partHeadByteCount < bytes.count, bytes[position] == 0x80 {
            position += Self.partHeadByteCount
        }
        let secret = bytes[position...]
        let isHexadecimal = secret.prefix(Self.randomByteCount).allSatisfy {
            Hex.value(of: $0) != nil
        }
        return Self.decrypt(isHexadecimal ? Self.digits(secret)[...] : secret)
    }

    private static func digits(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let values = text.lazy.compactMap { Hex.value(of: $0) }
        var found: [UInt8] = []
        found.reserveCapacity(text.count / 2)
        var high: UInt8?
        for value in values {
            if let first = high {
                found.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return found
    }

    private static func decrypt(_ secret: ArraySlice<UInt8>) -> [UInt8] {
        var key = Self.key
        var text: [UInt8] = []
        text.reserveCapacity(secret.count)
        for byte in secret {
            text.append(byte ^ UInt8(truncatingIfNeeded: key >> 8))
            key = (UInt16(byte) &+ key) &* factor &+ summand
        }
        return Array(text.dropFirst(randomByteCount))
    }
}
