extension PDFDocument {
    package var hasDamagedObjects: Bool { !reader.damagedObjects.isEmpty }

    package func isDamaged(_ id: ObjectID) -> Bool { reader.damagedObjects.contains(id) }

    /// Reads every readable object. An update then rewrites objects with syntax errors or wrong
    /// stream lengths, so that all viewers read the same.
    ///
    /// - Parameter missing: Numbers without an object, which the update lists as null.
    package func mendObjects(missing: [Int] = []) throws(PDFError) {
        reader.numbersToList = missing
        var wrongLengths: Set<ObjectID> = []
        defer { reader.objectsToMend = reader.damagedObjects.union(wrongLengths) }
        var seen: Set<Int> = [0]
        for section in sections {
            try section.forEachEntry { (entry) throws(PDFError) in
                guard seen.insert(entry.number).inserted else { return }
                // An unreadable object is left unchanged.
                switch entry.location {
                case .offset(_, let generation):
                    let id = ObjectID(number: entry.number, generation: generation)
                    _ = try? self.object(id)
                    if try self.inspect(id).hasDoubtfulLength { wrongLengths.insert(id) }
                case .compressed:
                    _ = try? self.object(ObjectID(number: entry.number))
                case .free:
                    break
                }
            }
        }
    }

    /// Mends only the catalog, without which strict viewers cannot open the file.
    package func mendCatalog() throws(PDFError) {
        reader.objectsToMend = reader.damagedObjects.intersection([try catalogID])
    }
}
