import PDFCore
import SignatureTerms

extension DynamicContentSearch {
    /// Looks at every object that the trailer leads to, wherever it stands, for what was not found
    /// in the places that are known; then at those that it does not lead to.
    mutating func lookAtEverything() {
        let known = Set(found.keys)
        var visited: Set<ObjectID> = []
        var fonts = formFonts()
        let information = trailerInformation()
        var pending = trailerValues() + [information].compactMap { $0 }
        var outside: Set<ObjectID> = []
        var clear: [ObjectID] = []
        defer { lookForForeignParts(inClear: clear.first { !outside.contains($0) }) }
        lookForClearInformation(information)
        while let next = pending.popLast() {
            switch next {
            case .array(let elements): pending += elements
            case .dictionary(let dictionary):
                lookAt(dictionary, known, &fonts)
                outside.formUnion(partsOutside(of: dictionary))
                pending += dictionary.entries.map(\.value)
            case .stream(let stream):
                lookForSkippedStrings(in: stream.dictionary)
                lookAt(stream: stream.dictionary, known)
                outside.formUnion(partsOutside(of: stream.dictionary))
                pending += stream.dictionary.entries.map(\.value)
            case .reference(let id):
                guard visited.insert(id).inserted else { continue }
                lookForClearStrings(in: id)
                guard remaining > 0 else {
                    isComplete = false
                    return
                }
                remaining -= 1
                if !known.contains(.danglingReference) { noteIfMissing(id) }
                guard let object = try? document.object(id) else { continue }
                if object.dictionaryValue?["BaseFont"] != nil, !fonts.insert(id).inserted {
                    continue
                }
                if let stream = object.streamValue, isInClear(stream, id) { clear.append(id) }
                pending.append(object)
            default: break
            }
        }
        lookForUnusedPages(except: visited)
    }

    /// Not what no reader looks up: other entries that name an object by a generation that it has not.
    /// Nor the encryption, which nothing else should lead to.
    private func trailerValues() -> [PDFObject] {
        document.trailer.entries.filter { entry in
            guard entry.key != "Encrypt" else { return false }
            guard entry.key != "Root", let id = entry.value.referenceValue else { return true }
            return (try? document.otherGeneration(of: id)) == nil
        }.map(\.value)
    }

    /// Fonts for fields that are filled in later: nothing is set in them yet.
    private mutating func formFonts() -> Set<ObjectID> {
        guard let catalog = try? document.catalog(), let form = dictionary(catalog["AcroForm"]),
            let resources = dictionary(form["DR"]), let fonts = dictionary(resources["Font"])
        else { return [] }
        return Set(fonts.entries.compactMap(\.value.referenceValue))
    }

    private mutating func lookAt(
        _ dictionary: PDFDictionary, _ known: Set<DocumentFinding>, _ fonts: inout Set<ObjectID>
    ) {
        lookForSkippedStrings(in: dictionary)
        let type = name(dictionary["S"]) ?? ""
        if !known.contains(.javascript), type == "JavaScript" || dictionary["JS"] != nil {
            note(.javascript, "a script")
        }
        if !known.contains(.action), Self.effects.contains(type) {
            note(.action, "an action (\(type))")
        }
        // A soft mask's function is what it says.
        if !known.contains(.transferFunction), dictionary["G"] == nil {
            lookAt(state: dictionary, "")
        }
        if !known.contains(.layer), isLayered(dictionary) {
            note(.layer, "layers that a viewer can switch on and off")
        }
        if let files = dictionary["EF"] {
            if !known.contains(.embeddedFile) {
                note(.embeddedFile, "files are embedded in the document")
            }
            lookForClearFiles(files)
        }
        if !known.contains(.fontNotEmbedded), name(dictionary["Type"]) == "Font",
            dictionary["DescendantFonts"] != nil || dictionary["CIDSystemInfo"] == nil
        {
            lookAt(font: dictionary, "somewhere in the document")
        }
    }

    /// What came to light while all was read.
    ///
    /// - Parameter part: a stream that is not encrypted, and is none of those that may be.
    private mutating func lookForForeignParts(inClear part: ObjectID?) {
        if let part {
            note(
                .clearPart,
                "object \(part.number) is not encrypted, as the rest is: whoever has no key may have "
                    + "put it there")
        }
        if document.encryption?.hasWrongPadding == true {
            note(.foreignPart, DynamicContent.foreignString)
        }
        if document.encryption?.hasWrongTag == true {
            note(
                .foreignPart,
                "a part was not encrypted with the document's key, or changed since: by somebody who "
                    + "cannot open the document")
        }
    }

    /// Title, author and so on: some readers take an older trailer's where the newest has none.
    private func trailerInformation() -> PDFObject? {
        document.sections.lazy.compactMap { $0.trailer["Info"] }.first
    }

    /// Nothing in a trailer is encrypted, and what is in that entry has to be an object of its own
    /// (ISO 32000-2 Table 15).
    private mutating func lookForClearInformation(_ information: PDFObject?) {
        guard document.encryption?.leavesDocumentOpen == false,
            information?.dictionaryValue?.isEmpty == false
        else { return }
        note(
            .foreignPart,
            "the trailer holds the document's title, author and so on itself, where nothing is "
                + "encrypted: whoever has no key may have put them there")
    }

    /// What leads to an object whose strings nobody encrypts was perhaps written for them.
    private mutating func lookForClearStrings(in id: ObjectID) {
        guard document.encryption?.leavesDocumentOpen == false,
            (try? document.isNeverEncrypted(id)) ?? false
        else { return }
        note(
            .foreignPart,
            "something leads to object \(id.number), whose strings are never encrypted: whoever has "
                + "no key may have put them there")
    }

    private mutating func lookForSkippedStrings(in dictionary: PDFDictionary) {
        guard document.encryption?.leavesDocumentOpen == false, dictionary.isDecryptedByFew else {
            return
        }
        note(
            .foreignPart,
            "something has entries (CF or ByteRange) by which some readers take its strings for what is "
                + "never encrypted: whoever has no key may have put them there")
    }

    /// Entries of attached files for the systems that there were (ISO 32000-2 Table 43).
    private static let fileKeys: [PDFName] = ["F", "UF", "DOS", "Mac", "Unix"]

    /// Streams that may be in clear: attached files, which are told by themselves, and metadata where the
    /// document says so.
    private mutating func partsOutside(of dictionary: PDFDictionary) -> [ObjectID] {
        guard let encryption = document.encryption else { return [] }
        let files = self.dictionary(dictionary["EF"])
        let metadata = encryption.encryptsMetadata ? [] : [dictionary["Metadata"]]
        let found = metadata + Self.fileKeys.map { files?[$0] }
        return found.compactMap { $0?.referenceValue }
    }

    private mutating func isInClear(_ stream: PDFStream, _ id: ObjectID) -> Bool {
        guard document.encryption?.leavesDocumentOpen == false else { return false }
        do throws(PDFError) {
            return try document.isInClear(stream)
        } catch {
            note(.foreignPart, "object \(id.number) cannot be decrypted: \(error.detail)")
            return false
        }
    }

    /// Who holds no key of a document can attach files that are not encrypted, where it allows that.
    private mutating func lookForClearFiles(_ files: PDFObject) {
        guard document.encryption != nil, let files = dictionary(files) else { return }
        for file in Self.fileKeys.compactMap({ files[$0] }) {
            // What nobody can tell may be in clear.
            guard let stream = value(file).streamValue,
                (try? document.isInClear(stream)) ?? true
            else { continue }
            replaceMessage(
                .embeddedFile,
                "files are embedded in the document and not encrypted: whoever has no key may have "
                    + "put them there")
            return
        }
    }

    /// Entries by which readers take a dictionary for a layer, or for a condition of such, whatever it
    /// says that it is (ISO 32000-2 Tables 96 and 97).
    private static let layerKeys: [PDFName] = ["OCGs", "VE", "Usage"]

    /// Whether a dictionary is a layer, is shown by one, or names one for content.
    private mutating func isLayered(_ dictionary: PDFDictionary) -> Bool {
        if let type = name(dictionary["Type"]), type == "OCG" || type == "OCMD" { return true }
        if self.dictionary(dictionary["OC"]) != nil { return true }
        guard let named = self.dictionary(dictionary["Properties"]) else { return false }
        return named.entries.contains { entry in
            let part = self.dictionary(entry.value)
            return Self.layerKeys.contains { part?[$0] != nil }
        }
    }

    private mutating func lookAt(stream: PDFDictionary, _ known: Set<DocumentFinding>) {
        if !known.contains(.externalStream), stream["F"] != nil {
            note(.externalStream, "content from another file")
        }
        if !known.contains(.referenceXObject), stream["Ref"] != nil {
            note(.referenceXObject, "a page of another document is shown")
        }
        if !known.contains(.alternateImage), stream["Alternates"] != nil {
            note(.alternateImage, "an alternate image")
        }
        if !known.contains(.layer), isLayered(stream) {
            note(.layer, "layers that a viewer can switch on and off")
        }
        lookForPrinting(stream, "", except: known)
    }

    /// What prints otherwise than it shows.
    mutating func lookForPrinting(
        _ stream: PDFDictionary, _ place: String, except known: Set<DocumentFinding> = []
    ) {
        let kinds = ["Subtype", "Subtype2"].map { value(stream[$0]).nameValue }
        if !known.contains(.postScript), kinds.contains("PS") || stream["PS"] != nil {
            note(.postScript, "PostScript is printed, and not shown\(place)")
        }
        if !known.contains(.printReplacement), stream["OPI"] != nil {
            note(.printReplacement, "other content may be printed than is shown (OPI)\(place)")
        }
    }

    /// What some readers change colours by, and others do not.
    mutating func lookAt(state: PDFDictionary, _ place: String) {
        for key in ["TR", "TR2"] as [PDFName] {
            let function = value(state[key])
            let parts = function.arrayValue.map { $0.map { value($0) } } ?? [function]
            let dictionaries = parts.map { $0.dictionaryValue ?? $0.streamValue?.dictionary }
            guard dictionaries.contains(where: { $0?["FunctionType"] != nil }) else { continue }
            note(.transferFunction, "a function changes colours in some readers (\(key))\(place)")
        }
    }

    /// Pages and catalogues in wait: a later addition needs but name them.
    private mutating func lookForUnusedPages(except used: Set<ObjectID>) {
        let numbers = Set(used.map(\.number))
        let highest = document.highestObjectNumber
        for number in stride(from: 1, through: highest, by: 1) where !numbers.contains(number) {
            guard remaining > 0 else {
                isComplete = false
                return
            }
            remaining -= 1
            guard let found = try? document.definition(of: number) else { continue }
            var generation = 0
            switch found.location {
            case .offset(_, let listed): generation = listed
            case .compressed: break
            case .free: continue
            }
            let id = ObjectID(number: number, generation: generation)
            guard let object = try? document.object(id).dictionaryValue,
                let type = name(object["Type"]), type == "Page" || type == "Catalog"
            else { continue }
            note(.unusedPage, "object \(number), a \(type), belongs to no page that is shown")
        }
    }
}
