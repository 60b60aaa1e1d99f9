import Base

/// Named paper sizes.
public enum PaperFormat {
    /// Sizes in points, in search order; upright except `ledger`.
    private static let formats: [(name: String, width: Double, height: Double)] =
        [
            ("A0", 841, 1189), ("A1", 594, 841), ("A2", 420, 594), ("A3", 297, 420),
            ("A4", 210, 297), ("A5", 148, 210), ("A6", 105, 148), ("B4", 250, 353),
            ("B5", 176, 250),
        ].map { ($0.0, $0.1 * 72 / 25.4, $0.2 * 72 / 25.4) }
        + [
            ("letter", 8.5, 11), ("legal", 8.5, 14), ("tabloid", 11, 17), ("ledger", 17, 11),
            ("executive", 7.25, 10.5),
        ].map { ($0.0, $0.1 * 72, $0.2 * 72) }

    static let a3 = (width: 297 * 72 / 25.4, height: 420 * 72 / 25.4)
    static let a4 = (width: 210 * 72 / 25.4, height: 297 * 72 / 25.4)

    /// Names such as `A4` and `letter`, as in options.
    public static var names: [String] { formats.map(\.name) }

    /// The size in points for a name in any case; nil for an unknown name.
    public static func size(_ name: String) -> (width: Double, height: Double)? {
        formats.first { $0.name.lowercased() == name.lowercased() }.map { ($0.width, $0.height) }
    }

    /// The name of a size in points, in either orientation; nil for other sizes.
    static func name(width: Double, height: Double) -> String? {
        formats.first {
            isNear(width, to: $0.width) && isNear(height, to: $0.height)
                || isNear(width, to: $0.height) && isNear(height, to: $0.width)
        }?.name
    }

    /// Text in millimeters, such as `190 x 143 mm`.
    static func text(width: Double, height: Double) -> String {
        "\(Int(nearest: width * 25.4 / 72)) x \(Int(nearest: height * 25.4 / 72)) mm"
    }

    private static func isNear(_ one: Double, to other: Double) -> Bool { abs(one - other) < 0.5 }
}
