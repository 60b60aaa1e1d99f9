extension ContentOutline {
    /// Whether content shows text while a soft mask is set (ISO 32000-2 §11.6.5).
    ///
    /// - Parameters:
    ///   - masks: for the names of graphics states, whether they set one or end it.
    ///   - forms: the names of forms that show text.
    package static func showsText(
        in content: [UInt8], under masks: [PDFName: Bool], forms: Set<PDFName>
    ) -> Bool {
        var scanner = ContentScanner(content, isInner: true)
        while let word = scanner.nextOperator() {
            switch word {
            case .save: scanner.save()
            case .restore: scanner.restore()
            case .graphicsState:
                if let name = scanner.decoded(scanner.name), let isMask = masks[name] {
                    scanner.state.isMasked = isMask
                }
            case .showText, .showTexts, .showNextLine, .showSpaced:
                if scanner.state.isMasked, scanner.state.textMode != invisibleText { return true }
            case .drawObject:
                if scanner.state.isMasked, let name = scanner.decoded(scanner.name),
                    forms.contains(name)
                {
                    return true
                }
            case .imageData: scanner.skipImageData()
            default: break
            }
        }
        return false
    }

    private static let invisibleText = 3
}
