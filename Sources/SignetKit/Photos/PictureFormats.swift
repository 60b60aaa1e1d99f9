import Base
import CodecBridge
import Pages
import SystemBridge

/// The formats of pictures that stamps and pages take.
public enum PictureFormats {
    /// What people call them, such as `PNG`.
    public static var names: [String] { PictureFormat.allCases.map(\.name) }

    /// What people call those whose pixels go into pages, without loss; the others are photos.
    public static var losslessNames: [String] {
        PictureFormat.allCases.filter(\.isRaster).map(\.name)
    }

    /// Endings of the names of their files, without the dot, in small letters.
    ///
    /// - Parameter rare: those too that few programs give.
    public static func nameExtensions(rare: Bool = false) -> [String] {
        PictureFormat.allCases.flatMap { $0.nameExtensions(rare: rare) }
    }
}

extension PictureFormat {
    /// Nil for what is none.
    init?(of file: InputFile) throws {
        self.init(head: try file.bytes(at: 0, count: Self.headByteCount))
    }
}

extension RasterPicture {
    /// - Throws: ``PhotoError``; `FileError`.
    init(_ file: InputFile, _ format: PictureFormat, isGray: Bool = false) throws {
        let bytes = try FileSystem.readAll(file, limit: Self.byteLimit)
        guard let raster = format.raster(bytes) else {
            throw PhotoError(.notAPhoto, "is a \(format.name) photo")
        }
        try self.init(raster, isGray: isGray)
    }
}
