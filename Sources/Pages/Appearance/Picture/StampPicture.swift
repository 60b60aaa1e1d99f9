package import Base
package import CodecBridge
package import PDFCore

/// A picture in a stamp: a photo, a logo, or handwriting.
package struct StampPicture: Sendable {
    private enum Content: Sendable {
        /// JPEG data to be embedded.
        case photo(ImageProperties, [UInt8], orientation: Int)
        case pixels(PixelStreams, orientation: Int)
        case ink(InkDrawing)
    }

    private let content: Content
    /// Whether it is handwriting that shadows may have changed.
    package private(set) var isDoubtfulInk = false

    /// A JPEG photo. Its data is unchanged, except that metadata such as the location is removed.
    /// Arithmetic coding, which PDF viewers do not support, is replaced losslessly.
    ///
    /// - Throws: ``PhotoError``, or an error of the source.
    package init(jpeg source: any ByteSource) throws {
        let photo = try Photo(source)
        let sink = MemorySink()
        let method: PhotoMethod =
            photo.markers.isArithmetic
            ? .transcoded(JPEGTranscoder(method: .lossless)) : .untouched(strips: true)
        let (properties, _) = try photo.write(method, from: source, to: sink)
        content = .photo(properties, sink.bytes, orientation: photo.orientation)
    }

    /// - Throws: `badPicture`, or `libraryMissing` if the decoder's library is not installed.
    package init(_ file: PNGFile) throws(AppearanceError) {
        let image = try Self.decode(file)
        content = .pixels(
            PixelStreams(image, file: file.stream()), orientation: file.orientation)
    }

    /// A drawing, cropped to its visible pixels.
    ///
    /// - Throws: `badPicture`, `noInk`, or `libraryMissing` if the decoder's library is not
    ///   installed.
    package init(drawing file: PNGFile) throws(AppearanceError) {
        guard let image = try Self.decode(file).visiblePart else {
            throw AppearanceError(.noInk, "the file contains no drawing")
        }
        content = .pixels(PixelStreams(image, file: nil), orientation: 1)
    }

    package init(ink: InkDrawing) { content = .ink(ink) }

    /// The ink of a photo (JPEG) of handwriting on paper.
    ///
    /// - Throws: ``PhotoError``, `noInk`, or an error of the source.
    package init(inkOfJPEG source: any ByteSource) throws {
        let photo = try Photo(source)
        let pixels: PixelImage
        do {
            pixels = try PixelImage(
                jpeg: source, markers: photo.markers, longestSide: InkFromPhoto.workingSide)
        } catch let error as CodecError {
            throw PhotoError(error)
        }
        let ink = try InkFromPhoto(pixels)
        isDoubtfulInk = ink.isDoubtful
        content = .pixels(PixelStreams(ink), orientation: photo.orientation)
    }

    /// The ink of a picture of handwriting on paper.
    ///
    /// - Throws: `badPicture`, `noInk`, or `libraryMissing` if the decoder's library is not
    ///   installed.
    package init(inkOf file: PNGFile) throws(AppearanceError) {
        let ink = try InkFromPhoto(try Self.decode(file))
        isDoubtfulInk = ink.isDoubtful
        content = .pixels(PixelStreams(ink), orientation: file.orientation)
    }

    private static func decode(_ file: PNGFile) throws(AppearanceError) -> PixelImage {
        do {
            return try file.pixels()
        } catch {
            throw AppearanceError(
                error.code == .libraryMissing ? .libraryMissing : .badPicture, error.detail)
        }
    }

    /// Width and height in upright orientation; only their ratio matters.
    var size: (width: Double, height: Double) {
        switch content {
        case .photo(let properties, _, let orientation):
            Self.size(properties.width, height: properties.height, orientation: orientation)
        case .pixels(let streams, let orientation):
            Self.size(streams.width, height: streams.height, orientation: orientation)
        case .ink(let ink): (ink.bounds.width, ink.bounds.height)
        }
    }

    private static func size(
        _ width: Int, height: Int, orientation: Int
    ) -> (width: Double, height: Double) {
        orientation >= 5 ? (Double(height), Double(width)) : (Double(width), Double(height))
    }

    /// A picture whose objects are in a document.
    package struct Placed: Sendable {
        package let id: ObjectID
        let size: (width: Double, height: Double)
        /// The size at which the object is drawn without a matrix, and its orientation.
        fileprivate let natural: (width: Double, height: Double)
        fileprivate let orientation: Int

        /// The matrix that draws the picture upright and centered in a box, with its proportions.
        func matrix(x: Double, y: Double, width: Double, height: Double) -> [Double] {
            let scale = min(width / size.width, height / size.height)
            let (w, h) = (size.width * scale, size.height * scale)
            var matrix = PageLayout.matrix(
                orientation, x: x + (width - w) / 2, y: y + (height - h) / 2, width: w, height: h)
            for index in 0..<2 {
                matrix[index] /= natural.width
                matrix[2 + index] /= natural.height
            }
            return matrix
        }
    }

    /// The PDF objects of the picture.
    ///
    /// - Throws: `colorsNotPermitted`.
    package func objects(
        _ surroundings: StampSurroundings, allocate: () -> ObjectID
    ) throws(AppearanceError) -> (Placed, [(ObjectID, PDFObject)]) {
        let id = allocate()
        var objects: [(ObjectID, PDFObject)] = []
        var natural = (width: 1.0, height: 1.0)
        var turn = 1
        switch content {
        case .photo(let properties, let data, let orientation):
            turn = orientation
            var dictionary = properties.dictionary
            if let profile = properties.profile,
                !surroundings.isArchivalPart1 || profile.bytes[8] == 2
            {
                let profileID = allocate()
                objects.append((profileID, .stream(profile.stream)))
                dictionary["ColorSpace"] = .array([.name("ICCBased"), .reference(profileID)])
            } else if properties.componentCount < 4 {
                dictionary["ColorSpace"] = ColorSetter.space(
                    componentCount: properties.componentCount, surroundings)
            } else if !surroundings.permitsDeviceCMYK {
                throw AppearanceError(
                    .colorsNotPermitted,
                    "the image has CMYK colors without a profile, which PDF/A does not permit "
                        + "here")
            }
            objects.append((id, .stream(PDFStream(dictionary: dictionary, data: data))))
        case .pixels(let streams, let orientation):
            turn = orientation
            objects = streams.objects(id, surroundings, allocate: allocate)
        case .ink(let ink):
            let (form, width, height) = ink.form(surroundings)
            natural = (width, height)
            objects.append((id, .stream(form)))
        }
        return (Placed(id: id, size: size, natural: natural, orientation: turn), objects)
    }
}
