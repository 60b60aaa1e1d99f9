extension PDFDocument {
    /// The numbers that the objects in object streams may refer to, in every revision. Other objects
    /// are searched by ``ReferenceScanner``.
    ///
    /// Reads every copy, at each offset in any section, of the object streams that the sections name.
    /// Streams that no section lists are found only by readers that rebuild a damaged file; before
    /// signing, such a file gets new sections that list all streams found.
    ///
    /// - Throws: ``PDFError`` if a stream is damaged: viewers may find references in it.
    package func numbersReferencedInObjectStreams() throws(PDFError) -> ObjectNumberSet {
        var search = ObjectStreamSearch(reader)
        var numbers = ObjectNumberSet()
        for (id, offset) in try objectStreamPlaces() {
            // An offset without a stream is skipped, as in viewers.
            guard let stream = try? parsedObject(id, at: offset).object.streamValue else {
                continue
            }
            numbers.formUnion(try numbersReferenced(in: search.add(stream)))
        }
        numbers.formUnion(try numbersReferenced(in: search.searchBatch(isLast: true)))
        numbers.formUnion(search.numbers)
        return numbers
    }

    private func numbersReferenced(in streams: [PDFStream]) throws(PDFError) -> ObjectNumberSet {
        var scanner = ReferenceScanner()
        for stream in streams {
            let data: [UInt8]
            do throws(PDFError) {
                data = try decodedData(of: stream)
            } catch  where error.code == .unsupportedFilter {
                // Streams with unsupported filters are skipped: a document that uses one is
                // reported as damaged.
                continue
            }
            scanner.scan(data.span)
            scanner.end()
        }
        return scanner.numbers
    }

    private func objectStreamPlaces() throws(PDFError) -> [(ObjectID, offset: Int)] {
        let numbers = try objectStreamNumbers()
        guard !numbers.isEmpty else { return [] }
        let sorted = numbers.sorted()
        var places: [(ObjectID, offset: Int)] = []
        var known: Set<Int> = []
        func note(_ number: Int, at location: ObjectLocation?) {
            guard case .offset(let offset, let generation)? = location,
                known.insert(offset).inserted
            else { return }
            places.append((ObjectID(number: number, generation: generation), offset))
        }
        for section in sections {
            // Iterates over whichever is smaller, the numbers or the section's entries.
            if sorted.count < section.numberRanges.reduce(0, { $0 + $1.count }) {
                for number in sorted { note(number, at: try section.location(of: number)) }
            } else {
                try section.forEachEntry { (entry) throws(PDFError) in
                    if numbers.contains(entry.number) { note(entry.number, at: entry.location) }
                }
            }
        }
        return places
    }

    private func objectStreamNumbers() throws(PDFError) -> Set<Int> {
        var numbers: Set<Int> = []
        var last = 0
        for section in sections where section.mayHoldCompressed {
            try section.forEachEntry { (entry) throws(PDFError) in
                guard case .compressed(let stream, _) = entry.location, stream != last else {
                    return
                }
                last = stream
                numbers.insert(stream)
            }
        }
        return numbers
    }
}
