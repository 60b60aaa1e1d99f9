import CMSKit
import KeyBridge
import SystemBridge

/// The PKCS#11 modules of this system. Only command line, environment and system configuration
/// determine them, never a document or certificate.
enum TokenModules {
    /// A module, with its name in the configuration.
    struct Known: Sendable {
        let name: String?
        let path: String
    }

    static let variable = "SIGNET_PKCS11_MODULE"
    /// Maximum size of a configuration file, in bytes.
    private static let byteLimit = 64 * 1024
    /// Name of this program in configurations that restrict a module to some programs.
    private static let program = "signet"

    /// The modules that are searched for a token.
    ///
    /// - Throws: ``SigningFailure``: `missing` without a module, `usage` for an invalid variable.
    static func modules(for uri: PKCS11URI) throws -> [Known] {
        if let path = uri.modulePath { return [Known(name: nil, path: path)] }
        if let name = uri.moduleName { return [try named(name)] }
        if let path = ProcessEnvironment.trustedPath(variable) {
            return [Known(name: nil, path: path)]
        }
        if ProcessEnvironment.string(variable) != nil {
            // If a module is named, no other one is used.
            throw SigningFailure(
                .usage, "\(variable) is not the absolute path of a PKCS#11 module",
                hint: Sentence(.writeTokenURI))
        }
        let found = configured()
        guard found.isEmpty else { return found }
        throw SigningFailure(
            .missing, "no PKCS#11 module is installed",
            hint: Sentence(
                ProcessEnvironment.isSuperuser ? .installSomeModuleAsRoot : .installSomeModule))
    }

    /// Exit status if a module ends the process (EX_UNAVAILABLE).
    private static let foreignStatus: Int32 = 69

    /// Loads modules; unusable ones are skipped as long as one is usable.
    static func load(_ known: [Known]) throws -> [(module: TokenModule, name: String?)] {
        StandardOutput.redirectForeignOutput()
        ProcessExit.atEnd { TokenModule.closeAll() }
        ProcessExit.expectForeignCode(status: foreignStatus)
        var loaded: [(TokenModule, String?)] = []
        var failure: (any Error)?
        for item in known {
            do {
                loaded.append((try TokenModule.load(item.path), item.name))
            } catch {
                failure = failure ?? error
            }
        }
        if loaded.isEmpty, let failure { throw failure }
        return loaded
    }

    private static func named(_ name: String) throws -> Known {
        if let known = configured(limited: false).first(where: { $0.name == name }) { return known }
        for folder in folders {
            for file in ["\(folder)/lib\(name).so", "\(folder)/\(name).so"]
            where FileSystem.isRegularFile(file) { return Known(name: name, path: file) }
        }
        let names = configured(limited: false).compactMap(\.name).joined(separator: ", ")
        throw SigningFailure(
            .missing,
            "the PKCS#11 module '\(name)' was not found"
                + (names.isEmpty ? "" : "; configured: \(names)"), hint: Sentence(.listKeys))
    }

    // MARK: The system's configuration (pkcs11.conf(5))

    #if arch(x86_64)
        private static let machine = "x86_64-linux-gnu"
    #elseif arch(arm64)
        private static let machine = "aarch64-linux-gnu"
    #else
        private static let machine = "."
    #endif

    private static let folders = [
        "/usr/lib/\(machine)/pkcs11", "/usr/lib/pkcs11", "/usr/lib64/pkcs11",
        "/usr/lib/\(machine)/softhsm", "/usr/lib/softhsm",
    ]

    /// Folders with module configurations. The superuser does not use a user's own configuration.
    private static var configurationFolders: [String] {
        var folders: [String] = []
        if !ProcessEnvironment.isSuperuser, let home = ProcessEnvironment.trustedPath("HOME") {
            let config = ProcessEnvironment.trustedPath("XDG_CONFIG_HOME") ?? home + "/.config"
            folders.append(config + "/pkcs11/modules")
        }
        return folders + ["/etc/pkcs11/modules", "/usr/share/p11-kit/modules"]
    }

    /// Configured modules. If several have the same name, the first one is used.
    ///
    /// - Parameter limited: whether modules that are not enabled for this program are omitted.
    static func configured(limited: Bool = true) -> [Known] {
        var found: [Known] = []
        var names: Set<String> = []
        for folder in configurationFolders {
            let files = ((try? FileSystem.listIfThere(folder)) ?? []).sorted()
            for file in files where file.hasSuffix(".module") {
                let name = String(file.dropLast(".module".count))
                guard names.insert(name).inserted, let values = read(folder + "/" + file),
                    !limited || matches(values), let path = path(values)
                else { continue }
                if !found.contains(where: { $0.path == path }) {
                    found.append(Known(name: name, path: path))
                }
            }
        }
        return found
    }

    private static func matches(_ values: [String: String]) -> Bool {
        func list(_ name: String) -> [Substring]? { values[name]?.split { $0 == "," || $0 == " " } }
        if let only = list("enable-in") { return only.contains { $0 == program } }
        return !(list("disable-in")?.contains { $0 == program } ?? false)
    }

    /// Path of a configured module. For a module in another process it is p11-kit's proxy module,
    /// which alone can access it.
    ///
    /// - Returns: nil without a module entry.
    private static func path(_ values: [String: String]) -> String? {
        if values["remote"] != nil { return proxy }
        guard let module = values["module"], !module.isEmpty else { return nil }
        if FileSystem.isAbsolute(module) { return module }
        return folders.map { $0 + "/" + module }.first { FileSystem.isRegularFile($0) }
            ?? folders[0] + "/" + module
    }

    /// p11-kit's proxy module, which provides all modules that p11-kit has.
    private static let proxy = "libp11-kit.so.0"

    private static func read(_ file: String) -> [String: String]? {
        guard let bytes = try? FileSystem.readAll(file, limit: byteLimit) else { return nil }
        var values: [String: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        where !line.hasPrefix("#") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            func trimmed(_ text: Substring) -> String {
                let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
                var part = text.drop(while: blank)
                while let last = part.last, blank(last) { part.removeLast() }
                return String(part)
            }
            values[trimmed(line[..<colon])] = trimmed(line[line.index(after: colon)...])
        }
        return values
    }
}
