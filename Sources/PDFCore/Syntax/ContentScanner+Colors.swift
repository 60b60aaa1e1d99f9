extension ContentScanner {
    /// Whether the last name is that of the space of patterns.
    var namesPatterns: Bool { content[name].elementsEqual("Pattern".utf8) }

    mutating func takeTextState(_ isRise: Bool) {
        if isRise {
            state.setRise(isZero: lastNumber.isZero)
        } else {
            state.setScale(lastNumber.whole, isNegative: lastNumber.isNegative)
        }
    }

    /// A colour with another number of components than its space has: some readers take it.
    mutating func takeColor(isFill: Bool) {
        if !state.takeColor(
            isFill: isFill, componentCount: operandCount, isZero: hasOnlyZeros,
            isPattern: endsWithName)
        {
            hasOddOperands = true
        }
        noteKind(of: isFill ? state.fill : state.stroke)
        if operandCount == 1, !endsWithName { noteSingleColor(isFill ? state.fill : state.stroke) }
        noteColor(isFill: isFill)
    }

    private mutating func noteKind(of color: PaintState.Color) {
        if color.count == Self.inkCount, isBeyondTints { hasOddOperands = true }
        guard color.count == nil, !color.space.isEmpty else { return }
        var kind = ContentOutline.ColorKind(
            count: operandCount - (endsWithName ? 1 : 0), isBeyondTints: isBeyondTints)
        let pattern = endsWithName ? name : 0..<0
        guard
            notedColor.space != color.space || notedColor.pattern != pattern
                || notedColor.kind != kind
        else { return }
        notedColor = (color.space, pattern, kind)
        kind.pattern = decoded(pattern)
        colorKinds[content[color.space], default: []].insert(kind)
    }

    /// Components of a colour for printing.
    private static let inkCount = 4

    private mutating func noteSingleColor(_ color: PaintState.Color) {
        guard color.count == nil, !color.space.isEmpty else { return }
        let isIndex = lastNumber.isWhole && (!lastNumber.isNegative || lastNumber.isZero)
        singleColors[content[color.space], default: ContentOutline.SingleColors()]
            .take(lastNumber.whole, isIndex: isIndex)
    }

    /// Notes that a name is looked up.
    mutating func noteName() { nameUseCount += 1 }

    /// How many components a colour has in the space of the last name; nil for none of a device.
    mutating func deviceCount() -> Int? {
        if let known = knownCounts[content[name]] { return known }
        let count = decoded(name).flatMap { DeviceColors.componentCounts[$0] }
        knownCounts.updateValue(count, forKey: content[name])
        return count
    }
}
