import PDFCore

// What leads to the text: states, colours and places.
extension AppearanceText {
    mutating func follow(_ operation: ContentOperation) {
        let numbers = operation.numbers
        guard numbers.count == operation.operands.count else {
            followNames(operation)
            return
        }
        switch (operation.name, numbers.count) {
        case ("q", 0) where !isInText && saved.count < Self.maximumSavedCount: saved.append(state)
        case ("Q", 0) where !isInText && !saved.isEmpty: state = saved.removeLast()
        case ("cm", 6):
            if isInText { isPlain = false }
            state.matrix = Transform(numbers).followed(by: state.matrix)
        case ("BT", 0) where !isInText:
            (textMatrix, lineMatrix, isInText) = (.identity, .identity, true)
        case ("ET", 0) where isInText: isInText = false
        case ("TL", 1): state.leading = numbers[0]
        case ("Td", 2) where isInText: nextLine(numbers[0], numbers[1])
        case ("TD", 2) where isInText:
            state.leading = -numbers[1]
            nextLine(numbers[0], numbers[1])
        case ("T*", 0) where isInText: nextLine(0, -state.leading)
        case ("Tm", 6) where isInText:
            (textMatrix, lineMatrix) = (Transform(numbers), Transform(numbers))
        case ("Tc", 1): state.characterSpacing = numbers[0]
        case ("Tw", 1): state.wordSpacing = numbers[0]
        case ("Tz", 1):
            if numbers[0] != 100 { isPlain = false }
            state.stretch = numbers[0] / 100
        case ("Tr", 1):
            state.mode = numbers[0]
            if state.mode != 0 { isPlain = false }
        case ("Ts", 1):
            state.rise = numbers[0]
            if state.rise != 0 { isPlain = false }
        case ("w", 1): state.lineWidth = numbers[0]
        case ("g", 1), ("rg", 3), ("k", 4):
            state.componentCount = numbers.count
            (state.ink, state.hasPattern) = (Ink(numbers), false)
        case ("sc", _), ("scn", _):
            state.ink = state.componentCount == numbers.count ? Ink(numbers) : nil
        case ("G", 1), ("RG", 3), ("K", 4):
            state.strokeCount = numbers.count
            (state.strokeInk, state.strokesPattern) = (Ink(numbers), false)
        case ("SC", _), ("SCN", _):
            state.strokeInk = state.strokeCount == numbers.count ? Ink(numbers) : nil
        default: followPath(operation.name, numbers)
        }
    }

    /// A colour space of the device, or one that means about the same by its numbers.
    mutating func setSpace(
        _ operation: ContentOperation, _ spaces: PDFDictionary?
    ) throws(PDFError) {
        var count: Int?
        if let name = operation.names.first {
            count = DeviceColors.componentCounts[name]
            if count == nil { isPlain = false }
            if count == nil,
                let parts = try spaces.flatMap({ (spaces) throws(PDFError) in
                    try document.value(spaces, name).arrayValue
                }),
                let kind = try parts.first.flatMap({ (part) throws(PDFError) in
                    try document.resolve(part).nameValue
                })
            {
                count = Self.calibratedCounts[kind]
                if kind == "ICCBased", parts.count == 2,
                    let profile = try document.resolve(parts[1]).streamValue
                {
                    count = try document.value(profile.dictionary, "N").integerValue
                }
            }
        }
        // Some readers keep the colour that was there.
        if operation.name == "cs" {
            (state.componentCount, state.ink, state.hasPattern) = (count, nil, false)
        } else {
            (state.strokeCount, state.strokeInk, state.strokesPattern) = (count, nil, false)
        }
    }

    private static let calibratedCounts: [PDFName: Int] = ["CalGray": 1, "CalRGB": 3]

    private mutating func followNames(_ operation: ContentOperation) {
        if operation.name == "scn" {
            (isPlain, state.ink, state.hasPattern) = (false, nil, true)
        } else if operation.name == "SCN" {
            (isPlain, state.strokeInk, state.strokesPattern) = (false, nil, true)
        } else if operation.name == "sh" {
            (isPlain, hasDrawing) = (false, true)
        } else if !Self.operatorsWithoutEffect.contains(operation.name) {
            isPlain = false
        }
    }
}
