import Appearance
import ByteKit
import CryptoBridge
import PAdES
import PDFCore
import TextBridge

/// Decides what a signature looks like and where, from the person's options and the field.
struct StampDesign {
    let options: SigningOptions
    let reason: String?
    let signerName: String
    let subject: DistinguishedName
    let claimedTime: CalendarTime

    /// The look for `target`; nil leaves the signature invisible.
    func look(
        for target: SignatureTarget, in document: PDFDocument, _ update: inout IncrementalUpdate
    ) throws -> SignatureLook? {
        switch target {
        case .existing(let field):
            if options.stamp?.page != nil {
                throw SignetError(
                    .usage, "the field '\(field.fullName)' has its own place on the page",
                    hint: "leave out --at, or add a field with --new-field")
            }
            guard let widgetID = field.widgetIDs.first,
                let widget = try document.object(widgetID).dictionaryValue
            else { return nil }
            let rect = try (document.value(widget, "Rect").arrayValue ?? []).compactMap {
                try document.resolve($0).numberValue
            }
            guard rect.count == 4, rect[0] != rect[2], rect[1] != rect[3] else { return nil }
            let page = try page(of: widget, in: document)
            // The field's box is what it is, also where it leaves the page.
            let box = try StampBox(fieldRect: rect, on: page)
            return try draw(box, on: page, in: document, &update)
        case .new:
            guard let stamp = options.stamp else { return nil }
            guard let number = stamp.page else {
                throw SignetError(
                    .usage, "the stamp is described, but has no place",
                    hint: "add a place: --at last:bottom-right")
            }
            let page = try page(number, in: document)
            let box = try StampBox(
                position: stamp.placement, width: stamp.width, height: stamp.height, on: page)
            return try draw(box, on: page, in: document, &update)
        }
    }

    private func draw(
        _ box: StampBox, on page: PDFPage, in document: PDFDocument,
        _ update: inout IncrementalUpdate
    ) throws -> SignatureLook {
        let lines = StampLines(
            name: signerName, subject: subject.description, date: readableDate,
            reason: reason, location: options.location)
        let surroundings = try StampSurroundings(of: document)
        let showsText = options.stamp?.showsText ?? true
        let fonts: any StampFonts =
            showsText
            ? try StampFontChoice(
                file: options.stamp?.fontFile, mustEmbed: surroundings.mustEmbedFonts)
            : StandardStampFonts()
        let stamp: StampAppearance
        do {
            stamp = try StampAppearance(
                showsText ? lines.paragraphs(template: options.stamp?.template) : [], in: box,
                fonts: fonts, surroundings: surroundings)
        } catch let error as TextError {
            throw SignetError(
                .malformedInput, file: options.stamp?.fontFile, error.detail,
                hint: "name another font with --font")
        }
        let objects = stamp.objects { update.allocate() }
        return SignatureLook(
            page: page, rect: box.rect, appearance: objects.form, resources: objects.resources)
    }

    /// `2026-11-21 10:00:00 UTC`
    private var readableDate: String {
        claimedTime.rfc3339.replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    private func page(_ number: Int, in document: PDFDocument) throws -> PDFPage {
        let count = try document.pageCount()
        let index = number > 0 ? number - 1 : count + number
        guard (0..<count).contains(index) else {
            throw SignetError(
                .usage, "there is no page \(number): the document has \(count)",
                hint: "count from 1, or from the end with -1 (also: last)")
        }
        return try document.page(at: index)
    }

    /// The page that shows `widget`: named by it, else the first one, whose turn then counts.
    private func page(of widget: PDFDictionary, in document: PDFDocument) throws -> PDFPage {
        if let id = widget["P"]?.referenceValue, let page = try document.page(id) { return page }
        return try document.page(at: 0)
    }
}

extension StampOptions {
    fileprivate var placement: StampPosition {
        switch position {
        case .place(let place):
            .named(StampPlace(rawValue: place.rawValue) ?? .bottomRight, margin: margin)
        case .topLeft(let x, let y): .topLeft(x: x, y: y)
        case .userSpace(let x1, let y1, let x2, let y2): .userSpace(x1, y1, x2, y2)
        }
    }
}
