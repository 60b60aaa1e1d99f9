extension PDFDocument {
    /// An object; null if it is free or missing (ISO 32000-2 §7.3.10).
    package func object(_ id: ObjectID) throws(PDFError) -> PDFObject {
        if let known = objects[id.number], known.id == id { return known.object }
        guard let location = try location(of: id) else {
            try warnOfOtherGeneration(id)
            return .null
        }
        let item: CachedObject
        switch location {
        case .free:
            return .null
        case .offset(let offset, _):
            item = try object(id, at: offset)
        case .compressed(let stream, let index):
            item = try object(id, at: index, of: objectStream(stream))
        }
        objects.insert(item, for: id.number)
        return item.object
    }

    /// Reads an object at an offset. The views of all revisions share parsed objects, except
    /// streams and repaired objects. The /Length object of a stream may differ between revisions;
    /// each document reports its own repairs.
    private func object(_ id: ObjectID, at offset: Int) throws(PDFError) -> CachedObject {
        let place = ObjectPlace(offset: offset)
        if let known = reader.objects[place], known.id == id { return known }
        let parsed = try load(id.number) { () throws(PDFError) in
            try self.parsedObject(id, at: offset)
        }
        let item = CachedObject(parsed)
        if options.repair == .never, parsed.object.streamValue == nil {
            reader.objects.insert(item, for: place)
        }
        return item
    }

    /// Reads an object in an object stream. All revisions share these objects if the stream does
    /// not depend on the revision.
    private func object(
        _ id: ObjectID, at index: Int, of stream: ObjectStream
    ) throws(PDFError) -> CachedObject {
        let place = stream.sharedPlace.map { ObjectPlace(offset: $0, index: index) }
        if let place, let known = reader.objects[place], known.id == id { return known }
        let (object, byteCount) = try stream.object(id, at: index, by: reader)
        if byteCount > PDFLimits.objectCacheByteCount { try reader.waste(byteCount) }
        let item = CachedObject(id: id, object: object, byteCount: byteCount)
        if let place { reader.objects.insert(item, for: place) }
        return item
    }

    func parsedObject(_ id: ObjectID, at offset: Int) throws(PDFError) -> ParsedObject {
        do throws(PDFError) {
            let parsed = try readObject(at: offset, recordsRanges: false)
            guard parsed.id == id else {
                throw PDFError(
                    .wrongObject, "object \(parsed.id) instead of \(id)", offset: offset,
                    object: id)
            }
            return parsed
        } catch {
            guard error.code == .wrongObject, options.repair != .never,
                let nearby = try reader.position(of: id, near: offset)
            else { throw error.within(id) }
            reader.warnings.add(
                .objectOffset, "the object begins at \(nearby)", offset: offset, object: id)
            return try readObject(at: nearby, recordsRanges: false)
        }
    }

    private func readObject(at offset: Int, recordsRanges: Bool) throws(PDFError) -> ParsedObject {
        try reader.read(at: offset, recordsRanges: recordsRanges) { (length) throws(PDFError) in
            try self.resolve(.reference(length)).integerValue
        }
    }

    package func resolve(_ object: PDFObject) throws(PDFError) -> PDFObject {
        var current = object
        for _ in 0..<PDFLimits.referenceHops {
            guard case .reference(let id) = current else { return current }
            current = try self.object(id)
            noteChain(id, as: current)
        }
        throw PDFError(
            .limitExceeded, "more than \(PDFLimits.referenceHops) chained references",
            object: object.referenceValue)
    }

    /// The value of a key with references resolved; null if the key is absent.
    package func value(_ dictionary: PDFDictionary, _ key: PDFName) throws(PDFError) -> PDFObject {
        guard let value = dictionary[key] else { return .null }
        return try resolve(value)
    }

    /// The object whose number is at `offset`, with the ranges of its values.
    package func parsedObject(
        at offset: Int, recordsRanges: Bool = true
    ) throws(PDFError) -> ParsedObject {
        try readObject(at: offset, recordsRanges: recordsRanges)
    }

    /// The bytes of a stream after all filters.
    package func decodedData(
        of stream: PDFStream, upTo byteLimit: Int = .max
    ) throws(PDFError) -> [UInt8] {
        try reader.decodedData(of: stream, upTo: byteLimit) { (object) throws(PDFError) in
            try self.resolve(object)
        }
    }

    /// The decrypted bytes of a stream, before its filters.
    package func rawData(of stream: PDFStream) throws(PDFError) -> [UInt8] {
        try reader.rawData(of: stream) { (object) throws(PDFError) in try self.resolve(object) }
    }

    /// Runs `body` unless it is already running for the same object. Nested dependencies need
    /// stack, so their depth is limited too.
    private func load<Result>(
        _ number: Int, _ body: () throws(PDFError) -> Result
    ) throws(PDFError) -> Result {
        let id = ObjectID(number: number)
        guard loading.count < PDFLimits.referenceHops else {
            throw PDFError(.limitExceeded, "objects depend on too many other objects", object: id)
        }
        guard loading.insert(number).inserted else {
            throw PDFError(.referenceLoop, "the object depends on itself", object: id)
        }
        defer { loading.remove(number) }
        return try body()
    }
}

// MARK: Object streams

extension PDFDocument {
    private func objectStream(_ number: Int) throws(PDFError) -> ObjectStream {
        if let known = objectStreams[number] { return known }
        let id = ObjectID(number: number)
        guard case .offset(let offset, _)? = try location(of: id) else {
            throw PDFError(.malformedObjectStream, "the object stream does not exist", object: id)
        }
        if let known = reader.objectStreams[offset], known.number == number { return known }
        guard case .stream(let stream) = try object(id) else {
            throw PDFError(.malformedObjectStream, "the object stream does not exist", object: id)
        }
        // The views of all revisions share streams without references.
        var walk = ReferenceWalk(through: .stream(stream))
        let isShared = walk.next() == nil
        let loaded = try load(number) { () throws(PDFError) in
            // /Extends may refer to an object in this same stream.
            try checkExtends(stream.dictionary, of: number)
            return try reader.objectStream(
                stream, number: number, isShared: isShared, resolve: self.resolve)
        }
        if options.repair == .never, isShared {
            loaded.sharedPlace = offset
            reader.objectStreams.insert(loaded, for: offset)
        } else {
            objectStreams.insert(loaded, for: number)
        }
        return loaded
    }

    /// Chains of /Extends must end (ISO 32000-2 §7.5.7). They are not searched for objects, but a
    /// loop indicates a malicious file.
    private func checkExtends(_ dictionary: PDFDictionary, of number: Int) throws(PDFError) {
        var chain: Set<Int> = [number]
        var current = dictionary
        while case .reference(let id)? = current["Extends"], !checkedExtends.contains(id.number) {
            guard chain.insert(id.number).inserted else {
                throw PDFError(
                    .referenceLoop, "object streams extend each other in a circle", object: id)
            }
            guard case .stream(let next) = try object(id) else { break }
            current = next.dictionary
        }
        checkedExtends.formUnion(chain)
    }
}
