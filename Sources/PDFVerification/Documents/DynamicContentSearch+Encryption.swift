import Base
import CryptoBridge
import PDFCore

/// Parts that are not encrypted, or not with the document's key.
extension DynamicContentSearch {
    /// Whether unencrypted strings and streams are findings.
    private var isEncrypted: Bool { document.encryption?.leavesDocumentOpen == false }

    mutating func lookAtEncryption() {
        guard let encryption = document.encryption else { return }
        if encryption.keyDependsOnReader {
            let message = "viewers may derive another key from the encryption dictionary"
            note(.keyByReader, message + ", and show another document")
        }
        if encryption.isDecryptedBySome {
            note(
                .keyByReader,
                "attached files alone are encrypted, for the holders of certificates: some viewers "
                    + "decrypt the pages too, and may show another document")
        }
        let clearPart: String? =
            if encryption.isIdle {
                "nothing in the document is encrypted, though it names an encryption: whoever has no "
                    + "key may have changed all of it"
            } else if encryption.leavesStringsOpen {
                "what links lead to, fields hold and annotations say is not encrypted, as the pages "
                    + "are: whoever has no key may have put it there"
            } else if encryption.hidesIntegrityCodeDemand {
                "attached files alone are encrypted: whether a MAC of the rest was taken "
                    + "away can be told only with what opens them"
            } else {
                nil
            }
        if let clearPart { note(.clearPart, clearPart) }
        // Each may contain another key: AES-GCM tags and paddings can be valid under two keys.
        let count = encryption.envelopes.reduce(0) { count, envelope in
            count + ((try? EnvelopedData(envelope))?.recipientCount ?? 1)
        }
        guard count > 1 else { return }
        note(
            .recipientGroups,
            "encrypted for \(count) recipients: each may have been given another key, and be shown "
                + "another document")
    }

    /// Trailers are not encrypted, and the value of this entry must be an indirect object (ISO
    /// 32000-2 Table 15).
    mutating func lookForClearInformation(_ information: PDFObject?) {
        guard isEncrypted, information?.dictionaryValue?.isEmpty == false else { return }
        note(
            .foreignPart,
            "the trailer holds the document's title, author and so on itself, where nothing is "
                + "encrypted: whoever has no key may have put them there")
    }

    /// An object whose strings are never encrypted, or a stream that is not.
    mutating func lookForClearParts(_ object: PDFObject, _ id: ObjectID) {
        guard isEncrypted else { return }
        if (try? document.isNeverEncrypted(id)) == true {
            note(
                .foreignPart,
                "something leads to object \(id.number), whose strings are never encrypted: whoever "
                    + "has no key may have put them there")
        }
        guard let stream = object.streamValue else { return }
        do throws(PDFError) {
            if try document.isInClear(stream) { clearStreams.append(id) }
        } catch {
            note(.foreignPart, "object \(id.number) cannot be decrypted: \(error.detail)")
        }
    }

    /// Platform-specific file names in file specifications (ISO 32000-2 Table 43).
    private static let fileKeys: [PDFName] = ["F", "UF", "DOS", "Mac", "Unix"]

    mutating func lookAtEncryption(of dictionary: PDFDictionary) {
        guard let encryption = document.encryption else { return }
        if !encryption.encryptsMetadata, let id = dictionary["Metadata"]?.referenceValue {
            outsideStreams.insert(id)
        }
        let files = dictionary["EF"].flatMap { self.dictionary($0) }
        for file in Self.fileKeys.compactMap({ files?[$0] }) {
            if let id = file.referenceValue { outsideStreams.insert(id) }
            guard let stream = value(file).streamValue, (try? document.isInClear(stream)) ?? true
            else { continue }
            found[.embeddedFile]?.first =
                "files are embedded in the document and not encrypted: whoever has no key may have "
                + "put them there"
        }
        guard isEncrypted, dictionary.isDecryptedByFew else { return }
        note(
            .foreignPart,
            "something has entries (CF or ByteRange) by which some viewers take its strings for what is "
                + "never encrypted: whoever has no key may have put them there")
    }

    /// Reports the unencrypted parts found while all objects were read.
    mutating func noteForeignParts() {
        if let part = clearStreams.first(where: { !outsideStreams.contains($0) }) {
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
}
