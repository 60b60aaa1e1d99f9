import PDFCore
import SignatureTerms

// Colours, and what they are painted with.
extension ShownContent {
    /// Colour spaces, shadings and the steps of patterns, whether they are used or not.
    mutating func lookAtColors(
        of resources: PDFDictionary, _ owner: ObjectID
    ) throws(PDFError) {
        let colors = ColorSpaces(document, functions)
        for (category, isPattern) in [("ColorSpace", false), ("Pattern", true), ("Shading", true)]
            as [(PDFName, Bool)]
        {
            for entry in try value(resources, category).dictionaryValue?.entries ?? [] {
                if category == "ColorSpace" {
                    try checkName(ofSpace: entry.value, entry.key, owner)
                }
                if let id = entry.value.referenceValue, !knownColors.insert(id).inserted,
                    isPattern || !ColorSpaces.isDefault(entry.key)
                {
                    continue
                }
                let doubt = try doubt { () throws(PDFError) in
                    try isPattern
                        ? colors.doubt(aboutPattern: entry.value)
                        : colors.doubt(aboutResource: entry.value, entry.key)
                }
                guard let doubt else { continue }
                note(
                    .contentAmbiguous,
                    "object \(owner.number), which is shown, has \(doubt): readers paint it in "
                        + "different ways")
            }
        }
    }

    /// Colours of more or fewer numbers than their space has, or beyond its range.
    mutating func checkColorKinds(
        of outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary]
    ) throws(PDFError) {
        let colors = ColorSpaces(document, functions)
        for (name, kinds) in outline.colorKinds.sorted(by: { $0.key < $1.key }) {
            guard takeLookup(chain) else { return }
            guard name != "Pattern" else {
                if kinds.contains(where: { $0.count != 0 }) { noteOddColor(id) }
                continue
            }
            guard let (entry, _) = try find(name, in: "ColorSpace", chain),
                let extent = try colors.extent(of: entry)
            else { continue }
            for kind in kinds {
                var due = extent.componentCount
                if let pattern = kind.pattern {
                    guard takeLookup(chain) else { return }
                    due = try isShape(pattern, chain) ? due : 0
                }
                if kind.count != due || kind.isBeyondTints && !extent.holdsMore {
                    return noteOddColor(id)
                }
            }
        }
    }

    private mutating func noteOddColor(_ id: ObjectID) {
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, paints in a colour of another number "
                + "of components than its space has, or beyond them: readers take various ones, or "
                + "none")
    }

    /// Whether a pattern has no colours of its own.
    private func isShape(_ pattern: PDFName, _ chain: [PDFDictionary]) throws(PDFError) -> Bool {
        guard let (entry, _) = try find(pattern, in: "Pattern", chain) else { return false }
        let object = try resolve(entry)
        guard let values = object.dictionaryValue ?? object.streamValue?.dictionary else {
            return false
        }
        return try value(values, "PaintType").integerValue == 2
    }

    /// Colours by number, where the table does not have them.
    mutating func checkTableColors(
        of outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary]
    ) throws(PDFError) {
        for (name, colors) in outline.singleColors.sorted(by: { $0.key < $1.key }) {
            guard takeLookup(chain) else { return }
            guard let (entry, _) = try find(name, in: "ColorSpace", chain),
                let parts = try resolve(entry).arrayValue, parts.count > 2,
                try resolve(parts[0]).nameValue == "Indexed",
                let highest = try resolve(parts[2]).integerValue,
                colors.highest > highest || !colors.areIndices
            else { continue }
            note(
                .contentAmbiguous,
                "the content of object \(id.number), which is shown, paints in a colour that its table "
                    + "of colours does not have: readers take another one each")
        }
    }

    /// Spaces of the resources that have the name of a device's: some readers take those instead, for
    /// images in the content by the short name too (ISO 32000-2 §8.6.5.6, §8.9.7).
    mutating func checkNames(
        of outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary]
    ) throws(PDFError) {
        guard outline.hasInlineImages else { return }
        for (name, device) in Self.shortNames {
            guard takeLookup(chain) else { return }
            guard let (entry, _) = try find(name, in: "ColorSpace", chain),
                try resolve(entry).nameValue != device
            else { continue }
            note(
                .contentAmbiguous,
                "the content of object \(id.number), which is shown, has an image, and a colour space "
                    + "under the short name of a device's (\(name)): some readers take one, others the "
                    + "other")
        }
    }

    private static let shortNames: [(PDFName, device: PDFName)] = [
        ("G", "DeviceGray"), ("RGB", "DeviceRGB"), ("CMYK", "DeviceCMYK"),
    ]
    private static let deviceNames: Set<PDFName> = ["DeviceGray", "DeviceRGB", "DeviceCMYK"]

    /// The same under the long one.
    private mutating func checkName(
        ofSpace entry: PDFObject, _ name: PDFName, _ owner: ObjectID
    ) throws(PDFError) {
        guard Self.deviceNames.contains(name), try resolve(entry).nameValue != name else { return }
        note(
            .contentAmbiguous,
            "object \(owner.number), which is shown, has a colour space of its own under the name of a "
                + "device's (\(name)): some readers take one, others the other")
    }

    /// Tiles without colours of their own, which they get from what is painted with them.
    mutating func checkShape(
        of tile: PDFStream, _ id: ObjectID, _ outline: ContentOutline, _ chain: [PDFDictionary]
    ) throws(PDFError) {
        guard try value(tile.dictionary, "PaintType").integerValue == 2 else { return }
        let resources = try value(tile.dictionary, "Resources").dictionaryValue ?? PDFDictionary()
        let shape = try self.outline(of: tile, id)
        var setsColors = shape?.setsColors == true
        if let shape, try coloredPart(of: shape, [resources]) != nil { setsColors = true }
        if setsColors {
            note(
                .contentAmbiguous,
                "object \(id.number), a pattern without colours that is shown, sets some: some readers "
                    + "take them")
        }
        for name in (outline.usedNames["ColorSpace"] ?? []).sorted() {
            guard takeLookup(chain) else { return }
            guard let (entry, _) = try find(name, in: "ColorSpace", chain),
                let parts = try resolve(entry).arrayValue, parts.count > 1,
                try resolve(parts[0]).nameValue == "Pattern"
            else { continue }
            return
        }
        // What draws the content may have chosen it.
        guard !outline.isInner else { return }
        note(
            .contentAmbiguous,
            "object \(id.number), a pattern without colours that is shown, gets none: readers paint it "
                + "in black, or not at all")
    }

    /// What a luminosity mask hides depends on the colours that it is mixed in (ISO 32000-2 Table 145).
    mutating func checkColors(ofMask entry: PDFObject, _ id: ObjectID) throws(PDFError) {
        guard let group = try resolve(entry).streamValue.map(\.dictionary),
            let attributes = try value(group, "Group").dictionaryValue
        else { return }
        let space = try value(attributes, "CS")
        let family = try resolve(space.arrayValue?.first ?? space).nameValue
        guard family.map(Self.mixingSpaces.contains) != true else { return }
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, has a soft mask whose colours are "
                + "mixed in no space that readers agree about")
    }

    private static let mixingSpaces: Set<PDFName> = [
        "DeviceGray", "DeviceRGB", "DeviceCMYK", "CalGray", "CalRGB", "ICCBased",
    ]

    /// No ink covers what is below, or lets it through.
    mutating func checkOverprint(
        of outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary]
    ) throws(PDFError) {
        for name in outline.statesOfBlankInk.sorted() {
            guard takeLookup(chain) else { return }
            guard let (entry, _) = try find(name, in: "ExtGState", chain),
                let state = try resolve(entry).dictionaryValue,
                try value(state, "OPM").integerValue == 1
            else { continue }
            let fills = try value(state, "op")
            let overprints = try fills == .null ? value(state, "OP") : fills
            guard overprints.booleanValue == true else { continue }
            note(
                .contentAmbiguous,
                "the content of object \(id.number), which is shown, prints no ink over what is below: "
                    + "some readers cover that, others do not")
        }
    }

    /// A ground is painted by patterns alone (ISO 32000-2 Table 77); some readers paint it always.
    mutating func checkGradients(
        of outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary]
    ) throws(PDFError) {
        for name in (outline.usedNames["Shading"] ?? []).sorted() {
            guard takeLookup(chain) else { return }
            guard let (entry, _) = try find(name, in: "Shading", chain) else { continue }
            let object = try resolve(entry)
            guard let shading = object.dictionaryValue ?? object.streamValue?.dictionary,
                try value(shading, "Background") != .null
            else { continue }
            note(
                .contentAmbiguous,
                "the content of object \(id.number), which is shown, paints a gradient that has a "
                    + "ground: some readers fill the page with it")
        }
    }

    /// Spaces that begin with black: those of light, and of one profile (ISO 32000-2 §8.6.8).
    mutating func checkFirstColors(
        of outline: ContentOutline, _ id: ObjectID, _ chain: [PDFDictionary]
    ) throws(PDFError) {
        for name in outline.unsetSpaces.sorted() {
            guard takeLookup(chain) else { return }
            guard let (entry, _) = try find(name, in: "ColorSpace", chain) else { continue }
            let parts = try resolve(entry).arrayValue ?? [entry]
            let family = try resolve(parts.first ?? .null).nameValue
            var isBlack = ["CalGray", "CalRGB", "DeviceGray", "DeviceRGB"].contains(family)
            if family == "ICCBased", parts.count > 1,
                let profile = try resolve(parts[1]).streamValue
            {
                let count = try value(profile.dictionary, "N").integerValue
                isBlack = count == 1 || count == 3
            }
            guard !isBlack else { continue }
            note(
                .contentAmbiguous,
                "the content of object \(id.number), which is shown, chooses a colour space and no "
                    + "colour: readers paint in another one each")
        }
    }
}
