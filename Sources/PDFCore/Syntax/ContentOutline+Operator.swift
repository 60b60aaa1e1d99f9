extension ContentOutline {
    /// The operators that matter, by their bytes.
    enum Operator: Int {
        case save = 0x71, restore = 0x51
        /// `Tf`, `Do`.
        case setFont = 0x5466, drawObject = 0x446F
        /// `Tj`, `TJ`, `'`, `"`.
        case showText = 0x546A, showTexts = 0x544A, showNextLine = 0x27, showSpaced = 0x22
        case imageData = 0x4944, imageEnd = 0x4549
        /// `f`, `F`, `f*`, `S`, `s`, `B`, `b`, `B*`, `b*`, `sh`.
        case fill = 0x66, fillOld = 0x46, fillEvenOdd = 0x662A
        case stroke = 0x53, closeStroke = 0x73
        case both = 0x42, closeBoth = 0x62, bothEvenOdd = 0x422A, closeBothEvenOdd = 0x622A
        case shade = 0x7368
        /// `Ts`, `Tz`, `gs`.
        case textRise = 0x5473, textScale = 0x547A, graphicsState = 0x6773
        /// `cs`, `CS`, `sc`, `scn`, `SC`, `SCN`.
        case fillSpace = 0x6373, strokeSpace = 0x4353
        case fillColor = 0x7363, fillPattern = 0x73636E
        case strokeColor = 0x5343, strokePattern = 0x53434E
        /// `g`, `rg`, `k`, `G`, `RG`, `K`.
        case fillGray = 0x67, fillRGB = 0x7267, fillCMYK = 0x6B
        case strokeGray = 0x47, strokeRGB = 0x5247, strokeCMYK = 0x4B

        /// Of those that set a device's colour, how many numbers that has.
        var componentCount: Int? {
            switch self {
            case .fillGray, .strokeGray: 1
            case .fillRGB, .strokeRGB: 3
            case .fillCMYK, .strokeCMYK: 4
            default: nil
            }
        }
    }
}
