// swift-tools-version: 6.2
import PackageDescription

// Examples of SignetKit. Those with a trait need minutes for their packages.
let signetKit = Target.Dependency.product(name: "SignetKit", package: "signet")
let signetFoundation = Target.Dependency.product(name: "SignetFoundation", package: "signet")

func product(_ name: String, _ package: String, trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

func example(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name, dependencies: [signetKit, signetFoundation, "Shared"] + dependencies)
}

let package = Package(
    name: "examples",
    traits: [
        .trait(name: "Server", description: "SignInHandler: an HTTP server"),
        .trait(name: "Certificates", description: "OtherPackages: swift-certificates, HTTP"),
    ],
    dependencies: [
        .package(
            name: "signet", path: "../../..",
            traits: [
                .trait(name: "NIO", condition: .when(traits: ["Server"])),
                .trait(name: "Log", condition: .when(traits: ["Server"])),
                .trait(name: "X509", condition: .when(traits: ["Certificates"])),
                .trait(name: "AsyncHTTPClient", condition: .when(traits: ["Certificates"])),
            ]),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    ],
    targets: [
        .target(name: "Shared", dependencies: [signetKit]),
        example("KeyInVault"),
        example("VerifyUpload"),
        example("TimestampRows"),
        example("VisibleStamp"),
        example("PrepareAndEmbed"),
        example(
            "SignInHandler",
            [
                product("Hummingbird", "hummingbird", trait: "Server"),
                product("SignetNIO", "signet", trait: "Server"),
                product("SignetLog", "signet", trait: "Server"),
            ]),
        example(
            "OtherPackages",
            [
                product("X509", "swift-certificates", trait: "Certificates"),
                product("Crypto", "swift-crypto", trait: "Certificates"),
                product("SignetX509", "signet", trait: "Certificates"),
                product("SignetHTTP", "signet", trait: "Certificates"),
            ]),
    ]
)
