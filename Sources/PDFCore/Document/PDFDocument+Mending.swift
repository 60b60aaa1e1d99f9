extension PDFDocument {
    /// Whether objects were read that do not follow the syntax.
    package var hasDamagedObjects: Bool { !reader.damagedObjects.isEmpty }

    /// Whether an object was read that does not follow the syntax.
    package func isDamaged(_ id: ObjectID) -> Bool { reader.damagedObjects.contains(id) }

    /// Reads every object, as far as that is possible. An update will write those again that do not
    /// follow the syntax, or whose stream length is wrong, so that all viewers read the same.
    ///
    /// - Parameter missing: numbers without an object, which the update lists as null.
    package func mendObjects(missing: [Int] = []) throws(PDFError) {
        reader.numbersToList = missing
        var wrongLengths: Set<ObjectID> = []
        defer { reader.objectsToMend = reader.damagedObjects.union(wrongLengths) }
        var seen: Set<Int> = [0]
        for section in sections {
            try section.forEachEntry { (entry) throws(PDFError) in
                guard seen.insert(entry.number).inserted else { return }
                // An object that cannot be read stays as it is.
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

    /// Does the same for the catalogue alone, without which nobody strict can read anything.
    package func mendCatalog() throws(PDFError) {
        reader.objectsToMend = reader.damagedObjects.intersection([try catalogID])
    }
}
