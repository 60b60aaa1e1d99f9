import Base
import CMSKit
import CryptoBridge
import SignetTestSupport
import Testing
import TimestampKit
import TrustKit

/// Requests, and how the authority answers them.
struct TimestampAuthorityTests {
    @Test func requestsReadAsTheyWereWritten() throws {
        let fixture = try TimestampFixture()
        for request in [
            try fixture.request(), try fixture.request(.sha3_512, policy: "1.3.6.1.4.1.99999.1"),
            TimestampRequest(
                messageImprint: try fixture.request().messageImprint, nonce: nil, certReq: false),
        ] { #expect(try TimestampRequest(request.encoded) == request) }
        let nonces = try (0..<64).map { _ in try TimestampRequest.randomNonce() }
        #expect(Set(nonces).count == 64)
        #expect(nonces.allSatisfy { $0.count == 8 && (0x40..<0x80).contains($0[0]) })
    }

    @Test func stampsWhatIsAsked() throws {
        let fixture = try TimestampFixture()
        let authority = try fixture.authority { $0.accuracy = Accuracy(.microseconds(20_500)) }
        for digest in TimestampAuthority.acceptedDigests {
            let request = try fixture.request(digest)
            let answer = fixture.respond(request.encoded, authority)
            #expect(answer.status == .granted && answer.summary.contains("1234"))
            let reply = try TimestampReply(answer.response)
            let info = try #require(reply.token).info
            #expect(info.messageImprint == request.messageImprint && info.nonce == request.nonce)
            #expect(info.policy == .examplePolicy)
            // Fine clocks give milliseconds.
            #expect(info.genTime.description == "2026-06-01T00:00:00.123Z")
            #expect(info.accuracy?.description == "0.0205 s")
            #expect(info.latestTime == fixture.time.adding(seconds: 1))
            #expect(info.tsaText == "dn:CN=Our TSA,O=Firma")
            #expect(try fixture.verifier().verify(reply, request: request).verdict == .passed)
            #expect(try reply.token?.info == TimestampToken(reply.token?.encoded ?? []).info)
        }
        let bare = try fixture.request(certReq: false)
        let reply = try TimestampReply(fixture.respond(bare.encoded, fixture.authority()).response)
        #expect(reply.token?.signedData.certificates == [])
        #expect(reply.token?.info.genTime.description == "2026-06-01T00:00:00Z")
    }

    @Test func refusesWithTheReasonOfTheStandard() throws {
        let fixture = try TimestampFixture()
        let authority = try fixture.authority()
        let good = try fixture.request().encoded
        let tree = DERNode(good)
        func rewritten(_ change: (inout DERNode) -> Void) -> [UInt8] {
            var copy = tree
            change(&copy)
            return copy.bytes
        }
        func adding(_ node: DERNode) -> [UInt8] { rewritten { $0.children.append(node) } }
        let empty = DERNode.branch(0xA0, [.branch(0x30, [.leaf(6, [0x2A, 3]), .leaf(4, [])])])
        let long = [UInt8](repeating: 1, count: 200)
        let cases: [([UInt8], PKIFailureInfo)] = [
            ([], .badDataFormat), ([0x30, 0x80, 0, 0], .badDataFormat),
            (Array(good.dropLast()), .badDataFormat), (good + [0], .badDataFormat),
            (rewritten { $0.children.removeLast(2) } + [], .badDataFormat),
            (rewritten { $0[0] = .leaf(2, [2]) }, .badRequest),
            (rewritten { $0[0] = .leaf(2, [0]) }, .badRequest),
            (rewritten { $0[0] = .leaf(2, [0, 1]) }, .badDataFormat),
            (rewritten { $0[0] = .leaf(2, long) }, .badDataFormat),
            (rewritten { $0[1][0][0] = .leaf(6, [0x2B, 14, 3, 2, 26]) }, .badAlg),
            (rewritten { $0[1][0][0] = .leaf(6, [0x2A, 3]) }, .badAlg),
            (rewritten { $0[1][0][0] = .leaf(6, [0x80]) }, .badDataFormat),
            (rewritten { $0[1][0].children[1] = .leaf(4, []) }, .badAlg),
            (rewritten { $0[1][1] = .leaf(4, [1, 2, 3]) }, .badDataFormat),
            (rewritten { $0[1][1] = .leaf(4, long) }, .badDataFormat),
            (rewritten { $0[1][1] = .leaf(3, long) }, .badDataFormat),
            (rewritten { $0[2] = .leaf(2, [0, 1]) }, .badDataFormat),
            (rewritten { $0[2] = .leaf(2, []) }, .badDataFormat),
            (rewritten { $0[3] = .leaf(1, [1]) }, .badDataFormat),
            (adding(.leaf(2, [1])), .badDataFormat),
            (adding(empty), .unacceptedExtension),
            (try fixture.request(policy: "1.2.9").encoded, .unacceptedPolicy),
            ([UInt8](repeating: 0x30, count: 5000), .badDataFormat),
        ]
        for (index, (bytes, failure)) in cases.enumerated() where index != 4 {
            let answer = fixture.respond(bytes, authority)
            let response = try #require(try TimestampReply(answer.response).response)
            #expect(answer.status == .rejection && response.status == .rejection, "\(index)")
            #expect(response.failures == [failure], "\(index): \(answer.summary)")
            #expect(response.token == nil && !response.statusTexts.isEmpty)
        }
        // Neither nonce nor certReq is fine.
        #expect(fixture.respond(cases[4].0, authority).status == .granted)
    }

    @Test func saysWhenItCannotStamp() throws {
        let fixture = try TimestampFixture()
        let authority = try fixture.authority()
        let request = try fixture.request().encoded
        struct Secret: Error {}
        let broken = authority.respond(to: request) {
            Moment(fixture.time)
        } serialNumber: {
            throw Secret()
        }
        let response = try #require(try TimestampReply(broken.response).response)
        #expect(response.failures == [.systemFailure])
        #expect(!response.statusDescription.contains("Secret"))
        #expect(broken.summary.contains("Secret"))
        let late = authority.respond(to: request) {
            Moment(TestPKI.time(2029, 1, 1))
        } serialNumber: {
            [1]
        }
        #expect(try TimestampReply(late.response).response?.failures == [.timeNotAvailable])
    }

    @Test(arguments: [
        (0, "0 s"), (1, "0.000001 s"), (1_000_000, "1 s"), (1_500_100, "1.5001 s"),
        (90_000_000, "90 s"), (999_999, "0.999999 s"),
    ])
    func accuracyReadsAsItWasWritten(_ microseconds: Int, _ text: String) throws {
        let fixture = try TimestampFixture()
        let accuracy = Accuracy(.microseconds(microseconds))
        #expect(accuracy.description == text)
        let token = try fixture.token { $0.accuracy = accuracy }
        #expect(token.info.accuracy == accuracy)
    }

    @Test(arguments: [
        ("20261121100000Z", "2026-11-21T10:00:00Z"),
        ("20261121100000.5Z", "2026-11-21T10:00:00.5Z"),
        ("20261121100000.500Z", "2026-11-21T10:00:00.5Z"),
        ("20261121100000.123456789Z", "2026-11-21T10:00:00.123456789Z"),
        ("00000101000000Z", "0000-01-01T00:00:00Z"), ("20261121100000", nil),
        ("202611211000Z", nil), ("20261121100000.Z", nil), ("20261121100000,5Z", nil),
        ("20261121100000+0100", nil), ("20261321100000Z", nil), ("20261121100000.1234567890Z", nil),
        ("2026112110000aZ", nil), ("20261121250000Z", nil), ("2026112110000\u{E9}Z", nil),
    ])
    func readsTimes(_ text: String, _ expected: String?) throws {
        let fixture = try TimestampFixture()
        let token = try? fixture.token { parts in
            parts.rewrite = { content in
                var tree = DERNode(content)
                tree[4] = .leaf(0x18, Array(text.utf8))
                return tree.bytes
            }
        }
        #expect(token?.info.genTime.description == expected)
    }
}
