import PDFCore
import SignatureTerms

/// Whether readers agree which layers (optional content, ISO 32000-2 §8.11) are to be seen where nobody
/// has switched any.
struct ShownLayers {
    private struct Configuration {
        var listed: Set<ObjectID> = []
        var on: Set<ObjectID> = []
        var off: Set<ObjectID> = []
        var isOffAtFirst = false

        func isOff(_ layer: ObjectID) -> Bool {
            off.contains(layer) || isOffAtFirst && !on.contains(layer)
        }
    }

    private let document: PDFDocument
    private var loaded: Configuration?
    private var known: Set<ObjectID> = []
    private var hidden: [ObjectID: Bool] = [:]

    /// Most layers of a list that are looked at.
    private static let layerLimit = 10_000
    /// Intents of what is to be seen.
    private static let viewIntents: Set<PDFName> = ["View", "All"]

    init(_ document: PDFDocument) { self.document = document }

    /// What about the layers that resources name departs, in words; nil for nothing.
    mutating func doubt(about resources: PDFDictionary) throws(PDFError) -> String? {
        let properties = try document.value(resources, "Properties").dictionaryValue
        for entry in properties?.entries ?? [] {
            guard let id = entry.value.referenceValue, known.insert(id).inserted else { continue }
            if let doubt = try doubt(aboutMembership: id) { return doubt }
        }
        return nil
    }

    /// Whether something is on a layer that is not to be seen.
    mutating func isHidden(_ membership: PDFObject) throws(PDFError) -> Bool {
        guard let id = membership.referenceValue else { return false }
        if let known = hidden[id] { return known }
        let configuration = try configuration()
        var isHidden = configuration.listed.contains(id) && configuration.isOff(id)
        if !configuration.listed.contains(id),
            let values = try document.resolve(membership).dictionaryValue
        {
            isHidden = try layers(values["OCGs"]).contains(where: configuration.isOff)
        }
        hidden[id] = isHidden
        return isHidden
    }

    private mutating func doubt(aboutMembership id: ObjectID) throws(PDFError) -> String? {
        guard let values = try document.resolve(.reference(id)).dictionaryValue else { return nil }
        guard try document.value(values, "Type").nameValue == "OCMD" else {
            return try doubt(aboutLayer: id, values)
        }
        if try document.value(values, "VE") != .null {
            return "a layer that depends on others by an expression (/VE)"
        }
        let list = try document.value(values, "OCGs")
        for element in (list.arrayValue ?? []).prefix(Self.layerLimit)
        where try document.resolve(element) == .null {
            return "a layer that depends on one which is not there"
        }
        for layer in try layers(values["OCGs"]) where known.insert(layer).inserted {
            guard let own = try document.resolve(.reference(layer)).dictionaryValue else {
                continue
            }
            if let doubt = try doubt(aboutLayer: layer, own) { return doubt }
        }
        return nil
    }

    private mutating func doubt(
        aboutLayer id: ObjectID, _ values: PDFDictionary
    ) throws(PDFError) -> String? {
        let configuration = try configuration()
        // Other lists of properties stand there, too.
        guard configuration.listed.contains(id) else { return nil }
        guard try document.value(values, "Type").nameValue == "OCG" else {
            return "a layer that does not say that it is one"
        }
        let isOff = configuration.isOff(id)
        let intent = try document.value(values, "Intent")
        var intents: Set<PDFName> = []
        for element in intent.arrayValue ?? [intent] {
            if let name = try document.resolve(element).nameValue { intents.insert(name) }
        }
        if isOff, !intents.isEmpty, intents.isDisjoint(with: Self.viewIntents) {
            return "a layer that is off, and for another intent than viewing"
        }
        let usage = try document.value(values, "Usage").dictionaryValue
        let view = try usage.map { (usage) throws(PDFError) in
            try document.value(usage, "View")
        }
        let state = try view?.dictionaryValue.map { (view) throws(PDFError) in
            try document.value(view, "ViewState")
        }
        guard let name = state?.nameValue, (name == "OFF") != isOff else { return nil }
        return "a layer whose usage says another state than the document"
    }

    private func layers(_ entry: PDFObject?) throws(PDFError) -> [ObjectID] {
        guard let entry else { return [] }
        let list = try document.resolve(entry)
        return (list.arrayValue ?? [entry]).prefix(Self.layerLimit).compactMap(\.referenceValue)
    }

    private mutating func configuration() throws(PDFError) -> Configuration {
        if let loaded { return loaded }
        var found = Configuration()
        if let properties = try document.value(document.catalog(), "OCProperties").dictionaryValue {
            found.listed = Set(try layers(properties["OCGs"]))
            if let usual = try document.value(properties, "D").dictionaryValue {
                found.on = Set(try layers(usual["ON"]))
                found.off = Set(try layers(usual["OFF"]))
                found.isOffAtFirst = try document.value(usual, "BaseState").nameValue == "OFF"
            }
        }
        found.listed.formUnion(found.off)
        loaded = found
        return found
    }
}

extension ShownContent {
    mutating func lookAtLayers(of resources: PDFDictionary, _ owner: ObjectID) throws(PDFError) {
        guard resources["Properties"] != nil, let doubt = try layers.doubt(about: resources) else {
            return
        }
        note(
            .contentAmbiguous,
            "object \(owner.number), which is shown, has \(doubt): readers do not agree whether it is "
                + "to be seen")
    }

    mutating func lookAtLayer(of annotation: PDFDictionary, _ id: ObjectID) throws(PDFError) {
        guard let membership = annotation["OC"], try layers.isHidden(membership) else { return }
        note(
            .contentAmbiguous,
            "an annotation of object \(id.number) is on a layer that is off, and some readers show it "
                + "all the same")
    }
}
