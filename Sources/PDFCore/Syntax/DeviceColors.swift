/// The colour spaces of devices (ISO 32000-2 §8.6.4).
package enum DeviceColors {
    /// How many components a colour has.
    package static let componentCounts: [PDFName: Int] = [
        "DeviceGray": 1, "DeviceRGB": 3, "DeviceCMYK": 4,
    ]
    /// The same with the short names of inline images (Table 92).
    package static let inlineComponentCounts = componentCounts.merging(
        ["G": 1, "RGB": 3, "CMYK": 4] as [PDFName: Int]
    ) { $1 }
}
