package import Base
package import PDFCore

/// Checks whether a document may be signed or timestamped.
package enum SigningPermission {
    /// - Parameter isTimestamp: a document timestamp, permitted even by a certification that permits
    ///   no changes (ISO 32000-2 Table 257).
    /// - Throws: `dynamicXFA`; for signatures `certifiedWithoutChanges` or
    ///   `forbiddenByEarlierSignature`; for timestamps `damagedAndSigned`.
    package static func check(
        _ document: PDFDocument, form: AcroForm, isTimestamp: Bool = false
    ) throws {
        let catalog = try document.catalog()
        let isDynamic = try document.value(catalog, "NeedsRendering").booleanValue == true
        if isDynamic || (form.dictionary["XFA"] != nil && form.fields.isEmpty) {
            throw PAdESError(
                .dynamicXFA,
                "the document is a dynamic XFA form: the displayed content would not be signed")
        }
        if isTimestamp, document.isRebuilt, try form.hasSignature(in: document) {
            throw PAdESError(
                .damagedAndSigned,
                "the cross-references are damaged, and repairing them would invalidate the "
                    + "existing signature")
        }
        guard !isTimestamp else { return }
        if try certification(of: document) == .noChanges {
            throw PAdESError(
                .certifiedWithoutChanges,
                "the document is certified and permits no changes (DocMDP P=1)")
        }
        if let (field, _) = try lockPermissions(form, in: document).first(where: {
            $0.permission == .noChanges
        }) {
            throw PAdESError(
                .forbiddenByEarlierSignature,
                "the signature \(field.fullName.inQuotes) permits no changes (the lock of its field has "
                    + "P=1)")
        }
    }

    /// Whether the document has usage rights, which any change by another program ends (ISO 32000-2
    /// §12.8.2.3).
    package static func hasUsageRights(_ document: PDFDocument) throws(PDFError) -> Bool {
        let rights = try document.value(document.catalog(), "Perms").dictionaryValue
        return rights?["UR3"] != nil || rights?["UR"] != nil
    }

    /// The name of the signature field whose signature locks a field; nil if none does.
    private static func fieldLocking(
        _ name: ExactText, _ form: AcroForm, in document: PDFDocument
    ) throws -> ExactText? {
        var allowance = FieldLock.nameAllowance
        for other in form.signatureFields {
            guard let signature = try document.resolve(other.value ?? .null).dictionaryValue,
                let lock = FieldLock(of: signature, in: document, &allowance), lock.covers(name)
            else { continue }
            return other.fullName
        }
        return nil
    }

    /// A note that some programs apply an existing lock to new fields, contrary to ISO 32000-2
    /// §12.7.5.5; nil if there is no lock.
    package static func lockRemark(
        on target: SignatureTarget, form: AcroForm, of document: PDFDocument
    ) throws -> String? {
        guard case .new = target,
            let other = try fieldLocking(ExactText(target.name), form, in: document)
        else { return nil }
        return
            "the signature \(other.inQuotes) locks form fields: some validators (pyHanko) report a new "
            + "signature or timestamp as a change that is not permitted"
    }

    /// Checks that `target` may be signed under `terms`, given the existing signatures.
    ///
    /// - Parameter isVisible: whether a new field has a visible appearance.
    /// - Throws: `certifiesTooLate`, `visibleFieldForbidden` or `fieldLocked`.
    package static func check(
        _ target: SignatureTarget, terms: SigningTerms, isVisible: Bool, form: AcroForm,
        of document: PDFDocument
    ) throws {
        if terms.restriction.certification != nil, try form.hasSignature(in: document) {
            throw PAdESError(
                .certifiesTooLate,
                "only the first signature can certify a document, but the document is already signed"
            )
        }
        switch target {
        case .new:
            let locks = try lockPermissions(form, in: document).map(\.permission)
            guard isVisible,
                let permitted = try ([certification(of: document)] + locks).compactMap({ $0 }).min()
            else { return }
            throw PAdESError(
                .visibleFieldForbidden,
                "the document is certified or locked (permitted: \(permitted.rawValue)):"
                    + " a new visible field is not a permitted change")
        case .existing(let field):
            if let other = try fieldLocking(field.fullName, form, in: document) {
                throw PAdESError(
                    .fieldLocked,
                    "the signature \(other.inQuotes) locks the field \(field.fullName.inQuotes)")
            }
        }
    }

    /// Checks that page content may be added before signing.
    ///
    /// - Throws: `marksBreakSignature` if a signature already covers the pages, `notPermitted`.
    package static func checkDrawing(on document: PDFDocument, form: AcroForm) throws {
        guard try !form.hasSignature(in: document) else {
            throw PAdESError(
                .marksBreakSignature,
                "the document is already signed, and content added to its pages is not a "
                    + "permitted change")
        }
        guard let encryption = document.encryption, encryption.access == .user,
            !encryption.permissions.allowsModification
        else { return }
        throw refusal(
            encryption,
            detail: "the permissions of the encrypted document do not permit page changes")
    }

    /// Checks that the permissions of an encrypted document allow signing (ISO 32000-2 Table 22). The
    /// owner password allows everything.
    ///
    /// - Throws: `notPermitted`.
    package static func checkAccess(to target: SignatureTarget, of document: PDFDocument) throws {
        guard let encryption = document.encryption, encryption.access == .user else { return }
        switch target {
        case .existing:
            guard !encryption.permissions.allowsFormFilling else { return }
            throw refusal(
                encryption,
                detail:
                    "the permissions of the encrypted document permit neither signing nor form filling"
            )
        case .new:
            guard !encryption.permissions.allowsFieldCreation else { return }
            throw refusal(
                encryption,
                detail: encryption.permissions.allowsFormFilling
                    ? "the permissions of the encrypted document permit form filling, but not "
                        + "adding a signature field"
                    : "the permissions of the encrypted document permit neither signing nor filling in "
                        + "forms")
        }
    }

    private static func refusal(_ encryption: PDFEncryption, detail: String) -> PAdESError {
        PAdESError(encryption.revision == nil ? .notPermittedToRecipient : .notPermitted, detail)
    }

    /// The permission of the document's certification; nil if it is not certified.
    package static func certification(
        of document: PDFDocument
    ) throws(PDFError) -> DocMDPPermission? {
        let permissions = try document.value(try document.catalog(), "Perms").dictionaryValue
        guard let entry = permissions?["DocMDP"],
            let signature = try document.resolve(entry).dictionaryValue
        else { return nil }
        return try certification(by: signature, in: document) ?? .ofCertification
    }

    /// The permission of a signature field's lock; nil if missing or unknown.
    package static func lockPermission(
        of field: FormField, in document: PDFDocument
    ) throws(PDFError) -> DocMDPPermission? {
        try lockP(of: field, in: document).flatMap { DocMDPPermission(p: $0) }
    }

    /// P of a signature field's lock (ISO 32000-2 Table 236).
    private static func lockP(
        of field: FormField, in document: PDFDocument
    ) throws(PDFError) -> Int? {
        try lockEntry(of: field, in: document).integerValue
    }

    private static func lockEntry(
        of field: FormField, in document: PDFDocument
    ) throws(PDFError) -> PDFObject {
        let lock = try document.value(field.dictionary, "Lock").dictionaryValue
        return try lock.map { lock throws(PDFError) in try document.value(lock, "P") } ?? .null
    }

    /// Requirements belong in the field's own dictionary (ISO 32000-2 Table 235): viewers disagree
    /// about those in another form, an ancestor or a widget.
    ///
    /// - Throws: `seedValueUnmet` if they are elsewhere or cannot be read.
    package static func checkDemands(of field: FormField, in document: PDFDocument) throws {
        for (key, words) in [("Lock" as PDFName, "a lock"), ("SV", "requirements for signatures")] {
            let own = try document.value(field.dictionary, key)
            guard own == .null || own.dictionaryValue != nil else {
                throw PAdESError(
                    .seedValueUnmet, "the field has \(words) that cannot be read (/\(key))")
            }
            guard try document.inherited(key, of: field.dictionary) ?? .null == own else {
                throw PAdESError(.seedValueUnmet, "a field above the field has \(words) (/\(key))")
            }
            for id in field.widgetIDs where id != field.id {
                let widget = try document.object(id).dictionaryValue ?? PDFDictionary()
                let entry = try document.value(widget, key)
                guard entry == .null || entry == own else {
                    throw PAdESError(
                        .seedValueUnmet, "the field's widget has \(words) of its own (/\(key))")
                }
            }
        }
        let p = try lockEntry(of: field, in: document)
        guard p == .null || p.integerValue != nil else {
            throw PAdESError(
                .seedValueUnmet, "the field requires an unknown lock (/P is not an integer)")
        }
    }

    /// Changes that signing a field would permit, according to the field's lock.
    ///
    /// - Parameter wanted: the level given by the signer; nil if not given.
    /// - Returns: nil if nothing is limited.
    /// - Throws: `lockLevelUnmet` if the levels differ, `seedValueUnmet` for an unknown level.
    package static func lockLevelDemand(
        of field: FormField, wanted: DocMDPPermission?, in document: PDFDocument
    ) throws -> SigningDemand? {
        let p = try lockP(of: field, in: document)
        let permission = p.flatMap { DocMDPPermission(p: $0) }
        if let p, permission == nil {
            throw PAdESError(
                .seedValueUnmet, "the field requires an unknown lock (P=\(p))")
        }
        guard wanted == nil || wanted == permission else {
            throw PAdESError(
                .lockLevelUnmet,
                permission.map { "the field's lock permits \($0.rawValue)" }
                    ?? "the field has no lock that limits later changes")
        }
        // The least strict level restricts no more than a missing lock.
        guard let permission, permission != .loosest else { return nil }
        return SigningDemand(.lockLevel, permission.rawValue, isAgreed: wanted != nil)
    }

    private static func lockPermissions(
        _ form: AcroForm, in document: PDFDocument
    ) throws -> [(field: FormField, permission: DocMDPPermission)] {
        try form.signatureFields.compactMap { field in
            guard let value = field.value, try document.resolve(value).dictionaryValue != nil,
                let permission = try lockPermission(of: field, in: document)
            else { return nil }
            return (field, permission)
        }
    }

    /// The permission of a certification signature, the strictest if there are several; nil for
    /// other signatures. A missing or unknown P means the default.
    package static func certification(
        by signature: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> DocMDPPermission? {
        var least: DocMDPPermission?
        for reference in try document.value(signature, "Reference").arrayValue ?? [] {
            guard let dictionary = try document.resolve(reference).dictionaryValue,
                try document.value(dictionary, "TransformMethod").nameValue == "DocMDP"
            else { continue }
            let parameters = try document.value(dictionary, "TransformParams").dictionaryValue
            let p = try parameters.flatMap { parameters throws(PDFError) in
                try document.value(parameters, "P").integerValue
            }
            let permitted = p.flatMap { DocMDPPermission(p: $0) } ?? .ofCertification
            least = min(least ?? permitted, permitted)
        }
        return least
    }
}
