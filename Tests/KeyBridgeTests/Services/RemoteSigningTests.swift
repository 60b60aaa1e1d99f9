import Base
import CMSKit
import CryptoBridge
import NetworkBridge
import Testing

@testable import KeyBridge

@Suite("Answers of signing services")
struct JSONValueTests {
    @Test("what is JSON is read")
    func reads() throws {
        let json = try JSONValue(
            parsing: Array(
                #" {"a":[1,-2.5e+3,"x\u00e9\ud83d\ude00\n",true,null],"b":{"c":"7"},"é":false} "#
                    .utf8))
        #expect(
            json["a"]?.list
                == [.number("1"), .number("-2.5e+3"), .string("xé😀\n"), .bool(true), .null])
        #expect(json["b"]?["c"]?.integer == 7 && json["é"]?.truth == false)
        #expect(json["a"]?.texts == nil && json["d"] == nil)
    }

    @Test(
        "what is none is refused",
        arguments: [
            "", "{", "[1,]", "{\"a\":1,}", "{\"a\":1,\"a\":2}", "01", "+1", "1.", ".5", "1e",
            "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"a", "\"\u{1}\"", "tru", "[] []",
            "{a:1}", "'a'", "\u{FEFF}{}", "\"\\u12\"", "-", "nul",
        ])
    func refuses(text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test("bytes that are no text are refused, and so is what is too deep")
    func limits() {
        #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
        for (depth, isRead) in [(JSONValue.depthLimit, true), (JSONValue.depthLimit + 1, false)] {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            // The innermost list holds nothing.
            #expect(((try? JSONValue(parsing: Array(text.utf8))) != nil) == isRead, "\(depth)")
        }
    }
}

/// The authorization server that a signing service names.
@Suite struct ServiceAuthorizationTests {
    private func authorization(
        _ service: String, names server: String, given: String? = nil
    ) throws -> ServiceAuthorization {
        let channel = try ServiceChannel(
            service, settings: TLSSettings(), allowsUnencrypted: false, timeLimit: .seconds(1))
        var application = ServiceApplication(id: "app") { SecretBytes(copying: []) }
        application.server = given
        let info = try JSONValue(
            parsing: Array(#"{"authType":["oauth2code"],"oauth2":"\#(server)"}"#.utf8))
        return ServiceAuthorization(application, channel, info: info, root: service)
    }

    /// Nothing is sent to an unencrypted or unusable address that only the service names.
    @Test(arguments: [
        ("https://localhost:9/csc/v2", "http://127.0.0.1:9/", "unencrypted"),
        ("https://localhost:9/csc/v2", "http://192.0.2.1/", "unencrypted"),
        ("https://localhost:9/csc/v2", "https://u:p@localhost:9/", "unusable"),
        ("http://127.0.0.1:9/csc/v2", "javascript:alert(1)", "unusable"),
    ])
    func unusableAddressesAreRefused(service: String, server: String, words: String) throws {
        let failure = #expect(throws: SigningFailure.self) {
            try authorization(service, names: server).serviceToken()
        }
        #expect(failure?.code == .unavailable, "\(String(describing: failure))")
        #expect(failure?.detail.contains("the signing service \(service) names ") == true)
        #expect(failure?.detail.contains(words) == true, "\(String(describing: failure))")
        // The user's own mistake.
        let given = #expect(throws: SigningFailure.self) {
            try authorization(service, names: service, given: "http://192.0.2.1/").serviceToken()
        }
        #expect(given?.code == .usage)
    }

    @Test func tokensAreOneWord() {
        #expect(ServiceChannel.isToken("aB3-._~+/=".utf8))
        for text in ["", "a b", "a\r\nX: 1", "a\n", "\u{0}", "é", "\u{7F}"] {
            #expect(!ServiceChannel.isToken(text.utf8), "\(text)")
        }
        let limit = ServiceChannel.tokenByteLimit
        #expect(ServiceChannel.isToken(String(repeating: "a", count: limit).utf8))
        #expect(!ServiceChannel.isToken(String(repeating: "a", count: limit + 1).utf8))
    }

    @Test func endpointsOfMetadataAreChecked() throws {
        for (endpoint, words) in [("https://a/x#y", "endpoints"), ("https://a/x", "PKCE")] {
            let metadata = try JSONValue(
                parsing: Array(
                    (#"{"issuer":"https://a","authorization_endpoint":"\#(endpoint)","#
                        + #""token_endpoint":"https://a/t","#
                        + #""code_challenge_methods_supported":["plain"]}"#).utf8))
            let failure = #expect(throws: SigningFailure.self) {
                try AuthorizationServer(metadata, issuer: "https://a")
            }
            #expect(failure?.detail.contains(words) == true, "\(String(describing: failure))")
        }
    }
}

@Suite("Names of keys at signing services")
struct ServiceURITests {
    @Test(
        "are read and written the same",
        arguments: [
            ("csc:https://host/csc/v2", "https://host/csc/v2", nil),
            ("CSC:https://host/csc/v1/?credential=a", "https://host/csc/v1", "a"),
            ("csc:https://host?credential=a%20b%25%26/=é", "https://host", "a b%&/=é"),
        ])
    func reads(text: String, base: String, credential: String?) throws {
        let uri = try ServiceURI(text)
        #expect(uri.base == base && uri.credential == credential)
        #expect(uri.version == (text.contains("v1") ? .v1 : text.contains("v2") ? .v2 : nil))
        #expect(try ServiceURI(uri.text) == uri)
    }

    @Test(
        "that are none are refused",
        arguments: [
            "csc", "https://host", "csc:https://host?x=1", "csc:https://host?credential=",
            "csc:https://host?credential=%0a", "csc:https://host?credential=%f", "csc:a b",
            "csc:https://host?credential=a&credential=b", "csc:https://host#a",
        ])
    func refuses(text: String) {
        #expect(throws: SigningFailure(.usage, "")) { try ServiceURI(text) }
    }
}

@Suite("Authorization servers and their responses")
struct AuthorizationTests {
    @Test(
        "metadata are between host and path (RFC 8414 §3.1)",
        arguments: [
            ("https://a.example", ""), ("https://a.example/", ""), ("https://a.example/b/", "/b"),
        ])
    func metadataAddresses(issuer: String, path: String) {
        #expect(
            AuthorizationServer.metadataAddresses(of: issuer) == [
                "https://a.example/.well-known/oauth-authorization-server" + path,
                "https://a.example" + path + "/.well-known/openid-configuration",
            ])
        #expect(AuthorizationServer.metadataAddresses(of: issuer + "?a").isEmpty)
        #expect(AuthorizationServer.metadataAddresses(of: "a.example").isEmpty)
    }

    @Test("responses are read")
    func responses() throws {
        let response = try #require(
            AuthorizationResponse(url: "urn:x?code=a%2Bb&state=c+d&iss=https%3A%2F%2Fa#e"))
        #expect(response.code == "a+b" && response.state == "c d")
        #expect(response.issuer == "https://a" && response.error == nil)
        #expect(AuthorizationResponse(query: "error=x&error_description=")?.explanation == "")
    }

    @Test(
        "ambiguous and malformed ones are refused",
        arguments: [
            "", "state=a", "code=", "code=a&error=b", "code=a&code=a", "code=a&state=b&state=b",
            "code=%", "code=%ff", "code=%0a", "code=a&%63ode=a",
        ])
    func refuses(query: String) { #expect(AuthorizationResponse(query: query) == nil) }

    @Test("metadata of another issuer, or without S256, are refused")
    func metadata() throws {
        func server(_ more: String, at host: String = "a") throws -> AuthorizationServer {
            let endpoints =
                "\"authorization_endpoint\":\"https://\(host)/x\",\"token_endpoint\":\"y\""
            return try AuthorizationServer(
                JSONValue(parsing: Array("{\(endpoints),\(more)}".utf8)), issuer: "https://a")
        }
        #expect(try !server(#""issuer":"https://a/""#).namesIssuer)
        #expect(try server(#""issuer":"https://a""#, at: "b").namesIssuer)
        #expect(try server(#""issuer":"https://a/""#).token == "y")
        #expect(throws: SigningFailure(.refused, "")) { try server(#""issuer":"https://b""#) }
        #expect(throws: SigningFailure(.unavailable, "")) {
            try server(#""issuer":"https://a","code_challenge_methods_supported":["plain"]"#)
        }
    }
}
