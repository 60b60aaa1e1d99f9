import Base
import PDFCore
import PDFSigning

/// Appearance streams that are replaced in place (ISO 32000-2 §12.5.5).
extension RevisionComparison {
    /// Accepts the replaced appearance streams of a field or annotation if no other object uses
    /// them: removes them from ``unexplainedObjects``.
    ///
    /// - Returns: whether a stream was replaced.
    mutating func settleAppearance(of id: ObjectID) throws -> Bool {
        guard !unexplainedObjects.isEmpty, let dictionary = try old.object(id).dictionaryValue,
            let appearance = dictionary["AP"], try leadsToPendingAppearance(appearance)
        else { return false }
        var isNew = false
        var holders: Set<Int> = [id.number]
        var visited: Set<ObjectID> = []
        func settleIfOwn(_ entry: PDFObject, as kind: AuxiliaryObject) throws {
            guard let entryID = entry.referenceValue, visited.insert(entryID).inserted,
                try stays(kind, id: entryID)
            else { return }
            if unexplainedObjects[entryID.number] != nil, try belongsOnly(to: holders, entryID) {
                accept(entryID)
                isNew = true
            }
            if case .stream = kind { return }
            // Other objects may use it too.
            if try leadsToPending(entryID), try isHolder(onlyFor: holders, entryID) {
                holders.insert(entryID.number)
            }
        }
        try settleIfOwn(appearance, as: .entries(Self.appearanceKeys))
        guard let appearances = try old.resolve(appearance).dictionaryValue else { return isNew }
        for key in Self.appearanceKeys.sorted(by: { $0.bytes[0] < $1.bytes[0] }) {
            guard let entry = appearances[key] else { continue }
            switch try old.resolve(entry) {
            case .stream: try settleIfOwn(entry, as: .stream)
            case .dictionary(let states):
                try settleIfOwn(entry, as: .states)
                for state in states.entries { try settleIfOwn(state.value, as: .stream) }
            default: break
            }
        }
        return isNew
    }

    /// Whether an appearance refers to an object in ``unexplainedObjects``. Several annotations may
    /// share the appearance.
    private mutating func leadsToPendingAppearance(_ entry: PDFObject, depth: Int = 0) throws
        -> Bool
    {
        let id = entry.referenceValue
        if let id {
            if unexplainedObjects[id.number] != nil { return true }
            if unchangedAppearances.contains(id) { return false }
        }
        if depth < Self.appearanceDepth, let list = try old.resolve(entry).dictionaryValue {
            for element in list.entries {
                try memory.values.spend(Self.costOfState)
                if try leadsToPendingAppearance(element.value, depth: depth + 1) { return true }
            }
        }
        if let id { unchangedAppearances.insert(id) }
        return false
    }

    /// Nesting of appearances by kind and state, and the budget cost of following one.
    private static let (appearanceDepth, costOfState) = (2, 4)

    /// Whether an appearance dictionary, or a dictionary in it, refers to an object in
    /// ``unexplainedObjects``.
    private func leadsToPending(_ id: ObjectID) throws -> Bool {
        try (old.object(id).dictionaryValue?.entries ?? []).contains { entry in
            try isPending(entry.value)
                || old.resolve(entry.value).dictionaryValue?.entries
                    .contains { isPending($0.value) } ?? false
        }
    }

    /// Keys of an appearance dictionary (ISO 32000-2 Table 170).
    private static let appearanceKeys: Set<PDFName> = ["N", "R", "D"]

    // MARK: Buttons

    /// Whether a button shows one mark for each of the same states as before, or the earlier
    /// appearance. If the value is unchanged, the earlier appearance must be plain too.
    private func isPlainButton(
        _ was: WidgetAppearance, _ now: WidgetAppearance, _ hasValueChanged: Bool
    ) throws -> Bool {
        guard try was.marks == now.marks else { return false }
        let isPlain = try now.isPlainButton { kind, state, entry in
            guard let part = try was.part(kind, state) else { return false }
            let isReplaced =
                entry.referenceValue.map { definedNumbers.contains($0.number) } ?? false
            return try !isReplaced && sameContent.holds(part, entry)
        }
        return try isPlain && (hasValueChanged || was.isPlainButton { _, _, _ in false })
    }

    /// Compares a button, whose value is the name of its state. The streams of the states must stay
    /// or show plain marks.
    mutating func compareButton(
        _ widget: ObjectID, _ value: FieldText, _ hasValueChanged: Bool, _ touched: Touched,
        _ name: String
    ) throws {
        let was = try WidgetAppearance(widget, in: old)
        let now = try WidgetAppearance(widget, in: new)
        let isKept =
            try !touched.replacedStreams.contains(widget)
            && was.hasSameStreams(as: now, by: sameContent)
        guard try isKept || isPlainButton(was, now, hasValueChanged) else {
            return reportUncertain("the appearance of field \(name) was changed")
        }
        if !isKept, !hasValueChanged {
            result.note(
                .formFilling, "the appearance of field \(name) was changed while its value stayed",
                on: ChangedPlaces(widgets: [widget]))
        }
        let states = [was, now].map { $0.state ?? "Off" }
        if states[0] != states[1], value.isPushButton || !hasValueChanged {
            note(.formFilling, "the state of field \(name) was changed")
            return reportUncertain("the state of field \(name) was changed while its value stayed")
        }
        guard !value.isPushButton else { return }
        if case .contradicts(let words) = try value.markAgreement(with: now) {
            reportUncertain("field \(name) \(words)")
        }
    }
}
