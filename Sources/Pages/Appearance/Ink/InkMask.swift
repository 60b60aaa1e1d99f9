/// The ink pixels of a photo.
struct InkMask {
    private let width: Int
    private let height: Int
    private var isInk: [Bool]
    /// Number of pixels removed because they are connected to the photo's edge.
    private(set) var edgeCount = 0

    /// Connected ink below this share of all ink, or below this number of pixels, is a speck.
    private static let speckShare = 0.004
    private static let speckPixels = 12
    /// Width of the soft edge around ink, in pixels.
    private static let edge = 2

    init(_ darkness: [Float], width: Int, height: Int, threshold: Double) {
        self.width = width
        self.height = height
        isInk = darkness.map { Double($0) >= threshold }
    }

    var count: Int { isInk.reduce(0) { $0 + ($1 ? 1 : 0) } }

    /// Whether a pixel is ink or close to it.
    func isNear(_ index: Int) -> Bool {
        if isInk[index] { return true }
        let (x, y) = (index % width, index / width)
        for row in max(0, y - Self.edge)...min(height - 1, y + Self.edge) {
            for column in max(0, x - Self.edge)...min(width - 1, x + Self.edge)
            where isInk[row * width + column] { return true }
        }
        return false
    }

    /// Removes specks that are too small for handwriting, and ink that touches the photo's edge.
    mutating func removeSpecks() {
        var components: [(pixels: [Int], touchesEdge: Bool)] = []
        var isSeen = [Bool](repeating: false, count: isInk.count)
        for start in isInk.indices where isInk[start] && !isSeen[start] {
            var pixels = [start]
            var touchesEdge = false
            isSeen[start] = true
            var next = 0
            while next < pixels.count {
                let (x, y) = (pixels[next] % width, pixels[next] / width)
                next += 1
                touchesEdge = touchesEdge || x == 0 || y == 0 || x == width - 1 || y == height - 1
                for row in max(0, y - 1)...min(height - 1, y + 1) {
                    for column in max(0, x - 1)...min(width - 1, x + 1) {
                        let index = row * width + column
                        guard isInk[index], !isSeen[index] else { continue }
                        isSeen[index] = true
                        pixels.append(index)
                    }
                }
            }
            components.append((pixels, touchesEdge))
        }
        let inner = components.filter { !$0.touchesEdge }
        edgeCount = components.filter(\.touchesEdge).reduce(0) { $0 + $1.pixels.count }
        let total = inner.reduce(0) { $0 + $1.pixels.count }
        let least = max(Self.speckPixels, Int(Double(total) * Self.speckShare))
        isInk = [Bool](repeating: false, count: isInk.count)
        for component in inner where component.pixels.count >= least {
            for pixel in component.pixels { isInk[pixel] = true }
        }
    }

    /// The bounding box of the ink with its soft edge; `nil` if there is no ink.
    var bounds: PixelBox? {
        var box = PixelBox(left: width, top: height, right: 0, bottom: 0)
        for y in 0..<height {
            for x in 0..<width where isInk[y * width + x] {
                box.left = min(box.left, x)
                box.right = max(box.right, x + 1)
                box.top = min(box.top, y)
                box.bottom = max(box.bottom, y + 1)
            }
        }
        guard box.left < box.right else { return nil }
        return PixelBox(
            left: max(0, box.left - Self.edge), top: max(0, box.top - Self.edge),
            right: min(width, box.right + Self.edge), bottom: min(height, box.bottom + Self.edge))
    }

    /// The ink pixels that are at least as dark as the quantile `share` of the ink.
    func pixels(darkerThan share: Double, _ darkness: [Float]) -> [Int] {
        let least = self.darkness(at: share, of: darkness)
        return isInk.indices.filter { isInk[$0] && Double(darkness[$0]) >= least }
    }

    /// The quantile `share` of the darkness of the ink.
    func darkness(at share: Double, of darkness: [Float]) -> Double {
        let sorted = isInk.indices.filter { isInk[$0] }.map { darkness[$0] }.sorted()
        guard !sorted.isEmpty else { return 1 }
        return Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))])
    }
}
