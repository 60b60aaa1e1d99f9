import CodecBridge

/// The brightness of the paper across a photo, for each color component.
struct PaperEstimate {
    private let componentCount: Int
    private let tileSide: Int
    private let columns: Int
    private let rows: Int
    /// The levels of all tiles; the components of a tile are adjacent.
    private var levels: [Float]

    /// - Parameter share: Share of each tile's pixels that are darker than the paper's level.
    init(_ photo: PixelImage, tileSide: Int, share: Double) {
        componentCount = photo.componentCount
        self.tileSide = tileSide
        columns = (photo.width + tileSide - 1) / tileSide
        rows = (photo.height + tileSide - 1) / tileSide
        levels = []
        levels.reserveCapacity(columns * rows * componentCount)
        for row in 0..<rows {
            for column in 0..<columns {
                for component in 0..<componentCount {
                    var histogram = [Int](repeating: 0, count: 256)
                    var count = 0
                    for y in (row * tileSide)..<min(photo.height, (row + 1) * tileSide) {
                        for x in (column * tileSide)..<min(photo.width, (column + 1) * tileSide) {
                            let index = (y * photo.width + x) * componentCount + component
                            histogram[Int(photo.samples[index])] += 1
                            count += 1
                        }
                    }
                    var (below, level) = (0, 0)
                    let wanted = Int(Double(count) * share)
                    while level < 255, below + histogram[level] <= wanted {
                        below += histogram[level]
                        level += 1
                    }
                    levels.append(Float(max(level, 1)))
                }
            }
        }
        // Thick ink fills whole tiles; the paper level is then that of the adjacent tiles.
        levels = filtered { own, around in
            let brightest = around.max() ?? own
            return own < brightest * Self.inkTileShare ? brightest : own
        }
        levels = filtered { _, around in around.reduce(0, +) / Float(around.count) }
    }

    /// A tile darker than this share of an adjacent one contains more ink than paper.
    private static let inkTileShare: Float = 0.8

    /// The level of each tile, computed from its own and those of the 3 × 3 tiles around it.
    private func filtered(_ combine: (Float, [Float]) -> Float) -> [Float] {
        var result = levels
        for row in 0..<rows {
            for column in 0..<columns {
                for component in 0..<componentCount {
                    var around: [Float] = []
                    for y in max(0, row - 1)...min(rows - 1, row + 1) {
                        for x in max(0, column - 1)...min(columns - 1, column + 1) {
                            around.append(levels[(y * columns + x) * componentCount + component])
                        }
                    }
                    let index = (row * columns + column) * componentCount + component
                    result[index] = combine(levels[index], around)
                }
            }
        }
        return result
    }

    /// The paper's level at a pixel, interpolated between the nearest tiles.
    private func level(_ x: Int, _ y: Int, _ component: Int) -> Float {
        let side = Float(tileSide)
        let (u, v) = (max(0, (Float(x) + 0.5) / side - 0.5), max(0, (Float(y) + 0.5) / side - 0.5))
        let (column, row) = (min(Int(u), columns - 1), min(Int(v), rows - 1))
        let (right, below) = (min(column + 1, columns - 1), min(row + 1, rows - 1))
        let (s, t) = (u - Float(column), v - Float(row))
        func at(_ column: Int, _ row: Int) -> Float {
            levels[(row * columns + column) * componentCount + component]
        }
        let upper = at(column, row) * (1 - s) + at(right, row) * s
        let lower = at(column, below) * (1 - s) + at(right, below) * s
        return upper * (1 - t) + lower * t
    }

    /// How much darker than the paper each pixel is, from 0 to 1, in the component with the largest
    /// difference. Blue ink is as bright as paper in the blue component.
    func darkness(of photo: PixelImage) -> [Float] {
        var result = [Float](repeating: 0, count: photo.width * photo.height)
        for y in 0..<photo.height {
            for x in 0..<photo.width {
                let pixel = y * photo.width + x
                for component in 0..<componentCount {
                    let value = Float(photo.samples[pixel * componentCount + component])
                    let darkness = 1 - value / level(x, y, component)
                    result[pixel] = max(result[pixel], darkness)
                }
            }
        }
        return result
    }

    func inkColor(of photo: PixelImage, at pixels: [Int]) -> StampColor {
        var sums = [0.0, 0.0, 0.0]
        for pixel in pixels {
            let (x, y) = (pixel % photo.width, pixel / photo.width)
            for component in 0..<componentCount {
                let value = Float(photo.samples[pixel * componentCount + component])
                sums[component] += Double(min(1, value / level(x, y, component)))
            }
        }
        let total = Double(pixels.count)
        guard total > 0 else { return StampColor(gray: 0) }
        let mean = sums.map { ($0 / total * 255).rounded() / 255 }
        return componentCount == 3
            ? StampColor(red: mean[0], green: mean[1], blue: mean[2]) : StampColor(gray: mean[0])
    }
}
