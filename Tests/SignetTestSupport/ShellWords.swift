/// Arguments of a command in shell notation: `"sign 'my letter.pdf' --key \(key) \(options)"`. An
/// interpolated string is one argument; an interpolated list adds one argument per element.
package struct ShellWords: ExpressibleByArrayLiteral, ExpressibleByStringInterpolation {
    package let words: [String]

    package init(arrayLiteral words: String...) { self.words = words }

    package init(stringLiteral text: String) {
        var interpolation = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        interpolation.appendLiteral(text)
        self.init(stringInterpolation: interpolation)
    }

    package init(stringInterpolation: StringInterpolation) {
        var text = stringInterpolation
        text.endWord()
        words = text.words
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var words: [String] = []
        private var word: String?
        private var isQuoted = false

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) {
            for character in text {
                switch character {
                case "'":
                    isQuoted.toggle()
                    append("")
                case " " where !isQuoted: endWord()
                default: append(String(character))
                }
            }
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            append(value.description)
        }

        package mutating func appendInterpolation(_ more: [String]) {
            endWord()
            words += more
        }

        package mutating func appendInterpolation(_ more: ShellWords) {
            appendInterpolation(more.words)
        }

        private mutating func append(_ text: String) { word = (word ?? "") + text }

        fileprivate mutating func endWord() {
            if let word { words.append(word) }
            word = nil
        }
    }
}
