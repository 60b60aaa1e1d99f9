import Foundation
import SignetTestSupport
import Synchronization
import Testing

/// `tsp serve`.
@Suite(.serialized) struct TSPServeTests {
    private func serial(_ body: [UInt8], _ workspace: Workspace, _ name: String) throws -> String {
        try workspace.write(Data(body), to: name)
        let shown = try workspace.signet("show \(name) --json").json()
        return shown.token.serial.text
    }

    /// Where nobody can be asked, a younger list is given: it is seen, and the hints say that it has to
    /// be.
    @Test func takesYoungerListsThatAreGiven() throws {
        let workspace = try signingWorkspace()
        guard try ExternalTool.find("openssl") != nil else { return }
        let list = "openssl ca -gencrl -crldays 30 -config ca.cnf -keyfile ca.pem -cert ca.crt -out"
        try workspace.shell(
            """
            set -e
            $S key generate --no-passphrase -o ca.pem --type ec:P-256
            $S cert create --key ca.pem --subject "CN=Our CA" --ca -o ca.crt
            for who in tsa me; do
                $S csr create --new-key ec:P-256 --key-out $who.pem --no-passphrase \\
                    --subject "CN=$who" -o $who.csr
                $S cert create --csr $who.csr --issuer-cert ca.crt --issuer-key ca.pem \\
                    --profile $(test $who = me && echo signer || echo tsa) -o $who.crt
            done
            printf '[ca]\ndefault_ca=d\n[d]\ndatabase=ca.db\ndefault_md=sha256\n' >ca.cnf
            touch ca.db
            \(list) old.crl
            """
        ).expect(.done)
        let server = try ServedAuthority(workspace)
        let level = "--level LTA --trust ca.crt --tsa http://127.0.0.1:\(server.port)/"
        let signed = try workspace.shell(
            "$S sign letter.pdf --key me.pem --cert me.crt \(level) --crl old.crl -o s.pdf")
        signed.expect(.done)
        #expect(signed.errors.contains("when newer data is available"), "\(signed.errors)")
        let explain = "$S verify --trust ca.crt --explain-level"
        let explained = try workspace.shell("\(explain) s.pdf").output
        #expect(explained.contains("signet extend s.pdf --tsa URL --crl FILE"), "\(explained)")
        let idle = try workspace.shell("$S extend s.pdf \(level) --crl old.crl").expect(.done)
        #expect(idle.output.contains("nothing to add"), "\(idle.output)")
        try workspace.shell(
            "sleep 2; \(list) new.crl && $S extend s.pdf \(level) --crl new.crl -o e.pdf"
        ).expect(.done)
        let now = try workspace.shell("\(explain) e.pdf").output
        #expect(!now.contains("newer than the signature"), "\(now)")
    }

    /// A report names the token that proves since when a signature exists, however accurate that is.
    @Test(arguments: ["10ms", "2s"]) func reportsNameTheProof(accuracy: String) throws {
        let workspace = try timestampWorkspace()
        let server = try ServedAuthority(workspace, "--accuracy", accuracy)
        try workspace.write(Data(SamplePDF.pages(1)), to: "a.pdf")
        try workspace.makeKey("k")
        try workspace.succeed("cert create --key k.pem --subject CN=Jan -o k.crt")
        try workspace.succeed(
            "sign a.pdf --key k.pem --cert k.crt --tsa http://127.0.0.1:\(server.port)/ -o s.pdf")
        try workspace.succeed("verify s.pdf --trust k.crt --trust ca.crt --report r.xml")
        let report = try workspace.text("r.xml")
        #expect(report.contains("<POEObject VOReference="), "\(report)")
        try workspace.succeed("verify s.pdf --trust k.crt --trust ca.crt --report r.html")
        #expect(try workspace.text("r.html").contains("<dt>Trusted certificate (Timestamp)</dt>"))
    }

    @Test func answersManyAtOnceAndRepeatsNoNumber() throws {
        let workspace = try timestampWorkspace()
        try workspace.stampHello()
        let request = try workspace.bytes("hello.tsq")
        // Two servers share the file of numbers.
        let servers = [try ServedAuthority(workspace), try ServedAuthority(workspace)]
        let ports = servers.map(\.port)
        let bodies = Mutex<[[UInt8]]>([])
        let failures = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 24) { index in
            guard let client = try? LoopbackClient(port: ports[index % 2]) else {
                failures.add(1, ordering: .relaxed)
                return
            }
            for _ in 0..<25 {
                client.send(ServedAuthority.head(length: request.count))
                client.send(request)
                guard let response = client.receive(), response.status == 200 else {
                    failures.add(1, ordering: .relaxed)
                    return
                }
                bodies.withLock { $0.append(response.body) }
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
        let all = bodies.withLock { $0 }
        #expect(all.count == 600)
        // The serial number stands behind the imprint, before genTime (tag 0x18).
        let serials = Set(
            all.compactMap { body -> [UInt8]? in
                guard let time = body.firstRange(of: [0x18, 0x0F]) else { return nil }
                return Array(body[(time.lowerBound - 10)..<time.lowerBound])
            })
        #expect(serials.count == 600)
        for server in servers { try server.command.stop().expect(0) }
        // Killed and started again: the numbers go on behind those set aside.
        let last = try #require(serials.max { $0.lexicographicallyPrecedes($1) })
        let after = try ServedAuthority(workspace)
        let next = try after.post(request)[0].body
        let time = try #require(next.firstRange(of: [0x18, 0x0F])).lowerBound
        #expect(last.lexicographicallyPrecedes(next[(time - 10)..<time]))
        try workspace.write(Data(next), to: "next.tsr")
        try workspace.tsp("verify next.tsr --request hello.tsq --trust ca.crt").expect(.done)
        try after.command.stop(with: SIGINT).expect(0)
    }

    @Test func keepsConnectionsAliveAndReadsChunks() throws {
        let workspace = try timestampWorkspace()
        try workspace.stampHello()
        let request = try workspace.bytes("hello.tsq")
        let server = try ServedAuthority(workspace, "-v")
        #expect(try server.post(request, times: 3).allSatisfy { $0.status == 200 })
        let client = try LoopbackClient(port: server.port)
        client.send(
            "POST /tsa HTTP/1.1\r\nhost: x\r\ncontent-type: Application/Timestamp-Query; a=b\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n")
        for byte in request { client.send(Array("1\r\n".utf8) + [byte] + Array("\r\n".utf8)) }
        client.send("0\r\nTrailer: x\r\n\r\n")
        let response = try #require(client.receive())
        #expect(response.status == 200)
        #expect(response.head.lowercased().contains("application/timestamp-reply"))
        client.send(
            ServedAuthority.head("POST / HTTP/1.0", length: request.count)
                .replacingOccurrences(of: "Host", with: "Expect: 100-continue\r\nHost"))
        client.send(request)
        #expect(try #require(client.receive()).status == 200)
        #expect(client.isClosed)
        let asking = try LoopbackClient(port: server.port)
        asking.send(
            ServedAuthority.head(length: request.count)
                .replacingOccurrences(of: "Host", with: "Expect: 100-continue\r\nHost"))
        #expect(try #require(asking.receive()).status == 100)
        asking.send(request)
        #expect(try #require(asking.receive()).status == 200)
        let stopped = try server.command.stop().expect(0)
        // A line for each request.
        #expect(stopped.errors.split(separator: "\n").filter { $0.contains("granted") }.count == 6)
    }

    @Test func refusesWhatIsNoRequest() throws {
        let workspace = try timestampWorkspace()
        let server = try ServedAuthority(workspace)
        let long = String(repeating: "x", count: 20_000)
        let host = "Host: x\r\n"
        let cases: [(String, Int)] = [
            ("GET / HTTP/1.1\r\n\(host)\r\n", 405),
            ("HEAD / HTTP/1.1\r\n\(host)\r\n", 405),
            (ServedAuthority.head(type: "text/plain", length: 1) + "x", 415),
            ("POST / HTTP/1.1\r\n\(host)Content-Length: 1\r\n\r\nx", 415),
            (ServedAuthority.head(length: 100_000_000), 413),
            ("POST / HTTP/1.1\r\n\(host)Content-Length: 99999999999999999999999\r\n\r\n", 413),
            ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nfffff\r\n", 413),
            ("POST / HTTP/1.1\r\n\(host)\r\n", 411),
            ("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", 400),
            ("POST / HTTP/1.1\r\n\(host)Content-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\n\(host)Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
            (
                "POST / HTTP/1.1\r\n\(host)Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                400
            ), ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: gzip\r\n\r\n", 501),
            ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
            ("POST / HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
            ("POST / HTTP/2.0\r\n\(host)\r\n", 505),
            ("hello\r\n\r\n", 400),
            ("\u{16}\u{03}\u{01} / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\(host) folded: x\r\n\r\n", 400),
            ("GET /\(long) HTTP/1.1\r\n\(host)\r\n", 431),
            ("GET / HTTP/1.1\r\n\(host)" + String(repeating: "a: b\r\n", count: 200) + "\r\n", 431),
        ]
        for (text, status) in cases {
            let client = try LoopbackClient(port: server.port)
            client.send(text)
            #expect(client.receive()?.status == status, "\(text.prefix(80))")
        }
        // A malformed request is answered as RFC 3161 has it, not by HTTP.
        let answer = try server.post(Array("hello".utf8))[0]
        #expect(answer.status == 200)
        try workspace.write(Data(answer.body), to: "r.tsr")
        #expect(try workspace.signet("show r.tsr --json").json().failures == ["badDataFormat"])
        try server.command.stop().expect(0)
    }

    @Test func isNotHeldUpBySlowClients() throws {
        let workspace = try timestampWorkspace()
        try workspace.stampHello()
        let request = try workspace.bytes("hello.tsq")
        let server = try ServedAuthority(workspace)
        let slow = try (0..<40).map { _ in
            let client = try LoopbackClient(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: x\r\n")
            return client
        }
        let clock = ContinuousClock()
        let spent = try clock.measure { _ = try server.post(request, times: 5) }
        #expect(spent < .seconds(5))
        // Dripping byte by byte gains nothing: the whole request has one limit.
        let dripping = try LoopbackClient(port: server.port)
        let patience = clock.measure {
            for byte in ServedAuthority.head(length: 1000).utf8 {
                guard dripping.send([byte]) else { break }
                usleep(150_000)
            }
            #expect(dripping.receive()?.status == 408)
        }
        #expect(patience < .seconds(25))
        #expect(slow[0].receive()?.status == 408)
        // Idle connections do not keep the server from stopping.
        let idle = try LoopbackClient(port: server.port)
        let stopping = try clock.measure { try server.command.stop().expect(0) }
        #expect(stopping < .seconds(5))
        #expect(idle.isClosed)
    }

    @Test func slowClientsMakeRoomForOthers() throws {
        let workspace = try timestampWorkspace()
        try workspace.stampHello()
        let server = try ServedAuthority(workspace)
        // More than there are places.
        let slow = try (0..<400).map { _ in
            let client = try LoopbackClient(port: server.port)
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Le")
            return client
        }
        let request = try workspace.bytes("hello.tsq")
        let began = ContinuousClock.now
        let answer = try server.post(request).first
        #expect(answer?.status == 200)
        // Sooner than any of them runs into the limit of one request.
        #expect(ContinuousClock.now - began < .seconds(9))
        withExtendedLifetime(slow) {}
        try server.command.stop().expect(0)
    }

    @Test func saysWhyItCannotListen() throws {
        let workspace = try timestampWorkspace()
        let server = try ServedAuthority(workspace)
        let serve = ["tsp", "serve", "--key", "tsa.pem", "--cert", "tsa.crt", "--listen"]
        try workspace.signet(
            "\(serve) 127.0.0.1:\(server.port)", environment: workspace.environment
        ).expectRefusal(.cannotCreateOutput, naming: "in use")
        for address in ["nonsense", "127.0.0.1", "127.0.0.1:99999", "1:2:3", "[::1", ":-1"] {
            try workspace.signet("\(serve) \(address)", environment: workspace.environment)
                .expectRefusal(.usage)
        }
        try server.command.stop().expect(0)
    }

    @Test func saysToProgramsWhereItListens() throws {
        let workspace = try timestampWorkspace()
        let command = try RunningCommand(
            SignetBinary.path,
            ["tsp", "serve", "--key", "tsa.pem", "--cert", "tsa.crt", "--listen", ":0", "--json"],
            environment: workspace.environment, folder: workspace.folder)
        let line = command.firstLine()
        #expect(line.contains(#""signet.tsp-serve/1""#) && line.contains("http://127.0.0.1:"))
        try command.stop().expect(0)
    }
}
