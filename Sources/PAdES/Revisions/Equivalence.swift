import ByteKit
import PDFCore

/// Whether objects of two revisions mean the same: dictionaries in any order, numbers and strings
/// however they are spelled, a reference or what it leads to.
struct Equivalence {
    let old: PDFDocument
    let new: PDFDocument

    /// References followed into one another.
    private static let maximumHops = 16
    /// Values compared for one question.
    private static let maximumValueCount = 100_000
    private static let chunkByteCount = 256 * 1024
    /// Longest stream that is decrypted to be compared.
    private static let decryptedByteLimit = 16 << 20

    /// References to the same number count as equal: the object itself is judged where it is
    /// defined anew.
    func holds(_ before: PDFObject?, _ after: PDFObject?) throws -> Bool {
        var budget = Self.maximumValueCount
        return try holds(before ?? .null, after ?? .null, hops: 0, &budget)
    }

    private func holds(
        _ before: PDFObject, _ after: PDFObject, hops: Int, _ budget: inout Int
    ) throws -> Bool {
        budget -= 1
        guard budget > 0, hops <= Self.maximumHops else { return false }
        switch (before, after) {
        case (.reference(let a), .reference(let b)) where a == b:
            return true
        case (.reference, _), (_, .reference):
            return try holds(
                old.resolve(before), new.resolve(after), hops: hops + 1, &budget)
        case (.string(let a), .string(let b)):
            return a.bytes == b.bytes
        case (.array(let a), .array(let b)):
            guard a.count == b.count else { return false }
            for (left, right) in zip(a, b) {
                guard try holds(left, right, hops: hops, &budget) else { return false }
            }
            return true
        case (.dictionary(let a), .dictionary(let b)):
            return try holds(a, b, except: [], hops: hops, &budget)
        case (.stream(let a), .stream(let b)):
            return try holds(
                a.dictionary, b.dictionary, except: ["Length"], hops: hops, &budget)
                && haveSameData(a, b)
        default:
            if let a = before.numberValue, let b = after.numberValue { return a == b }
            return before == after
        }
    }

    private func holds(
        _ before: PDFDictionary, _ after: PDFDictionary, except ignored: Set<PDFName>, hops: Int,
        _ budget: inout Int
    ) throws -> Bool {
        guard before.duplicateKeys.isEmpty, after.duplicateKeys.isEmpty else {
            return before == after
        }
        for key in Set(before.keys + after.keys) where !ignored.contains(key) {
            guard
                try holds(before[key] ?? .null, after[key] ?? .null, hops: hops, &budget)
            else { return false }
        }
        return true
    }

    /// Streams of any size, a piece at a time.
    private func haveSameData(_ before: PDFStream, _ after: PDFStream) throws -> Bool {
        guard let a = before.dataRange, let b = after.dataRange, a.count == b.count else {
            return false
        }
        if a == b { return true }
        var position = 0
        var isSame = true
        while isSame, position < a.count {
            let count = min(Self.chunkByteCount, a.count - position)
            isSame =
                try old.source.bytes(at: a.lowerBound + position, count: count)
                == new.source.bytes(at: b.lowerBound + position, count: count)
            position += count
        }
        guard !isSame, old.isEncrypted, a.count <= Self.decryptedByteLimit else { return isSame }
        return try old.rawData(of: before) == new.rawData(of: after)
    }

    /// Keys whose values differ, in order.
    func changedKeys(_ before: PDFDictionary, _ after: PDFDictionary) throws -> [PDFName] {
        try Set(before.keys + after.keys)
            .filter { try !holds(before[$0], after[$0]) }
            .sorted { $0.description < $1.description }
    }
}
