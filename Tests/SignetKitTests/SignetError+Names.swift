import SignetKit

extension SignetError {
    /// What may help, by its type.
    var advice: Advice? {
        guard case .advice(let advice)? = hint?.parts.first else { return nil }
        return advice
    }

    /// Whether it asks to agree to the setting, with the value where one is given.
    func names(_ setting: Wording.Setting, _ value: String? = nil) -> Bool {
        guard case .document(.agree(let settings))? = advice else { return false }
        return settings.parts.contains { part in
            guard case .setting(setting, let mention) = part else { return false }
            return value.map { mention == .value($0) } ?? true
        }
    }
}
