extension Int {
    /// The nearest integer, clamped to the range of `Int`; 0 for NaN.
    package init(nearest number: Double) {
        let whole = number.isNaN ? 0 : number.rounded()
        self = Int(exactly: whole) ?? (whole < 0 ? .min : .max)
    }

    /// The sum, or `nil` when it does not fit.
    @inline(__always) package func addingChecked(_ other: Int) -> Int? {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? nil : sum
    }

    /// The product, or `nil` when it does not fit.
    @inline(__always) package func multipliedChecked(by other: Int) -> Int? {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? nil : product
    }
}

extension Array where Element == UInt8 {
    /// The byte at `index`, or `nil` when there is none.
    @inline(__always) package func byte(at index: Int) -> UInt8? {
        index >= 0 && index < count ? self[index] : nil
    }

    /// Whether `other` occurs at `index`.
    package func contains(_ other: [UInt8], at index: Int) -> Bool {
        guard index >= 0, other.count <= count, index <= count - other.count else { return false }
        for position in 0..<other.count where self[index + position] != other[position] {
            return false
        }
        return true
    }

    /// The first position of `other` at or after `start`.
    package func firstRange(of other: [UInt8], from start: Int = 0) -> Range<Int>? {
        guard let first = other.first, other.count <= count, start >= 0 else { return nil }
        var index = start
        while index <= count - other.count {
            if self[index] == first, contains(other, at: index) {
                return index..<(index + other.count)
            }
            index += 1
        }
        return nil
    }

    /// The last position of `other` that ends at or before `end`.
    package func lastRange(of other: [UInt8], before end: Int? = nil) -> Range<Int>? {
        guard let first = other.first else { return nil }
        var index = Swift.min(end ?? count, count) - other.count
        while index >= 0 {
            if self[index] == first, contains(other, at: index) {
                return index..<(index + other.count)
            }
            index -= 1
        }
        return nil
    }
}

extension RandomAccessCollection where Index == Int {
    /// Index of the first element that fits, in a collection in which all elements that fit come
    /// last.
    @inlinable package func partitioningIndex(where fits: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
