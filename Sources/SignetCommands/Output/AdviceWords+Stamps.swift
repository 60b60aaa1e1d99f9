import SignetKit

extension CommandLineVocabulary {
    func words(for advice: Advice.Place) -> Wording {
        switch advice {
        case .addPlace: "add a place: \(.place, "last:bottom-right")"
        case .checkWords: "check the words, also upper and lower case; a scan has no text"
        case .chooseNextFreePlace: "choose another place, or the next free one: \(.place, "auto")"
        case .chooseOtherPlaceOrSize:
            "choose another place with \(.place), or a smaller \(.size) or \(.margin)"
        case .chooseOtherPlaceOrUnstrictly:
            "choose another place (\(.place, "auto")), or leave out \(.strict)"
        case .chooseSmaller:
            "choose a smaller \(.size) or \(.margin), or a place of your own: \(.place, "last:bottom-right")"
        case .chooseSmallerOrOtherPage:
            "choose a smaller \(.size) or \(.margin), another page (\(.place, "1:auto")), or a place of your own: \(.place, "last:bottom-right")"
        case .consentToField(let name):
            "look at it, and sign it all the same: \(.field, name) \(.allowHidden); or sign in a place of your own: \(.newField) \(.place, "last:bottom-right")"
        case .countPages: "count from 1, or from the end with -1 (also: last)"
        case .enlargeOrUseRectangle:
            "use a larger \(.size), or say the place in the page's own units with \(.rectangle)"
        case .leaveOutPlaceOrAddField: "leave out \(.place), or add a field with \(.newField)"
        case .markFewerPages: "mark fewer pages"
        case .orderPages: "name the first page first"
        case .remakeOrSignUnseen: "have the document made anew, or sign it without a place"
        case .sayPlace(let page): "say the place as \(.place, "\(page):bottom-right")"
        case .sayPlaceOfProtected:
            "a document that needs a password cannot be handed to it; else say the place as \(.place, "last:bottom-right")"
        case .sayWhichWords(let side, let words):
            "say which one: \(.place, "\(side):1:\(words)"), or \(.place, "\(side):last:\(words)")"
        case .takeEarlierPage(let last):
            "up to page \(last) they agree; or have the document made anew"
        case .useRectangleOrRemake:
            "say the place in the page's own units with \(.rectangle), or have the document made anew"
        case .writeWords: "write them like \(.place, "text:Signature:")"
        }
    }

    func words(for advice: Advice.Outcome) -> Wording {
        switch advice {
        case .extendFurther(let file, let renewing, let givesList):
            "\(task: .extend(file: file, renewing: renewing))"
                + (givesList ? " \(giving: .revocationList)" : "")
        case .markedNothing:
            "\(.mark) drew nothing: the stamp's page is the only one that was named"
        case .verifyTrusting(let file): "\(task: .verify(file: file)) \(giving: .trust)"
        }
    }

    func words(for advice: Advice.Stamp) -> Wording {
        switch advice {
        case .giveAsInk(let file): "strokes and SVG drawings go with \(.ink, file)"
        case .giveAsPicture(let file):
            "a \(PictureFormats.alternatives) picture goes with \(.image, file)"
        case .giveOpenFont: "name a TrueType or OpenType font (.ttf, .otf, .ttc)"
        case .givePicture: "give a \(PictureFormats.names.joined(separator: " or a ")) picture"
        case .givePictureInKnownColours: "give a picture in red, green and blue, or in grey"
        case .giveStrokes: "give a transparent PNG with \(.image), or strokes as JSON"
        case .installFont(let package):
            "install one: apt install \(package); or name one with \(.font)"
        case .installTextLibraries:
            "apt install libharfbuzz0b libharfbuzz-subset0 fonts-dejavu-core"
        case .leaveOutCharacterOrNameFont:
            "leave the character out, or name a font that has it with \(.font)"
        case .makePicture: "make a \(PictureFormats.alternatives) picture of it first"
        case .nameFont: "name another font with \(.font)"
        case .nameFontOrLetFind: "name another font, or leave out \(.font) to let one be found"
        case .nameFontOrNone: "name another font, or leave out \(.font)"
        case .writeStrokes: "strokes are {\"strokes\":[[[x,y,pressure],...],...]}"
        }
    }

    func words(for advice: Advice.Text) -> Wording {
        switch advice {
        case .chooseDateLetters(let known):
            "there are \(known); letters for themselves stand in 'quotation marks'; or {date:short}, {date:long}"
        case .chooseWord(let known, let word):
            "there are \(known); for the word in braces: {{\(word)}"
        case .enlargeOrShorten: "use a larger \(.size), a shorter \(.text), or \(.noText)"
        case .installZonesOrSayOffset:
            "apt install tzdata; or say how far it is ahead of UTC: \(.timeZone, "+02:00")"
        case .leaveOutFormat: "leave out what follows the colon"
        case .leaveOutText: "for a stamp without text: \(.noText)"
        case .meantWord(let word): "did you mean {\(word)}?"
        case .quoteWords: "for example: {date:d 'de' MMMM}"
        case .sayOffset: "say how far it is ahead of UTC: \(.timeZone, "+02:00")"
        case .useLatinLetters: "say it in Latin letters with \(.text), or use \(.noText)"
        case .writeDateFormat: "for example: {date:yyyy-MM-dd}"
        case .writeZone: "for example Europe/Prague, +02:00, local or UTC"
        }
    }
}
