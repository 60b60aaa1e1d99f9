import Base
import CodecBridge
import CryptoBridge
import SystemBridge
import Witness

/// Reports which optional parts are installed on this computer, and what they are for.
public struct CheckInstallation: Sendable {
    private let build: Installation.Build

    /// - Parameter build: The program that asks.
    public init(_ build: Installation.Build) { self.build = build }

    /// Looks for all parts. Nothing is sent over the network, and no token is logged in to.
    public func run() -> Installation {
        Installation(
            signet: build,
            parts: Self.libraries + Self.providers + Self.programs + Self.fonts + Self.tokens
                + Self.plugins
                + Self.trust)
    }

    private typealias Part = Installation.Part

    // MARK: Libraries

    private static let knownLibraries:
        [(
            name: String, file: String, LibraryVersion.Source, package: String,
            purpose: Sentence.Code
        )] = [
            (
                "OpenSSL", "libcrypto.so.3", .functionOfNumber("OpenSSL_version"), "libssl3",
                .forSignatures
            ),
            ("zlib", "libz.so.1", .function("zlibVersion"), "zlib1g", .forCompression),
            ("libjpeg", "libjpeg.so.62", .none, "libjpeg62-turbo", .forJPEG),
            (
                "libpng", "libpng16.so.16", .functionOfPointer("png_get_libpng_ver"), "libpng16-16",
                .forPNG
            ),
            (
                "HarfBuzz", "libharfbuzz.so.0", .function("hb_version_string"), "libharfbuzz0b",
                .forText
            ),
            (
                "HarfBuzz subset", "libharfbuzz-subset.so.0", .none, "libharfbuzz-subset0",
                .forText
            ),
            (
                "FriBidi", "libfribidi.so.0", .variable("fribidi_version_info"), "libfribidi0",
                .forRightToLeft
            ),
            (
                "libqrencode", "libqrencode.so.4", .function("QRcode_APIVersionString"),
                "libqrencode4", .forQRCodes
            ),
            (
                "libcurl", "libcurl.so.4", .function("curl_version"), "libcurl4",
                .forNetwork
            ),
            (
                "Expat", "libexpat.so.1", .function("XML_ExpatVersion"), "libexpat1",
                .forXML
            ),
            (
                "Libidn", "libidn.so.12", .functionOfPointer("stringprep_check_version"),
                "libidn12",
                .forPasswords
            ),
        ]

    private static var libraries: [Part] {
        knownLibraries.map { name, file, source, package, purpose in
            let found = LibraryVersion(file, source)
            return Part(
                kind: .library, name: name, found: found != nil, version: found?.version,
                place: file, purpose: Sentence(purpose), package: package)
        }
    }

    /// Providers that OpenSSL does not bring along.
    private static var providers: [Part] {
        let folder = ProcessEnvironment.string("OPENSSL_MODULES") ?? StoredKey.providerFolder ?? ""
        let own = ["fips", "legacy"]
        let names = ((try? FileSystem.list(folder)) ?? []).filter { $0.hasSuffix(".so") }
            .map { String($0.dropLast(3)) }.filter { !own.contains($0) }
        return Set(names + ["tpm2"]).sorted().map { name in
            let found = names.contains(name)
            return Part(
                kind: .library, name: "OpenSSL provider \(name)", found: found, version: nil,
                place: found ? "\(folder)/\(name).so" : nil, purpose: Sentence(.forProviders),
                package: name == "tpm2" ? "tpm2-openssl" : nil)
        }
    }

    // MARK: Programs

    private static var programs: [Part] {
        let viewers = Viewer.allCases.map { viewer in
            (viewer.programName, viewer.package, Sentence.Code.forPageImages)
        }
        let others = [
            ("pdftotext", Viewer.usualPackage, Sentence.Code.forWords),
            ("rsvg-convert", "librsvg2-bin", Sentence.Code.forDrawings),
        ]
        return (viewers + others).map { name, package, purpose in
            let path = ViewerProgram.path(of: name)
            return Part(
                kind: .program, name: name, found: path != nil,
                version: path.flatMap {
                    LibraryVersion.number(in: ViewerProgram.versionText(of: $0))
                },
                place: path, purpose: Sentence(purpose), package: package)
        }
    }

    private static var fonts: [Part] {
        let count = SystemFonts.installedCount
        return [
            Part(
                kind: .font, name: "TrueType and OpenType fonts", found: count > 0,
                version: nil, place: count > 0 ? "\(count) files" : nil,
                purpose: Sentence(.forText), package: "fonts-dejavu-core")
        ]
    }

    // MARK: Keys

    private static var tokens: [Part] {
        let modules = TokenModules.configured()
        guard !modules.isEmpty else {
            return [
                Part(
                    kind: .tokenModule, name: "PKCS#11 module", found: false, version: nil,
                    place: nil, purpose: Sentence(.forTokens),
                    package: "opensc-pkcs11")
            ]
        }
        let tokens = (try? ListKeys().run(nil, passphrase: .environment(""))) ?? []
        return modules.map { module in
            Part(
                kind: .tokenModule, name: module.name ?? module.path,
                found: !FileSystem.isAbsolute(module.path) || FileSystem.exists(module.path),
                version: nil, place: module.path,
                purpose: Sentence(.forTokens), package: nil)
        }
            + tokens.compactMap { token in
                token.token.map {
                    Part(
                        kind: .token, name: $0, found: true, version: nil, place: token.uri,
                        purpose: Sentence(.forTokens), package: nil)
                }
            }
    }

    private static var plugins: [Part] {
        let folders = (ProcessEnvironment.string("PATH") ?? "").split(separator: ":").map(
            String.init)
        var names: Set<String> = []
        for folder in folders where FileSystem.isAbsolute(folder) {
            for name in (try? FileSystem.listIfThere(folder)) ?? []
            where name.hasPrefix("signet-key-") && FileSystem.isExecutable("\(folder)/\(name)") {
                names.insert(name)
            }
        }
        return names.sorted().map { name in
            Part(
                kind: .keyProgram, name: name, found: true, version: nil,
                place: FileSystem.program(name),
                purpose: Sentence(.forKeyProgram, String(name.dropFirst(11))),
                package: nil)
        }
    }

    // MARK: Trust

    private static var trust: [Part] {
        let stores = VerificationOptions.systemTrustStore
        let anchors = stores.isEmpty ? nil : stores.joined(separator: ", ")
        let lists = try? ShowTrustLists().run()
        let head = lists?.listOfLists
        let state = lists.map { shown -> String in
            let late = ([head].compactMap(\.self) + shown.lists).count { $0.outOfDate }
            return "\(shown.lists.count) lists" + (late > 0 ? ", \(late) out of date" : "")
        }
        return [
            Part(
                kind: .trustStore, name: "system trust store", found: anchors != nil, version: nil,
                place: anchors, purpose: Sentence(.forTrust),
                package: "ca-certificates"),
            Part(
                kind: .trustedLists, name: "EU trusted lists", found: head != nil,
                version: head?.sequence.map { "\($0)" }, place: head == nil ? nil : state,
                purpose: Sentence(.forQualified),
                package: nil),
        ]
            + ShowTrustLists.imported.map { list in
                Part(
                    kind: .trustedLists, name: "imported list \(list.name)", found: true,
                    version: list.issued?.day,
                    place: list.problem ?? "anchors: \(list.anchorCount ?? 0)",
                    purpose: Sentence(.forTrustList, list.name), package: nil)
            }
    }
}

/// The parts that are installed on this computer, and those that are missing.
public struct Installation: Encodable, Sendable {
    /// The kind of a part.
    public enum Kind: String, Encodable, Sendable, CaseIterable {
        case library, program, font, token
        case tokenModule = "token-module"
        case keyProgram = "key-program"
        case trustStore = "trust-store"
        case trustedLists = "trusted-lists"
    }

    /// Origin of a program.
    public struct Build: Encodable, Sendable {
        /// Version, such as `0.2.0`.
        public let version: String
        /// First 12 hexadecimal digits of the git commit; nil if unknown or with changes.
        public let commit: String?
        /// Version of the Swift compiler; nil if unknown.
        public let compiler: String?

        /// - Parameters:
        ///   - version: Version of the program.
        ///   - commit: The first 48 bits of the git commit; 0 if unknown.
        ///   - compiler: Version of the Swift compiler, 60301 for 6.3.1; 0 if unknown.
        public init(version: String, commit: UInt64, compiler: UInt32) {
            self.version = version
            let digits = String(commit, radix: 16)
            let padding = String(repeating: "0", count: max(0, 12 - digits.count))
            self.commit = commit == 0 ? nil : padding + digits
            self.compiler =
                compiler == 0
                ? nil : "\(compiler / 10_000).\(compiler / 100 % 100).\(compiler % 100)"
        }
    }

    /// A library, program or other part.
    public struct Part: Encodable, Sendable {
        /// The kind of the part.
        public let kind: Kind
        /// Name of the library, program or store.
        public let name: String
        /// Whether it is installed.
        public let found: Bool
        /// Version; nil if unknown.
        public let version: String?
        /// Path, file name or URI; for fonts and lists their number.
        public let place: String?
        /// The functions that need it.
        public let purpose: Sentence
        /// The Debian package that contains it; nil if there is none.
        public let package: String?
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.doctor/1"
    /// The program that reports.
    public let signet: Build
    /// All parts, grouped by kind.
    public let parts: [Part]
}
