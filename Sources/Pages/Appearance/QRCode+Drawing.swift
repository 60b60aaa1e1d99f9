import Base
import CodecBridge

extension QRCode {
    /// Minimum width of a module in millimeters: three pixels of a scan at 200 dpi.
    private static let smallestModule = 0.38
    private static let pointsPerMillimeter = 72 / 25.4

    /// Draws the code in black on an opaque white square, as one path, so that no seams are visible.
    ///
    /// - Throws: `codeTooSmall`.
    func draw(
        in design: StampPanel, on canvas: inout ContentWriter, _ colors: ColorSetter
    ) throws(AppearanceError) {
        let (area, modules) = (design.code, Double(width + 2 * Self.quietZone))
        let module = area.width / modules
        let missing = modules * Self.smallestModule * Self.pointsPerMillimeter - area.width
        guard missing <= 0 else {
            let size = [design.bounds.width, design.bounds.height].map {
                Int((($0 + missing) / Self.pointsPerMillimeter).rounded(.up))
            }
            throw AppearanceError(
                .codeTooSmall,
                "the QR code cannot be scanned at this size: it requires \(size[0])x\(size[1])mm")
        }
        canvas.line("q")
        canvas.line(colors.fill(StampColor(gray: 1)))
        canvas.line([area.x, area.y, area.width, area.height], "re f")
        canvas.line(colors.fill(StampColor(gray: 0)))
        let inset = Double(Self.quietZone) * module
        canvas.line(
            [module, 0, 0, -module, area.x + inset, area.y + area.height - inset], "cm")
        for block in blocks {
            canvas.line(
                [block.column, block.row, block.width, block.height].map(Double.init), "re")
        }
        canvas.line("f")
        canvas.line("Q")
    }
}
