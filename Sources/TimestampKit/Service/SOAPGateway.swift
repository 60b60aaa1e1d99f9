import Base
import NetworkBridge
import TextBridge

/// The reason why a gateway cannot be used or gave no response.
package struct GatewayError: Error, Sendable {
    /// One line, lower case, no full stop.
    package let detail: String
}

/// A TSA behind a SOAP gateway: request and response are base64 in XML.
package struct SOAPGateway: Sendable {
    package static let requestPlaceholder = "{request}"
    private static let version11 = "http://schemas.xmlsoap.org/soap/envelope/"
    private static let version12 = "http://www.w3.org/2003/05/soap-envelope"

    private let template: String
    private let action: String
    /// Local name of the element with the response.
    private let resultName: String
    /// SOAP 1.2 differs in its headers.
    private let isVersion12: Bool

    /// - Parameters:
    ///   - template: the envelope in UTF-8 with `{request}` for the request; `{id}` is replaced by
    ///     a new identifier and `{time}` by the current time (RFC 3339).
    ///   - action: value of the SOAPAction header.
    package init(template: [UInt8], action: String, resultName: String) throws(GatewayError) {
        guard let text = String(validating: template, as: UTF8.self) else {
            throw GatewayError(detail: "the envelope is not UTF-8")
        }
        guard text.contains(Self.requestPlaceholder) else {
            throw GatewayError(
                detail: "the envelope does not contain the placeholder " + Self.requestPlaceholder)
        }
        guard !action.unicodeScalars.contains(where: { $0.value < 0x20 || $0 == "\"" }) else {
            throw GatewayError(detail: "the action contains quotation marks or line breaks")
        }
        let envelope = Envelope(resultName: resultName)
        do {
            try XMLReader.read(template, into: envelope)
        } catch {
            throw GatewayError(detail: "the SOAP envelope is not valid XML: \(error.detail)")
        }
        self.template = text
        self.action = action
        self.resultName = resultName
        isVersion12 = envelope.root?.namespace == Self.version12
    }

    /// Inserts the request into the template.
    func wrap(_ query: [UInt8], into request: inout HTTPRequest, at time: CalendarTime) {
        let identifier = Hex.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) })
        request.body = Array(
            template.replacing("{id}", with: identifier).replacing("{time}", with: time.rfc3339)
                .replacing(Self.requestPlaceholder, with: Base64.encode(query)).utf8)
        request.headers =
            isVersion12
            ? [("Content-Type", "application/soap+xml; charset=utf-8; action=\"\(action)\"")]
            : [("Content-Type", "text/xml; charset=utf-8"), ("SOAPAction", "\"\(action)\"")]
    }

    /// The bytes of the response.
    ///
    /// - Parameter status: HTTP status.
    /// - Throws: ``GatewayError``, also for a SOAP fault, with its text.
    package func answer(in body: [UInt8], status: Int) throws(GatewayError) -> [UInt8] {
        let envelope = Envelope(resultName: resultName)
        do {
            try XMLReader.read(body, into: envelope)
        } catch {
            let what =
                HTTPResponse.isSuccess(status)
                ? "XML that is not accepted: \(error.detail)" : "status \(status)"
            throw GatewayError(detail: "answers with \(what)\(body.firstWords)")
        }
        if let fault = envelope.fault {
            let words = fault.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            throw GatewayError(detail: "answers with a SOAP fault: '\(words.prefix(200))'")
        }
        guard HTTPResponse.isSuccess(status) else {
            throw GatewayError(detail: "answers with status \(status)")
        }
        guard envelope.results.count == 1 else {
            throw GatewayError(
                detail: "answers with \(envelope.results.count) elements '\(resultName)', not one")
        }
        guard let bytes = Base64.decode(Array(envelope.results[0].utf8).withoutWhiteSpace) else {
            throw GatewayError(detail: "answers with an element '\(resultName)' that is no base64")
        }
        return bytes
    }

    /// Collects the text of the relevant elements.
    private final class Envelope: XMLHandler {
        let resultName: String
        private(set) var root: XMLName?
        private(set) var results: [String] = []
        private(set) var fault: String?
        private var path: [XMLName] = []

        init(resultName: String) { self.resultName = resultName }

        func start(_ element: XMLElement) {
            root = root ?? element.name
            path.append(element.name)
            if element.name.local == resultName { results.append("") }
            let isSOAP = [SOAPGateway.version11, SOAPGateway.version12]
                .contains(element.name.namespace)
            if isSOAP, element.name.local == "Fault" { fault = "" }
        }

        func text(_ text: String) {
            if path.last?.local == resultName { results[results.count - 1] += text }
            // Fault elements of SOAP 1.1 and of 1.2.
            if fault != nil, let name = path.last?.local, ["faultstring", "Text"].contains(name) {
                fault?.append(text + " ")
            }
        }

        func end() { path.removeLast() }
    }
}
