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

let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

/// A Swift target with the strict settings.
func module(
    _ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
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
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        // C: headers and shims, no decisions.
        .target(name: "COpenSSL", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "CZlib", linkerSettings: [.linkedLibrary("z")]),
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CThread"),
        .target(name: "CFile"),
        // Maps parts of files, and outlives those that become shorter.
        .target(name: "CWindow"),
        // Loads HarfBuzz on first use, so it links nothing.
        .target(name: "CText", linkerSettings: [.linkedLibrary("dl")]),
        // Load Expat, libcurl and libpng on first use.
        .target(name: "CExpat", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("dl")]),
        // Loads the modules of tokens, which others wrote.
        .target(name: "CCryptoki", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CPNG", linkerSettings: [.linkedLibrary("dl"), .linkedLibrary("m")]),

        // The storeys, each importing only from those above it in this list.
        module("SignatureTerms", []),
        module("ByteKit", []),
        module("ASN1Kit", ["ByteKit"]),
        module("ThreadBridge", ["CThread"]),
        module(
            "FileBridge", ["CWindow", "CFile", "ThreadBridge", "ByteKit", "SignatureTerms"]),
        module("CryptoBridge", ["COpenSSL", "ASN1Kit", "ByteKit"]),
        module("CodecBridge", ["CJPEG", "CPNG", "CZlib", "ByteKit"]),
        module("TextBridge", ["CText", "ByteKit"]),
        module("XMLBridge", ["CExpat"]),
        module("NetworkBridge", ["CCurl", "CryptoBridge", "ThreadBridge", "ByteKit"]),
        // Object streams are independent of each other: two threads decompress and search them.
        module("PDFCore", ["CodecBridge", "ThreadBridge", "ByteKit"]),
        module("CMSKit", ["CryptoBridge", "ASN1Kit", "ByteKit", "SignatureTerms"]),
        module(
            "TokenBridge",
            [
                "CCryptoki", "CMSKit", "CryptoBridge", "FileBridge", "ThreadBridge", "ASN1Kit",
                "ByteKit", "SignatureTerms",
            ]),
        module(
            "RemoteSigning",
            [
                "NetworkBridge", "CMSKit", "CryptoBridge", "ThreadBridge", "ASN1Kit", "ByteKit",
                "SignatureTerms",
            ]),
        module(
            "SignerProgram", ["CMSKit", "CryptoBridge", "FileBridge", "ByteKit", "SignatureTerms"]),
        module("TrustKit", ["CMSKit", "CryptoBridge", "ASN1Kit", "ByteKit", "SignatureTerms"]),
        module(
            "TrustListKit",
            ["TrustKit", "XMLBridge", "CryptoBridge", "ASN1Kit", "ByteKit", "SignatureTerms"]),
        module(
            "TimestampKit",
            ["TrustKit", "CMSKit", "CryptoBridge", "ASN1Kit", "ByteKit", "SignatureTerms"]),
        module(
            "TimestampClient",
            [
                "TimestampKit", "NetworkBridge", "XMLBridge", "TrustKit", "CMSKit", "CryptoBridge",
                "ASN1Kit", "ByteKit", "SignatureTerms",
            ]),
        // Asks installed PDF viewers what pages look like; knows no signatures.
        module("Witness", ["FileBridge"]),
        module("PhotoPDF", ["PDFCore", "CodecBridge", "ByteKit", "SignatureTerms"]),
        module(
            "Appearance",
            ["PhotoPDF", "PDFCore", "CodecBridge", "TextBridge", "XMLBridge", "ByteKit"]),
        // Reads forms and signatures of documents, and lays out new ones.
        module(
            "PDFSigning",
            [
                "PDFCore", "CMSKit", "TrustKit", "TimestampKit", "CryptoBridge", "ThreadBridge",
                "ASN1Kit", "ByteKit", "SignatureTerms",
            ]),
        // Says what later revisions changed, and whether a signature permits it.
        module("RevisionDiff", ["PDFSigning", "PDFCore", "ByteKit", "SignatureTerms"]),
        // Judges the signatures of a document.
        module(
            "PDFVerification",
            [
                "RevisionDiff", "PDFSigning", "PDFCore", "CMSKit", "TrustKit", "TimestampKit",
                "CryptoBridge", "ThreadBridge", "ASN1Kit", "ByteKit", "SignatureTerms",
            ]),
        module(
            "SignetKit",
            [
                "PDFVerification", "RevisionDiff", "PDFSigning", "Witness", "Appearance",
                "PhotoPDF", "PDFCore", "CMSKit", "TrustKit",
                "TrustListKit",
                "TimestampKit", "TimestampClient", "CryptoBridge", "CodecBridge", "TextBridge",
                "NetworkBridge", "FileBridge", "ThreadBridge", "ASN1Kit", "ByteKit",
                "SignatureTerms",
                "TokenBridge", "RemoteSigning", "SignerProgram",
            ]),
        module(
            "SignetCommands",
            ["SignetKit", "ByteKit", "FileBridge", "ThreadBridge", argumentParser],
            resources: [.embedInCode("Reports/Words")]),
        .executableTarget(name: "signet", dependencies: ["SignetCommands", "CFile"]),

        // Tests.
        .target(
            name: "SignetTestSupport",
            dependencies: ["ASN1Kit", "ByteKit", "CodecBridge", "PDFCore", "CryptoBridge"],
            path: "Tests/SignetTestSupport", swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "PDFVerification", "RevisionDiff", "PDFSigning", "Appearance", "PhotoPDF",
                "PDFCore", "CMSKit", "TrustKit", "TimestampKit",
                "TimestampClient", "NetworkBridge", "CryptoBridge", "CodecBridge", "ByteKit",
                "ASN1Kit",
                "SignetKit", "FileBridge", "TokenBridge", "RemoteSigning", "TrustListKit",
                "XMLBridge",
            ],
            path: "Tests/Fuzz/FuzzTargets", swiftSettings: strict),
        tests("FuzzTests", ["FuzzTargets"]),
        tests("ByteKitTests", ["ByteKit", "SignetTestSupport"]),
        tests("ASN1KitTests", ["ASN1Kit", "ByteKit", "SignetTestSupport"]),
        tests("ThreadBridgeTests", ["ThreadBridge"]),
        tests("NetworkBridgeTests", ["NetworkBridge", "CCurl"]),
        tests("FileBridgeTests", ["FileBridge", "SignetTestSupport"]),
        tests("CryptoBridgeTests", ["CryptoBridge", "SignetTestSupport"]),
        tests("CodecBridgeTests", ["CodecBridge", "SignetTestSupport"]),
        tests("TextBridgeTests", ["TextBridge", "ByteKit", "SignetTestSupport"]),
        tests("XMLBridgeTests", ["XMLBridge", "CryptoBridge", "SignetTestSupport"]),
        tests("PDFCoreTests", ["PDFCore", "SignetTestSupport"]),
        tests("CMSKitTests", ["CMSKit", "SignatureTerms", "SignetTestSupport"]),
        tests("RemoteSigningTests", ["RemoteSigning", "CMSKit", "ByteKit"]),
        tests("TokenBridgeTests", ["TokenBridge", "CMSKit", "SignetTestSupport"]),
        tests("TrustKitTests", ["TrustKit", "SignatureTerms", "SignetTestSupport"]),
        tests(
            "TrustListKitTests",
            [
                "TrustListKit", "TrustKit", "XMLBridge", "CryptoBridge", "CodecBridge", "ByteKit",
                "SignatureTerms", "SignetTestSupport",
            ]),
        tests("TimestampKitTests", ["TimestampKit", "SignatureTerms", "SignetTestSupport"]),
        tests(
            "AppearanceTests",
            [
                "Appearance", "PhotoPDF", "PDFCore", "CodecBridge", "TextBridge", "ByteKit",
                "SignetTestSupport",
            ]),
        tests("WitnessTests", ["Witness", "FileBridge", "SignetTestSupport"]),
        tests("PhotoPDFTests", ["PhotoPDF", "PDFCore", "CodecBridge", "SignetTestSupport"]),
        tests("PDFSigningTests", ["PDFSigning", "PDFCore", "SignetTestSupport"]),
        tests("RevisionDiffTests", ["RevisionDiff", "PDFSigning", "PDFCore", "SignetTestSupport"]),
        tests(
            "PDFVerificationTests",
            ["PDFVerification", "RevisionDiff", "PDFSigning", "PDFCore", "SignetTestSupport"]),
        tests(
            "SignetKitTests",
            [
                "SignetKit", "PDFVerification", "RevisionDiff", "PDFSigning", "PDFCore",
                "CryptoBridge", "FileBridge", "ByteKit",
                "SignetTestSupport",
            ]),
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
