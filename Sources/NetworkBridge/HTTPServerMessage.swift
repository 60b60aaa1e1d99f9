/// One field of a message's header, its name in lower case.
package struct HTTPField: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request as received (RFC 9110, RFC 9112).
package struct HTTPServerRequest: Sendable {
    package let method: String
    package let target: String
    package let fields: [HTTPField]
    package let body: [UInt8]
    /// The client's address, for logs.
    package let peer: String

    /// The value of a field that occurs once; nil otherwise.
    package func field(_ name: String) -> String? {
        let found = fields.filter { $0.name == name }
        return found.count == 1 ? found[0].value : nil
    }

    /// The media type in lower case without its parameters.
    package var mediaType: String? {
        field("content-type").map {
            String($0.prefix { $0 != ";" }).lowercased().filter { $0 != " " && $0 != "\t" }
        }
    }
}

package struct HTTPServerResponse: Sendable {
    package var status: Int
    package var fields: [HTTPField]
    package var body: [UInt8]

    package init(status: Int, fields: [HTTPField] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// An error response with its reason as a line of text.
    package init(status: Int, text: String, fields: [HTTPField] = []) {
        self.init(
            status: status, fields: fields + [HTTPField("content-type", "text/plain")],
            body: Array((text + "\n").utf8))
    }

    func encoded(isKeptAlive: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        text += "content-length: \(body.count)\r\n"
        text += "connection: \(isKeptAlive ? "keep-alive" : "close")\r\n\r\n"
        return Array(text.utf8) + body
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}

package struct HTTPServerLimits: Sendable {
    package var headByteCount = 16_384
    package var fieldCount = 100
    package var bodyByteCount = 65_536
    /// Maximum number of connections at the same time; more wait until one ends.
    package var connectionCount = 256
    /// Time limit from a request's first byte to its last.
    package var requestDuration = Duration.seconds(10)
    /// Time limit of a request if other clients wait for a connection.
    package var crowdedDuration = Duration.milliseconds(500)
    /// Time limit without a request, before the first and between two.
    package var idleDuration = Duration.seconds(20)
    /// Time limit for sending a response.
    package var writeDuration = Duration.seconds(10)
    /// Time limit for requests in progress after the stop signal.
    package var stopDuration = Duration.seconds(5)

    package init() {}
}

/// A request that violates the protocol; the connection ends with it.
struct HTTPRefusal: Error {
    let status: Int
    let text: String

    init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }
}

/// The request line and the fields (RFC 9112 §3, §5).
struct HTTPHead {
    /// How the body's length is determined (RFC 9112 §6.3).
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
    }

    let method: String
    let target: String
    let fields: [HTTPField]
    let framing: Framing
    let isKeptAlive: Bool
    let expectsContinue: Bool

    /// - Parameter bytes: the head without the empty line at its end.
    init(_ bytes: [UInt8], _ limits: HTTPServerLimits) throws(HTTPRefusal) {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            $0.last == 0x0D ? $0.dropLast() : $0
        }
        guard let first = lines.first,
            first.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
        else { throw HTTPRefusal(400, "no request line") }
        let words = String(decoding: first, as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, !words[1].isEmpty, Self.isToken(words[0]) else {
            throw HTTPRefusal(400, "no request line")
        }
        guard words[2].hasPrefix("HTTP/") else { throw HTTPRefusal(400, "not an HTTP request") }
        guard words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0" else {
            throw HTTPRefusal(505, "HTTP/1.1 is required")
        }
        (method, target) = (String(words[0]), String(words[1]))
        lines.removeFirst()
        guard lines.count <= limits.fieldCount else { throw HTTPRefusal(431, "too many fields") }
        var fields: [HTTPField] = []
        for line in lines { fields.append(try Self.field(line)) }
        self.fields = fields
        let isNewer = words[2] == "HTTP/1.1"
        func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
        guard !isNewer || values("host").count == 1 else {
            throw HTTPRefusal(400, "exactly one Host field is required")
        }
        let connection = values("connection").joined(separator: ",").lowercased()
            .split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
        isKeptAlive =
            isNewer ? !connection.contains("close") : connection.contains("keep-alive")
        expectsContinue = isNewer && values("expect").contains { $0.lowercased() == "100-continue" }
        framing = try Self.framing(
            values("content-length"), values("transfer-encoding"), isNewer: isNewer)
    }

    /// A body with two lengths is rejected: proxies could read another request.
    private static func framing(
        _ lengths: [String], _ encodings: [String], isNewer: Bool
    ) throws(HTTPRefusal) -> Framing {
        if !encodings.isEmpty {
            guard lengths.isEmpty, isNewer else {
                throw HTTPRefusal(400, "Transfer-Encoding with Content-Length or HTTP/1.0")
            }
            guard encodings.count == 1, encodings[0].lowercased() == "chunked" else {
                throw HTTPRefusal(501, "only the transfer coding chunked is supported")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        guard lengths.count == 1, !length.isEmpty,
            length.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw HTTPRefusal(400, "Content-Length is not a number") }
        // A number too large for an integer is too large in any case.
        return .length(Int(length) ?? .max)
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> HTTPField {
        guard let colon = line.firstIndex(of: 0x3A) else {
            throw HTTPRefusal(400, "a field without a colon")
        }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        let value = line[(colon + 1)...]
        // Folded lines begin with white space, which no token contains.
        guard isToken(name[...]), !value.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
        else { throw HTTPRefusal(400, "a malformed field") }
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let trimmed = value.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        return HTTPField(name.lowercased(), String(decoding: Array(trimmed), as: UTF8.self))
    }

    private static func isToken(_ text: Substring) -> Bool {
        let marks = Array("!#$%&'*+-.^_`|~".utf8)
        return !text.isEmpty
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                    || (0x61...0x7A).contains($0) || marks.contains($0)
            }
    }
}
