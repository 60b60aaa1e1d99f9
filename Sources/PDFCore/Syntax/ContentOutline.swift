/// What a content stream takes from its resources, and whether it goes back to graphics states that
/// it never saved (ISO 32000-2 §7.8.2, §8.4.2): found in one pass that keeps no operands.
package struct ContentOutline {
    /// The fonts in which text is shown, and which of their codes.
    package private(set) var shownFonts: [PDFName: ShownCodes] = [:]
    /// What `Do` draws.
    package private(set) var drawnObjects: Set<PDFName> = []
    /// Those of them that are drawn while text is raised or stretched: some readers forget that in a
    /// form.
    package private(set) var objectsInShiftedText: Set<PDFName> = []
    /// Whether text is shown whose rise or scale the content does not set itself.
    package private(set) var inheritsTextState = false
    /// What else is taken from resources: a category and the names in it.
    package private(set) var usedNames: [PDFName: Set<PDFName>] = [:]
    /// Colours of one number in spaces that have a name in the resources.
    package private(set) var singleColors: [PDFName: SingleColors] = [:]
    /// Of what kinds colours are in such spaces.
    package private(set) var colorKinds: [PDFName: Set<ColorKind>] = [:]
    /// Whether something is painted in a device's colour space that was chosen without a colour: in
    /// its first one, black, or in that of before.
    package private(set) var paintsInitialColor = false
    /// The spaces of the resources in whose first colour something is painted.
    package private(set) var unsetSpaces: Set<PDFName> = []
    /// Whether something is drawn behind a `Q` without `q`: some readers stop there.
    package private(set) var drawsAfterExtraRestore = false
    /// Whether something is drawn behind an operator that has not what it takes, or behind a number
    /// that some readers take for another.
    package private(set) var drawsAfterOddOperands = false
    /// How far away the points of paths are, in units of what draws the content, where they may be so
    /// far that some readers move them.
    package private(set) var farPlace: Double?
    /// How high and wide the least text is, in units of what draws the content, where it may be next to
    /// nothing: some readers draw that many times larger.
    package private(set) var leastTextSize: Double?
    /// Whether text is many times wider than high, or higher than wide.
    package private(set) var showsFlatText = false
    /// What is drawn askew: some readers leave out images so.
    package private(set) var skewedObjects: Set<PDFName> = []
    /// Whether areas or lines are painted under a matrix that leaves nothing of them, or squeezes them;
    /// and which objects are drawn so: some readers pass over the matrix, or the lines.
    package private(set) var paintsFlat = false
    package private(set) var flatObjects: Set<PDFName> = []
    /// By how much what is drawn is made smaller, where text may be next to nothing.
    package private(set) var drawnScales: [PDFName: Double] = [:]
    /// Whether what is clipped to is painted too: under a soft mask some readers forget to clip.
    package private(set) var paintsClip = false
    /// How many operators nobody knows, and how many take a name from the resources: some readers stop
    /// at the hundredth that they cannot follow.
    package private(set) var unknownOperatorCount = 0
    package private(set) var nameUseCount = 0
    /// How many areas are filled that have no width to speak of: some readers draw lines.
    package private(set) var thinAreaCount = 0
    /// How often lines of no length are stroked in a way in which readers draw different things; one
    /// that is seen for a dot counts for many.
    package private(set) var dotCount = 0
    /// Whether it draws anything.
    package private(set) var isPainted = false
    /// Whether a pattern is painted in one of the ways in which not all readers follow it.
    package private(set) var paintsOddPattern = false
    /// What is painted by without being set, and what is set to another value than everything begins
    /// with, or may be by what draws it.
    package private(set) var inherited: GraphicsParameters = []
    package private(set) var changed: GraphicsParameters = []
    /// The same where text of each font is shown; and what `Do` draws is not certain of.
    package private(set) var fontChanges: [PDFName: GraphicsParameters] = [:]
    package private(set) var objectChanges: [PDFName: GraphicsParameters] = [:]
    package private(set) var openParameters: [PDFName: GraphicsParameters] = [:]
    /// Of a glyph, what it says of itself, and whether it paints in colours though it has a shape alone.
    package private(set) var glyphKind: GlyphKind?
    package private(set) var colorsShape = false
    /// Whether it sets colours, whatever it is; and whether it has images of its own.
    package private(set) var setsColors = false
    package private(set) var hasInlineImages = false
    /// Those of them that are JPEGs.
    package private(set) var pictures: [InlinePicture] = []
    /// Of a glyph, whether it says twice what it is.
    package private(set) var repeatsGlyphKind = false
    /// Of a glyph, whether it says to have any width.
    package private(set) var hasGlyphWidth = false
    /// Whether it takes anything from resources.
    package var usesResources: Bool {
        !usedNames.isEmpty || !drawnObjects.isEmpty || !shownFonts.isEmpty
    }
    /// The graphics states under which areas are filled with no ink of any of the four colours.
    package private(set) var statesOfBlankInk: Set<PDFName> = []
    /// Whether the glyph draws beyond the box that it says.
    package private(set) var leavesBox = false
    /// Whether a number, name or string is so long that some readers cut it.
    package private(set) var hasCutWord = false
    /// Whether a name or operator has a byte that some readers take for white space, or for the end
    /// of a name.
    package private(set) var hasOddByte = false

    /// Whether what draws it may have set colours before.
    package let isInner: Bool

    package init(_ content: [UInt8], isInner: Bool = false) {
        self.isInner = isInner
        var scanner = ContentScanner(content, isInner: isInner)
        while let word = scanner.nextOperator() { follow(word, &scanner) }
        noteFont(&scanner)
        if scanner.hasDoubtfulImages { drawsAfterOddOperands = true }
        hasCutWord = scanner.hasCutWord
        (hasOddByte, paintsClip) = (scanner.hasOddByte, scanner.paintsClip)
        (unknownOperatorCount, nameUseCount) = (scanner.unknownCount, scanner.nameUseCount)
        (thinAreaCount, dotCount) = (scanner.thinAreaCount, scanner.dotCount)
        take(scanner.parameters)
        for (name, colors) in scanner.singleColors {
            guard let name = scanner.decoded(name.startIndex..<name.endIndex) else { continue }
            singleColors[name, default: SingleColors()].formUnion(colors)
        }
        for (name, kinds) in scanner.colorKinds {
            guard let name = scanner.decoded(name.startIndex..<name.endIndex) else { continue }
            colorKinds[name, default: []].formUnion(kinds)
        }
        guard scanner.hasFarPlaces || scanner.mayShowOddText || glyphKind == .shape else {
            return
        }
        let places = ContentPlaces(in: content)
        if scanner.hasFarPlaces { farPlace = places.distance }
        if scanner.mayShowOddText { leastTextSize = places.leastTextSize }
        (showsFlatText, skewedObjects) = (places.showsFlatText, places.skewedObjects)
        (leavesBox, drawnScales) = (places.leavesBox, places.drawnScales)
        (paintsFlat, flatObjects) = (places.paintsFlat, places.flatObjects)
    }

    private mutating func take(_ use: ParameterUse) {
        (inherited, changed) = (use.inherited, use.changed.union(use.foreign))
        (glyphKind, colorsShape) = (use.glyphKind, use.colorsShape)
        (setsColors, repeatsGlyphKind) = (use.setsColors, use.repeatsGlyphKind)
        hasGlyphWidth = use.glyphWidth ?? 0 != 0
        pictures = use.pictures
        paintsOddPattern = use.paintsOddPattern
    }

    /// Whether the last word of one stream and the first of the next, which some readers take for
    /// one, are not both words by themselves: operators, which programs often end a stream with.
    package static func isSplit(_ first: ArraySlice<UInt8>, _ second: [UInt8]) -> Bool {
        var start = first.endIndex
        while start > first.startIndex, Characters.isRegular(Int(first[start - 1])) { start -= 1 }
        var end = second.startIndex
        while end < second.endIndex, Characters.isRegular(Int(second[end])) { end += 1 }
        guard start < first.endIndex, end > second.startIndex else { return false }
        return !isOperator(first[start...]) || !isOperator(second[..<end])
    }

    private static func isOperator(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.count <= ContentScanner.operatorByteCount else { return false }
        var code = 0
        for byte in word { code = code << 8 | Int(byte) }
        return ContentOperands.isOperator(code)
    }

    private mutating func follow(_ word: Operator, _ scanner: inout ContentScanner) {
        switch word {
        case .save: scanner.save()
        case .restore: scanner.restore()
        case .setFont: scanner.setFont()
        case .drawObject:
            note(scanner)
            scanner.noteName()
            if let name = scanner.decoded(scanner.name) {
                drawnObjects.insert(name)
                let unset = GraphicsParameters.all.subtracting(scanner.state.known)
                openParameters[name, default: []].formUnion(unset)
                objectChanges[name, default: []].formUnion(scanner.changes)
                if scanner.state.isTextShifted { objectsInShiftedText.insert(name) }
            }
        case .textRise, .textScale: scanner.takeTextState(word == .textRise)
        case .graphicsState:
            use("ExtGState", &scanner)
            scanner.state.graphicsState = scanner.name
        case .fillSpace, .strokeSpace: chooseSpace(word == .fillSpace, &scanner)
        case .fillColor, .fillPattern, .strokeColor, .strokePattern:
            if scanner.endsWithName { use("Pattern", &scanner) }
            scanner.takeColor(isFill: word == .fillColor || word == .fillPattern)
        case .fillGray, .fillRGB, .fillCMYK:
            let isBlack = scanner.hasOnlyZeros && word != .fillCMYK
            let isBlank = scanner.hasOnlyZeros && word == .fillCMYK
            scanner.state.fill = PaintState.Color(
                isSet: !isBlack, count: word.componentCount, isBlankInk: isBlank)
            scanner.noteColor(isFill: true)
        case .strokeGray, .strokeRGB, .strokeCMYK:
            let isBlack = scanner.hasOnlyZeros && word != .strokeCMYK
            scanner.state.stroke = PaintState.Color(isSet: !isBlack, count: word.componentCount)
            scanner.noteColor(isFill: false)
        case .showText, .showTexts, .showNextLine, .showSpaced:
            note(scanner)
            noteUnset(scanner.state.fill, &scanner)
            if !scanner.state.setsRise || !scanner.state.setsScale { inheritsTextState = true }
            if scanner.font != scanner.shownFont { noteFont(&scanner) }
            scanner.useText(isBelow: word == .showNextLine || word == .showSpaced)
            scanner.takeCodes()
        case .imageData:
            note(scanner)
            hasInlineImages = true
            scanner.skipImageData()
        case .imageEnd:
            // Behind data that ended before for some readers, or without any.
            note(scanner)
        case .fill, .fillOld, .fillEvenOdd: paint(&scanner, isFilled: true, isStroked: false)
        case .stroke, .closeStroke: paint(&scanner, isFilled: false, isStroked: true)
        case .both, .closeBoth, .bothEvenOdd, .closeBothEvenOdd:
            paint(&scanner, isFilled: true, isStroked: true)
            if scanner.state.stroke.isPattern { scanner.parameters.paintsOddPattern = true }
        case .shade:
            note(scanner)
            use("Shading", &scanner)
        }
    }

    /// Notes that a path is painted.
    private mutating func paint(
        _ scanner: inout ContentScanner, isFilled: Bool, isStroked: Bool
    ) {
        note(scanner)
        if isFilled { noteUnset(scanner.state.fill, &scanner) }
        if isFilled, scanner.state.fill.isBlankInk,
            let name = scanner.decoded(scanner.state.graphicsState)
        {
            statesOfBlankInk.insert(name)
        }
        if isStroked { noteUnset(scanner.state.stroke, &scanner) }
        if isFilled { scanner.use(.fillColor) }
        if isStroked { scanner.use(.line) }
    }

    /// Notes that something is painted in a colour that may never have been set.
    private mutating func noteUnset(_ color: PaintState.Color, _ scanner: inout ContentScanner) {
        if color.isInitial { paintsInitialColor = true }
        if color.isUnset, let name = scanner.decoded(color.space) { unsetSpaces.insert(name) }
    }

    /// Notes in which font text was shown, and goes on with the one that is set.
    private mutating func noteFont(_ scanner: inout ContentScanner) {
        if let name = scanner.decoded(scanner.shownFont) {
            shownFonts[name, default: ShownCodes()].formUnion(scanner.shownCodes)
            fontChanges[name, default: []].formUnion(scanner.parameters.shown)
        }
        scanner.beginFont()
    }

    /// Notes the name before an operator, which is looked up in the resources.
    private mutating func use(_ category: PDFName, _ scanner: inout ContentScanner) {
        scanner.noteName()
        guard let name = scanner.newName(in: category) else { return }
        usedNames[category, default: []].insert(name)
    }

    private mutating func chooseSpace(_ isFill: Bool, _ scanner: inout ContentScanner) {
        let count = scanner.deviceCount()
        if count == nil { use("ColorSpace", &scanner) }
        scanner.state.chooseSpace(
            scanner.name, isFill: isFill, ofDevice: count,
            isPattern: scanner.namesPatterns)
        scanner.noteColor(isFill: isFill)
    }

    /// Notes that something is drawn.
    private mutating func note(_ scanner: ContentScanner) {
        isPainted = true
        if scanner.hasExtraRestore { drawsAfterExtraRestore = true }
        if scanner.hasOddOperands { drawsAfterOddOperands = true }
    }
}

extension ContentOutline {
    /// What a colour in a space of the resources is made of.
    package struct ColorKind: Hashable, Sendable {
        /// How many numbers it has.
        package var count = 0
        /// Whether one of them is not between 0 and 1.
        package var isBeyondTints = false
        package var pattern: PDFName?
    }

    /// Numbers that are colours by themselves, which in a table of colours are places in it.
    package struct SingleColors: Sendable {
        package private(set) var highest = 0
        /// Whether none is below 0 or between whole numbers.
        package private(set) var areIndices = true

        mutating func take(_ number: Int, isIndex: Bool) {
            highest = max(highest, number)
            if !isIndex { areIndices = false }
        }

        mutating func formUnion(_ other: Self) { take(other.highest, isIndex: other.areIndices) }
    }
}
