extension PDFDocument {
    /// Adds a warning of what was not repaired.
    package func warnOfDisagreement(_ reason: String) {
        reader.warnings.add(
            .readersDisagree,
            "readers may disagree about the document, and it cannot be written anew: \(reason)")
    }

    /// Whether objects were read that do not follow the syntax.
    package var hasDamagedObjects: Bool { !reader.damagedObjects.isEmpty }

    /// Whether an object was read that does not follow the syntax.
    package func isDamaged(_ id: ObjectID) -> Bool { reader.damagedObjects.contains(id) }

    /// Whether an object was read in which some readers take a name or number for another one.
    package func isOddlySpelled(_ id: ObjectID) -> Bool { reader.oddObjects.contains(id) }

    /// Reads every object, as far as that is possible. An update will write anew all that do not
    /// follow the syntax, so that strict readers can read them too.
    package func mendObjects() throws(PDFError) {
        defer { reader.objectsToMend = reader.damagedObjects }
        var seen: Set<Int> = [0]
        for section in sections {
            try section.forEachEntry { (entry) throws(PDFError) in
                guard seen.insert(entry.number).inserted else { return }
                // What cannot be read at all is what it was.
                switch entry.location {
                case .offset(_, let generation):
                    _ = try? self.object(ObjectID(number: entry.number, generation: generation))
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
