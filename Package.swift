// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: the compiler holds the house rules.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// A trait that is off fetches and builds nothing.
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser",
    condition: .when(traits: ["CommandLine"]))
let x509 = Target.Dependency.product(
    name: "X509", package: "swift-certificates", condition: .when(traits: ["X509"]))
let swiftASN1 = Target.Dependency.product(
    name: "SwiftASN1", package: "swift-asn1", condition: .when(traits: ["X509"]))
let nioCore = Target.Dependency.product(
    name: "NIOCore", package: "swift-nio", condition: .when(traits: ["NIO"]))
let nioHTTP1 = Target.Dependency.product(
    name: "NIOHTTP1", package: "swift-nio", condition: .when(traits: ["NIO"]))
let logging = Target.Dependency.product(
    name: "Logging", package: "swift-log", condition: .when(traits: ["Log"]))
let asyncHTTPClient = Target.Dependency.product(
    name: "AsyncHTTPClient", package: "async-http-client",
    condition: .when(traits: ["AsyncHTTPClient"]))

/// A Swift target with the strict settings.
func module(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// A test target, its folder named after what it tests.
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
    name: "signet",
    products: [
        .executable(name: "signet", targets: ["signet"]),
        .library(name: "SignetKit", targets: ["SignetKit"]),
        .library(name: "SignetFoundation", targets: ["SignetFoundation"]),
        .library(name: "SignetX509", targets: ["SignetX509"]),
        .library(name: "SignetNIO", targets: ["SignetNIO"]),
        .library(name: "SignetLog", targets: ["SignetLog"]),
        .library(name: "SignetHTTP", targets: ["SignetHTTP"]),
    ],
    traits: [
        .default(enabledTraits: ["CommandLine"]),
        .trait(name: "CommandLine", description: "The program signet"),
        .trait(name: "X509", description: "SignetX509: types of swift-certificates"),
        .trait(name: "NIO", description: "SignetNIO: ByteBuffer"),
        .trait(name: "Log", description: "SignetLog: a Logger of swift-log"),
        .trait(
            name: "AsyncHTTPClient", description: "SignetHTTP: HTTP by async-http-client",
            enabledTraits: ["NIO"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // C: headers and shims, no decisions.
        .target(name: "COpenSSL", linkerSettings: [.linkedLibrary("crypto")]),
        // Calls of the system that Swift cannot make.
        .target(name: "CSystemCalls"),
        // The words, scripts and schemas of SignetCommands.
        .target(name: "CTexts"),
        // zlib and libjpeg.
        .target(
            name: "CCodecs", linkerSettings: [.linkedLibrary("z"), .linkedLibrary("jpeg")]),
        // libpng, libqrencode, Expat, HarfBuzz, FriBidi, libcurl, modules of tokens: loaded on first use.
        .target(
            name: "CLoaded", linkerSettings: [.linkedLibrary("dl"), .linkedLibrary("m")]),

        // The storeys, each importing only from those above it in this list.
        // Bytes, times, ASN.1, and the terms of signatures; knows no files and no libraries.
        module("Base", []),
        // All calls of the system: files that appear whole or not at all, processes, threads, sockets.
        module("SystemBridge", ["CSystemCalls", "Base"]),
        // Keys, certificates, revocation data and requests, by OpenSSL; knows no files.
        module("CryptoBridge", ["COpenSSL", "Base"]),
        // Compression and pictures; knows no PDF.
        module("CodecBridge", ["CCodecs", "CLoaded", "Base"]),
        // Fonts and directions, by HarfBuzz and FriBidi, and XML, by Expat; knows no PDF.
        module("TextBridge", ["CLoaded", "Base"]),
        // HTTP, by libcurl and as a server; knows no timestamps and no revocation.
        module("NetworkBridge", ["CLoaded", "CryptoBridge", "SystemBridge", "Base"]),
        // PDF syntax and incremental updates; knows no signatures. Two threads decompress object streams.
        module("PDFCore", ["CodecBridge", "SystemBridge", "Base"]),
        // Signed messages: made, taken apart, verified; knows no trust.
        module("CMSKit", ["CryptoBridge", "Base"]),
        // Keys that are elsewhere: on tokens, with services, behind programs; knows no documents.
        module(
            "KeyBridge",
            ["CLoaded", "NetworkBridge", "CMSKit", "CryptoBridge", "SystemBridge", "Base"]),
        // Certification paths, revocation, trusted lists; asks nobody and reads no files.
        module("TrustKit", ["CMSKit", "TextBridge", "CryptoBridge", "Base"]),
        // Timestamps, and the authorities that give them; knows no documents.
        module(
            "TimestampKit",
            ["TrustKit", "CMSKit", "NetworkBridge", "CryptoBridge", "Base"]),
        // ZIP files with signatures and what they sign; knows no files and no network.
        module(
            "Containers",
            [
                "TimestampKit", "TrustKit", "CMSKit", "TextBridge", "CodecBridge", "CryptoBridge",
                "Base",
            ]),
        // Asks installed programs what pages and drawings look like; knows no signatures.
        module("Witness", ["SystemBridge"]),
        // Photos as pages, and the appearance of stamps; knows no signatures.
        module("Pages", ["PDFCore", "CodecBridge", "TextBridge", "Base"]),
        // Reads forms and signatures of documents, and lays out new ones; gives no verdicts.
        module(
            "PDFSigning",
            [
                "PDFCore", "CMSKit", "TrustKit", "TimestampKit", "CryptoBridge", "SystemBridge",
                "Base",
            ]),
        // Says what later revisions changed, and whether a signature permits it; knows no cryptography.
        module("RevisionDiff", ["PDFSigning", "PDFCore", "Base"]),
        // Judges the signatures of a document; knows no files and no network.
        module(
            "PDFVerification",
            [
                "RevisionDiff", "PDFSigning", "PDFCore", "CMSKit", "TrustKit", "TimestampKit",
                "CryptoBridge", "SystemBridge", "Base",
            ]),
        // One type for each task; knows no options, never prints and never exits.
        module(
            "SignetKit",
            [
                "PDFVerification", "RevisionDiff", "PDFSigning", "Witness", "Containers", "Pages",
                "PDFCore", "CMSKit", "TrustKit", "TimestampKit", "KeyBridge", "CryptoBridge",
                "CodecBridge",
                "TextBridge", "NetworkBridge", "SystemBridge", "Base",
            ]),
        // Types of other packages for those of SignetKit; all but the first are empty without their trait.
        module("SignetFoundation", ["SignetKit", "Base"]),
        module("SignetX509", ["SignetKit", x509, swiftASN1]),
        module("SignetNIO", ["SignetKit", nioCore]),
        module("SignetLog", ["SignetKit", logging]),
        module("SignetHTTP", ["SignetKit", asyncHTTPClient, nioCore, nioHTTP1]),
        // Options, words, JSON and exit codes; decides nothing about signatures.
        module(
            "SignetCommands", ["SignetKit", "SystemBridge", "Base", "CTexts", argumentParser],
            exclude: ["Options/Scripts", "Output/Words", "Reports/Words"]),
        .executableTarget(
            name: "signet", dependencies: ["SignetCommands", "CSystemCalls"],
            cSettings: ["SIGNET_COMMIT", "SIGNET_COMPILER"].compactMap { name in
                Context.environment[name].map { .define(name, to: $0) }
            }),

        // Tests.
        .target(
            name: "SignetTestSupport",
            dependencies: ["Base", "CodecBridge", "PDFCore", "CMSKit", "CryptoBridge"],
            path: "Tests/SignetTestSupport", swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "PDFVerification", "RevisionDiff", "PDFSigning", "Pages", "PDFCore", "CMSKit",
                "TrustKit", "TimestampKit", "NetworkBridge", "CryptoBridge", "CodecBridge", "Base",
                "SignetKit", "SystemBridge", "KeyBridge", "TextBridge", "Containers",
            ],
            path: "Tests/Fuzz/FuzzTargets", swiftSettings: strict),
        tests("FuzzTests", ["FuzzTargets"]),
        tests("BaseTests", ["Base", "SignetTestSupport"]),
        tests("SystemBridgeTests", ["SystemBridge", "SignetTestSupport"]),
        tests("NetworkBridgeTests", ["NetworkBridge", "CLoaded"]),
        tests("CryptoBridgeTests", ["CMSKit", "CryptoBridge", "SignetTestSupport"]),
        tests("CodecBridgeTests", ["CodecBridge", "Base", "SignetTestSupport"]),
        tests("TextBridgeTests", ["TextBridge", "Base", "SignetTestSupport", "CryptoBridge"]),
        tests("PDFCoreTests", ["PDFCore", "SignetTestSupport"]),
        tests("CMSKitTests", ["CMSKit", "Base", "FuzzTargets", "SignetTestSupport"]),
        tests(
            "KeyBridgeTests",
            ["KeyBridge", "CMSKit", "CryptoBridge", "NetworkBridge", "Base", "SignetTestSupport"]),
        tests(
            "TrustKitTests",
            ["TrustKit", "Base", "SignetTestSupport", "TextBridge", "CryptoBridge", "CodecBridge"]),
        tests("TimestampKitTests", ["TimestampKit", "Base", "SignetTestSupport"]),
        tests(
            "PagesTests",
            ["Pages", "PDFCore", "CodecBridge", "TextBridge", "Base", "SignetTestSupport"]),
        tests(
            "ContainersTests",
            ["Containers", "TextBridge", "CryptoBridge", "Base", "SignetTestSupport"]),
        tests("WitnessTests", ["Witness", "SystemBridge", "SignetTestSupport"]),
        tests("PDFSigningTests", ["PDFSigning", "PDFCore", "SignetTestSupport"]),
        tests("RevisionDiffTests", ["RevisionDiff", "PDFSigning", "PDFCore", "SignetTestSupport"]),
        tests(
            "PDFVerificationTests",
            ["PDFVerification", "RevisionDiff", "PDFSigning", "PDFCore", "SignetTestSupport"]),
        tests(
            "SignetKitTests",
            [
                "SignetKit", "PDFVerification", "RevisionDiff", "PDFSigning", "PDFCore",
                "CryptoBridge", "SystemBridge", "Base", "SignetTestSupport",
            ]),
        tests(
            "SignetFoundationTests", ["SignetFoundation", "SignetKit", "SignetTestSupport"]),
        tests(
            "SignetCommandsTests",
            ["SignetCommands", "SignetKit", "SignetTestSupport", argumentParser]),
        tests("CLITests", ["CodecBridge", "SignetTestSupport"]),
    ]
)

// The fuzzer brings the main function's body: only Scripts/fuzz builds this.
if Context.environment["SIGNET_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "FuzzDriver", dependencies: ["FuzzTargets"], path: "Tests/Fuzz/FuzzDriver",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}
