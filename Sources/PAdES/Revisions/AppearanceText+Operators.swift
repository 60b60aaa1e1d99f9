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
            state.stretch = numbers[0].magnitude / 100
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
            (state.strokeInk, state.strokesPattern) = (Ink(numbers), false)
        case ("SC", _): state.strokeInk = nil
        default: followPath(operation.name, numbers)
        }
    }

    private mutating func followNames(_ operation: ContentOperation) {
        if operation.name == "cs", operation.operands.count == 1,
            case .name(let name) = operation.operands[0]
        {
            // Some readers keep the colour that was there.
            (state.componentCount, state.ink) = (DeviceColors.componentCounts[name], nil)
            state.hasPattern = false
        } else if operation.name == "CS" {
            (state.strokeInk, state.strokesPattern) = (nil, false)
        } else if operation.name == "scn" {
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
