package import Base
package import PDFCore

/// A signature dictionary checked by the rules of ISO 32000-2 §12.8.1, without cryptographic
/// verification.
package struct SignatureValue {
    /// The object of the dictionary; the object with the /V entry if the dictionary is direct.
    package let id: ObjectID
    package let dictionary: PDFDictionary
    package let subFilter: PDFName
    package let byteRange: ByteRange
    /// The whole decoded value of /Contents, padding included.
    package let contents: [UInt8]

    /// The value of an OCTET STRING at the start of /Contents; nil if there is none, or if nonzero
    /// bytes follow.
    package var octetStringContents: [UInt8]? {
        var reader = ASN1Reader(contents[...], .definite)
        guard let element = reader.next(ASN1Tag.octetString), reader.rest.allSatisfy({ $0 == 0 })
        else { return nil }
        return Array(element.content)
    }

    package static let maximumCount = 10_000

    /// Whether a dictionary is a signature dictionary, by its /Type or by the entry /ByteRange.
    package static func isSignature(_ dictionary: PDFDictionary) -> Bool {
        if dictionary["ByteRange"] != nil { return true }
        let type = dictionary["Type"]?.nameValue
        return type == "Sig" || type == "DocTimeStamp"
    }

    /// Reads the dictionary at `id`, or returns the problems that make it unusable.
    ///
    /// - Parameter isDirect: whether the dictionary is the /V entry of the object `id`.
    package static func read(
        _ id: ObjectID, isDirect: Bool = false, in document: PDFDocument
    ) throws -> (value: Self?, problems: [VerificationProblem]) {
        guard case .offset(let offset, _)? = try document.location(of: id) else {
            let text = "the signature dictionary is not an indirect object"
            return (nil, [.failure(.signatureNotTopLevel, text)])
        }
        let parsed = try document.parsedObject(at: offset)
        let object = isDirect ? parsed.object.dictionaryValue?["V"] ?? .null : parsed.object
        guard parsed.id == id, let dictionary = object.dictionaryValue else {
            return (nil, [.failure(.signatureMissing, "the field's value is not a dictionary")])
        }
        let (value, problems) = entries(
            of: dictionary, id, fileByteCount: document.source.byteCount)
        guard let value else { return (nil, problems) }
        let place =
            isDirect
            ? try parsed.valueRanges["V"].flatMap { (range) throws(PDFError) in
                try document.valueRanges(in: range)["Contents"]
            } : parsed.valueRanges["Contents"]
        if let problem = try value.gapProblem(place, in: document) {
            return (nil, [problem])
        }
        return (value, [])
    }

    /// The required entries, or their problems.
    private static func entries(
        of dictionary: PDFDictionary, _ id: ObjectID, fileByteCount: Int
    ) -> (value: Self?, problems: [VerificationProblem]) {
        var problems: [VerificationProblem] = []
        if let key = dictionary.duplicateKeys.first {
            problems.append(
                .failure(
                    .duplicateKey,
                    "viewers may use different values of the signature (the entry /\(key) occurs "
                        + "twice in its dictionary)"))
        }

        let subFilter = dictionary["SubFilter"]?.nameValue
        if subFilter == nil {
            problems.append(
                .failure(.subfilterMissing, "the signature dictionary has no /SubFilter"))
        }
        let byteRange = Self.byteRange(
            dictionary["ByteRange"], fileByteCount: fileByteCount, &problems)
        let contents = dictionary["Contents"]?.stringValue
        if contents == nil {
            problems.append(
                .failure(
                    .contentsMissing, "the signature dictionary has no /Contents"))
        } else if contents?.contains(where: { $0 != 0 }) != true {
            problems.append(
                .failure(
                    .contentsEmpty,
                    "the field was prepared, but not signed (its entry /Contents is empty)"))
        }
        guard problems.isEmpty, let subFilter, let byteRange, let contents else {
            return (nil, problems)
        }
        return (
            Self(
                id: id, dictionary: dictionary, subFilter: subFilter, byteRange: byteRange,
                contents: contents), []
        )
    }

    /// Checks that the gap of the byte range is exactly the /Contents string of this dictionary
    /// (attacks ISA-4, SWA-1 to SWA-3).
    ///
    /// - Parameter place: position of the dictionary's /Contents entry.
    private func gapProblem(
        _ place: Range<Int>?, in document: PDFDocument
    ) throws -> VerificationProblem? {
        let gap = try document.source.bytes(
            at: byteRange.gap.lowerBound, count: byteRange.gap.count)
        guard place == byteRange.gap else {
            // A rewritten file usually has a gap unrelated to /Contents. A forgery needs a
            // plausible gap to exclude bytes from the digest.
            let fits =
                gap.first == UInt8(ascii: "<") || gap.last == UInt8(ascii: ">")
                || place.map { $0.overlaps(byteRange.gap) } ?? true
            return .failure(
                .gapNotContents,
                (fits
                    ? "the signed byte range does not cover the whole file: it was possibly "
                        + "manipulated "
                    : "the file was rewritten after signing, so the signature does not match it ")
                    + "(the gap in the byte range is not exactly /Contents)")
        }
        // Hexadecimal strings may contain white space; an odd number of digits is rejected here.
        let digits = gap.dropFirst().dropLast().filter { !Characters.isWhiteSpace(Int($0)) }
        guard gap.first == UInt8(ascii: "<"), gap.last == UInt8(ascii: ">"),
            Hex.decode(digits) == contents
        else {
            return .failure(
                .contentsNotHex, "the entry /Contents is not a plain hexadecimal string")
        }
        return nil
    }

    private static func byteRange(
        _ entry: PDFObject?, fileByteCount: Int, _ problems: inout [VerificationProblem]
    ) -> ByteRange? {
        guard let entry else {
            problems.append(
                .failure(
                    .byteRangeMissing, "the signature dictionary has no valid /ByteRange"))
            return nil
        }
        let numbers = (entry.arrayValue ?? []).compactMap(\.integerValue)
        guard numbers.count == 4, entry.arrayValue?.count == 4 else {
            problems.append(
                .failure(
                    .byteRangeMalformed, "the signature dictionary has no valid /ByteRange"))
            return nil
        }
        let range = ByteRange(numbers, in: fileByteCount)
        if range == nil {
            let isCutOff = ByteRange(numbers, in: .max) != nil
            problems.append(
                .failure(
                    .byteRangeMalformed,
                    isCutOff
                        ? "the file was truncated or rewritten after signing, so the signature does "
                            + "not match it (byte range \(numbers), \(fileByteCount) bytes)"
                        : "the signed byte range is invalid (\(numbers))"))
        }
        return range
    }
}
