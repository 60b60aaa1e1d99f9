import Base
import CodecBridge
import Pages
import SystemBridge

/// The picture formats for signature appearances and pages.
public enum PictureFormats {
    /// Display names of all formats, such as `PNG`.
    public static var names: [String] { PictureFormat.allCases.map(\.name) }

    /// Names of the formats that are embedded as lossless pixels; the others are photos.
    public static var losslessNames: [String] {
        PictureFormat.allCases.filter(\.isRaster).map(\.name)
    }

    /// Patterns for files in other picture formats, which are not read.
    public static var otherPatterns: [String] {
        ForeignFormat.nameExtensions.filter { !nameExtensions.contains($0) }.map { "*.\($0)" }
    }

    /// File name extensions, without the dot, in lower case.
    public static var nameExtensions: [String] {
        PictureFormat.allCases.flatMap(\.nameExtensions)
    }
}

extension PictureFormat {
    /// The format of a picture file; nil if the file is not a picture.
    init?(of file: InputFile) throws {
        self.init(head: try file.bytes(at: 0, count: Self.headByteCount))
    }
}

extension RasterPicture {
    /// Reads a picture file.
    ///
    /// - Throws: ``PhotoError``; `FileError`.
    init(_ file: InputFile, _ format: PictureFormat, isGray: Bool = false) throws {
        let bytes = try FileSystem.readAll(file, limit: Self.byteLimit)
        guard let raster = format.raster(bytes) else {
            throw PhotoError(.notAPhoto, "the file is a \(format.name) image")
        }
        try self.init(raster, isGray: isGray)
    }
}
