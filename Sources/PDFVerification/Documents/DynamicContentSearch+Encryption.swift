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
            note(.keyByReader, message + " and display other content")
        }
        if encryption.isDecryptedBySome {
            note(
                .keyByReader,
                "only attached files are encrypted (for certificates): some viewers also decrypt the "
                    + "pages and may display other content")
        }
        let clearPart: String? =
            if encryption.isIdle {
                "the document has an encryption dictionary, but nothing is encrypted: anyone could "
                    + "modify it without the key"
            } else if encryption.leavesStringsOpen {
                "the pages are encrypted, but links, field values and annotations are not: anyone could "
                    + "add them without the key"
            } else if encryption.hidesIntegrityCodeDemand {
                "only attached files are encrypted: a removed MAC can be detected only with their "
                    + "password or key"
            } else {
                nil
            }
        if let clearPart { note(.clearPart, clearPart) }
        // Each recipient may get another key: AES-GCM tags and padding can be valid under two keys.
        let count = encryption.envelopes.reduce(0) { count, envelope in
            count + ((try? EnvelopedData(envelope))?.recipientCount ?? 1)
        }
        guard count > 1 else { return }
        note(
            .recipientGroups,
            "encrypted for \(count) recipients: each may have another key and see other content")
    }

    /// Reports a direct /Info dictionary. Trailers are not encrypted, and ISO 32000-2 Table 15
    /// requires an indirect object.
    mutating func lookForClearInformation(_ information: PDFObject?) {
        guard isEncrypted, information?.dictionaryValue?.isEmpty == false else { return }
        note(
            .foreignPart,
            "the title and other document information are in the unencrypted trailer: anyone could add "
                + "them without the key")
    }

    /// Reports an object whose strings are never encrypted, and records a stream that is not
    /// encrypted.
    mutating func lookForClearParts(_ object: PDFObject, of id: ObjectID) {
        guard isEncrypted else { return }
        if (try? document.isNeverEncrypted(id)) == true {
            note(
                .foreignPart,
                "the strings of an object are never encrypted: anyone could add them without the key "
                    + "(object \(id.number))")
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
                "embedded files are not encrypted: anyone could add them without the key"
        }
        guard isEncrypted, dictionary.isDecryptedByFew else { return }
        note(
            .foreignPart,
            "some viewers do not decrypt strings next to the entries CF or ByteRange: anyone could add "
                + "them without the key")
    }

    /// Reports the unencrypted parts found while all objects were read.
    mutating func noteForeignParts() {
        if let part = clearStreams.first(where: { !outsideStreams.contains($0) }) {
            note(
                .clearPart,
                "a part of the document is not encrypted: anyone could add it without the key (object "
                    + "\(part.number))")
        }
        if document.encryption?.hasWrongPadding == true {
            note(.foreignPart, DynamicContent.foreignString)
        }
        if document.encryption?.hasWrongTag == true {
            note(
                .foreignPart,
                "a part is encrypted with another key or was modified: its author did not have the key "
                    + "of the document")
        }
    }
}
