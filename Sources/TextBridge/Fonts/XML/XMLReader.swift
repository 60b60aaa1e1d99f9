import CLoaded

/// A name with its namespace (Namespaces in XML 1.0).
package struct XMLName: Hashable, Sendable {
    /// The namespace's name; empty for names in none.
    package let namespace: String
    package let local: String

    package init(_ local: String, namespace: String = "") {
        self.namespace = namespace
        self.local = local
    }
}

/// The start of an element.
package struct XMLElement: Equatable, Sendable {
    package let name: XMLName
    /// Without namespace declarations. Attributes without a prefix are in no namespace.
    package let attributes: [XMLName: String]

    /// The value of an attribute in no namespace.
    package subscript(_ local: String) -> String? { attributes[XMLName(local)] }
}

/// What is told about a document, in its order.
package protocol XMLHandler {
    mutating func start(_ element: XMLElement) throws(XMLError)
    /// All text between two tags, entities replaced.
    mutating func text(_ text: String) throws(XMLError)
    mutating func end() throws(XMLError)
}

/// Reads XML 1.0 with namespaces by Expat. Nothing external is ever loaded, and no document may
/// declare a document type.
package enum XMLReader {
    /// Tells `handler` about a whole document.
    ///
    /// - Parameter byteLimit: at most ``XMLLimits/byteCount``.
    /// - Throws: what is wrong, with the line; or what `handler` throws, which ends the reading.
    package static func read<Handler: XMLHandler>(
        _ document: [UInt8], byteLimit: Int = XMLLimits.byteCount, into handler: inout Handler
    ) throws(XMLError) {
        let limit = min(byteLimit, XMLLimits.byteCount)
        guard document.count <= limit else {
            throw XMLError(
                .limitExceeded, "\(document.count) bytes of XML, at most \(limit) are accepted")
        }
        let run = Run(handler: handler)
        var handlers = CExpat_handlers()
        unsafe handlers.start = { context, name, attributes in
            guard let context = unsafe context, let name = unsafe name else { return 1 }
            return unsafe Run.of(context).start(name, attributes)
        }
        unsafe handlers.end = { context in
            guard let context = unsafe context else { return 1 }
            return unsafe Run.of(context).end()
        }
        unsafe handlers.text = { context, text, count in
            guard let context = unsafe context else { return 1 }
            return unsafe Run.of(context).append(UnsafeBufferPointer(start: text, count: count))
        }
        unsafe handlers.document_type = { context, hasSubset in
            guard let context = unsafe context else { return 1 }
            return unsafe Run.of(context).declareDocumentType(hasSubset: hasSubset != 0)
        }
        unsafe handlers.unknown_entity = { context in
            guard let context = unsafe context else { return 1 }
            return unsafe Run.of(context).refuse("it refers to an entity that it does not declare")
        }
        var position = unsafe CExpat_position()
        // Kept alive by `run` for exactly this call.
        let context = unsafe Unmanaged.passUnretained(run as Run).toOpaque()
        let result = withExtendedLifetime(run) {
            unsafe CExpat_parse(
                document, document.count, CInt(CEXPAT_EXPANDED_NAMES), &handlers, context,
                &position)
        }
        if let failure = unsafe XMLError(result, position, run.failure) { throw failure }
        handler = run.handler as? Handler ?? handler
    }
}

extension XMLError {
    /// What went wrong with Expat; nil where nothing did.
    init?(_ result: CInt, _ position: CExpat_position, _ failure: XMLError?) {
        let line = unsafe Int(clamping: position.line)
        switch Int(result) {
        case Int(CEXPAT_PARSED): return nil
        case Int(CEXPAT_MISSING):
            self.init(
                .parserMissing, "the library libexpat.so.1 is not installed (Debian: libexpat1)")
        case Int(CEXPAT_NO_MEMORY):
            self.init(.limitExceeded, "no memory is left for reading XML")
        case Int(CEXPAT_STOPPED):
            let failure = failure ?? XMLError(.unexpected, "reading was stopped")
            self.init(failure.code, failure.detail, line: failure.line ?? line)
        default:
            self.init(.malformed, unsafe String(cString: position.message), line: line)
        }
    }
}

/// One document being read. Expat's handlers find it by a pointer.
private final class Run {
    private(set) var handler: any XMLHandler
    private(set) var failure: XMLError?
    private var pendingText: [UInt8] = []
    /// Names met so far, by their numbers in ``nameNumbers``: lists have few, told often.
    private var names: [XMLName] = []
    private var nameNumbers = ByteTable()
    private var depth = 0
    private var elementCount = 0

    init(handler: any XMLHandler) { self.handler = handler }

    static func of(_ context: UnsafeMutableRawPointer) -> Run {
        unsafe Unmanaged<Run>.fromOpaque(context).takeUnretainedValue()
    }

    func start(
        _ name: UnsafePointer<CChar>,
        _ attributes: UnsafePointer<UnsafePointer<CChar>?>?
    ) -> CInt {
        var values: [XMLName: String] = [:]
        var index = 0
        while let next = unsafe attributes?[index], let value = unsafe attributes?[index + 1] {
            guard index / 2 < XMLLimits.attributeCount else {
                return stop(.limitExceeded, "more than \(XMLLimits.attributeCount) attributes")
            }
            unsafe values[self.name(next)] = unsafe String(cString: value)
            index += 2
        }
        depth += 1
        elementCount += 1
        guard depth <= XMLLimits.depth else {
            return stop(.limitExceeded, "elements nested deeper than \(XMLLimits.depth)")
        }
        guard elementCount <= XMLLimits.elementCount else {
            return stop(.limitExceeded, "more than \(XMLLimits.elementCount) elements")
        }
        let element = unsafe XMLElement(name: self.name(name), attributes: values)
        return tell { handler throws(XMLError) in try handler.start(element) }
    }

    func end() -> CInt {
        depth -= 1
        return tell { handler throws(XMLError) in try handler.end() }
    }

    func append(_ text: UnsafeBufferPointer<CChar>) -> CInt {
        unsafe pendingText.append(contentsOf: UnsafeRawBufferPointer(text))
        return 0
    }

    func declareDocumentType(hasSubset: Bool) -> CInt {
        refuse(
            hasSubset
                ? "its document type declares entities or the like" : "it declares a document type")
    }

    func refuse(_ detail: String) -> CInt { stop(.declarationRefused, detail) }

    private func stop(_ code: XMLError.Code, _ detail: String) -> CInt {
        failure = XMLError(code, detail)
        return 1
    }

    /// Hands over the text so far, then what `body` tells.
    private func tell(_ body: (inout any XMLHandler) throws(XMLError) -> Void) -> CInt {
        do throws(XMLError) {
            if !pendingText.isEmpty {
                let text = String(decoding: pendingText, as: UTF8.self)
                pendingText.removeAll(keepingCapacity: true)
                try handler.text(text)
            }
            try body(&handler)
            return 0
        } catch {
            failure = error
            return 1
        }
    }

    /// `namespace separator local`, or the local name alone.
    private func name(_ text: UnsafePointer<CChar>) -> XMLName {
        let number = unsafe nameNumbers.number(ofText: text)
        if number < names.count { return names[number] }
        let bytes = nameNumbers[number]
        let end = bytes.firstIndex(of: UInt8(CEXPAT_SEPARATOR))
        let name = XMLName(
            String(decoding: bytes[(end.map { $0 + 1 } ?? bytes.startIndex)...], as: UTF8.self),
            namespace: end.map { String(decoding: bytes[..<$0], as: UTF8.self) } ?? "")
        names.append(name)
        return name
    }
}
