import Base
import CLoaded

/// A parser run over one document. Expat's handlers receive a pointer to it.
final class ExpatRun {
    /// Between the parts of names: a character that XML does not permit.
    private static let separator: Unicode.Scalar = "\u{C}"

    private let handler: any XMLHandler
    private var failure: XMLError?
    private var stop: () -> Void = {}
    private var pendingText: [UInt8] = []
    /// Names by Expat's form of them: lists repeat a few names often.
    private var tags: [ExactText: XMLElement.Tag] = [:]
    private var declarations: [(prefix: ExactText, namespace: ExactText)] = []
    private var depth = 0
    private var elementCount = 0

    init(_ handler: any XMLHandler) { self.handler = handler }

    /// - Throws: ``XMLError`` with the line, or an error of the handler.
    func read(_ document: [UInt8], byteLimit: Int) throws(XMLError) {
        guard document.count <= byteLimit, let count = Int32(exactly: document.count) else {
            throw XMLError(
                .limitExceeded, "\(document.count) bytes of XML, at most \(byteLimit) are accepted")
        }
        try Self.checkVersion(document)
        guard let expat = unsafe CExpat_load()?.pointee else {
            throw XMLError(
                .parserMissing, "the library libexpat.so.1 is not installed (Debian: libexpat1)")
        }
        let noMemory = XMLError(.limitExceeded, "no memory is left for reading XML")
        let parser = expat.ParserCreateNS(nil, CChar(Self.separator.value))
        guard let parser = unsafe parser else { throw noMemory }
        defer { unsafe expat.ParserFree(parser) }
        stop = { _ = unsafe expat.StopParser(parser, 0) }
        defer { stop = {} }
        unsafe listen(to: parser, expat)
        // A single call, because Expat 2.5 rescans long tokens that arrive in many pieces
        // (CVE-2023-52425).
        let status = withExtendedLifetime(self) {
            unsafe document.withUnsafeBytes {
                unsafe expat.Parse(
                    parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), count, 1)
            }
        }
        guard status != CEXPAT_OK else { return }
        let place = unsafe " (line \(expat.GetCurrentLineNumber(parser)))"
        if let failure { throw XMLError(failure.code, failure.detail + place) }
        let code = unsafe expat.GetErrorCode(parser)
        guard code != CEXPAT_NO_MEMORY else { throw noMemory }
        let words = unsafe expat.ErrorString(code).map { unsafe String(cString: $0) } ?? ""
        throw XMLError(
            code == CEXPAT_UNKNOWN_ENCODING ? .unsupported : .malformed, words + place)
    }

    /// Expat reads every version as 1.0; in 1.1 other characters are white space.
    private static func checkVersion(_ document: [UInt8]) throws(XMLError) {
        let start = Array("<?xml".utf8)
        let text = document.starts(with: [0xEF, 0xBB, 0xBF]) ? document[3...] : document[...]
        guard text.starts(with: start) else { return }
        let declaration = String(decoding: text.prefix(100).prefix { $0 != 0x3E }, as: UTF8.self)
        let parts = declaration.split { $0 == "\"" || $0 == "'" }
        guard parts.count > 1, parts[0].contains("version"), parts[1] != "1.0" else { return }
        throw XMLError(.unsupported, "XML version \(parts[1]) is not supported")
    }

    // MARK: Elements

    private func declare(_ prefix: UnsafePointer<CChar>?, namespace: UnsafePointer<CChar>?) {
        func text(_ bytes: UnsafePointer<CChar>?) -> ExactText {
            unsafe ExactText(bytes.map { unsafe String(cString: $0) } ?? "")
        }
        unsafe declarations.append((text(prefix), text(namespace)))
    }

    /// - Parameter written: names and values by turns, then nil.
    private func start(
        _ name: UnsafePointer<CChar>, _ written: UnsafePointer<UnsafePointer<CChar>?>?
    ) throws(XMLError) {
        var attributes: [XMLElement.Attribute] = []
        while let next = unsafe written?[2 * attributes.count],
            let value = unsafe written?[2 * attributes.count + 1]
        {
            guard attributes.count < XMLLimits.attributeCount else {
                throw XMLError(.limitExceeded, "more than \(XMLLimits.attributeCount) attributes")
            }
            unsafe attributes.append(
                XMLElement.Attribute(tag: tag(next), value: String(cString: value)))
        }
        depth += 1
        elementCount += 1
        guard depth <= XMLLimits.depth else {
            throw XMLError(.limitExceeded, "elements nested deeper than \(XMLLimits.depth)")
        }
        guard elementCount <= XMLLimits.elementCount else {
            throw XMLError(.limitExceeded, "more than \(XMLLimits.elementCount) elements")
        }
        let element = unsafe XMLElement(
            tag: tag(name), attributes: attributes, declarations: declarations)
        declarations = []
        try handOverText()
        try handler.start(element)
    }

    private func end() throws(XMLError) {
        depth -= 1
        try handOverText()
        try handler.end()
    }

    /// Called for each piece of text.
    private func handOverText() throws(XMLError) {
        guard !pendingText.isEmpty else { return }
        let text = String(decoding: pendingText, as: UTF8.self)
        pendingText.removeAll(keepingCapacity: true)
        try handler.text(text)
    }

    /// Reads a name in expat's form, `namespace separator local separator prefix`; namespace and
    /// prefix may be missing.
    private func tag(_ text: UnsafePointer<CChar>) -> XMLElement.Tag {
        let text = unsafe ExactText(String(cString: text))
        if let known = tags[text] { return known }
        let parts = text.parts(separator: Self.separator).map(\.text)
        let name = parts.count == 1 ? XMLName(parts[0]) : XMLName(parts[1], namespace: parts[0])
        let tag = XMLElement.Tag(name: name, prefix: parts.count == 3 ? parts[2] : "")
        tags[text] = tag
        return tag
    }

    // MARK: Handlers

    private func listen(to parser: OpaquePointer, _ expat: CExpat_functions) {
        unsafe expat.SetReturnNSTriplet(parser, 1)
        // `read` keeps this object alive during the call of Parse.
        unsafe expat.SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        unsafe expat.SetStartNamespaceDeclHandler(parser) { context, prefix, namespace in
            unsafe ExpatRun.tell(context) { run in unsafe run.declare(prefix, namespace: namespace)
            }
        }
        unsafe expat.SetElementHandler(
            parser,
            { context, name, attributes in
                unsafe ExpatRun.tell(context) { run throws(XMLError) in
                    if let name = unsafe name { try unsafe run.start(name, attributes) }
                }
            },
            { context, _ in unsafe ExpatRun.tell(context) { run throws(XMLError) in try run.end() }
            })
        unsafe expat.SetCharacterDataHandler(parser) { context, text, count in
            unsafe ExpatRun.tell(context) { run in
                unsafe run.pendingText.append(
                    contentsOf: UnsafeRawBufferPointer(start: text, count: Int(count)))
            }
        }
        unsafe expat.SetStartDoctypeDeclHandler(parser) { context, _, _, _, hasSubset in
            unsafe ExpatRun.refuse(
                context,
                detail: hasSubset != 0
                    ? "its document type declares entities or the like"
                    : "it declares a document type")
        }
        unsafe expat.SetSkippedEntityHandler(parser) { context, _, _ in
            unsafe ExpatRun.refuse(
                context, detail: "it refers to an entity that it does not declare")
        }
        unsafe expat.SetProcessingInstructionHandler(parser) { context, _, _ in
            unsafe ExpatRun.tell(context) { run throws(XMLError) in
                try run.handler.instruction()
            }
        }
        unsafe expat.SetCommentHandler(parser) { context, _ in
            unsafe ExpatRun.tell(context) { run in run.handler.comment() }
        }
    }

    private static func refuse(_ context: UnsafeMutableRawPointer?, detail: String) {
        unsafe tell(context) { _ throws(XMLError) in throw XMLError(.declarationRefused, detail) }
    }

    private static func tell(
        _ context: UnsafeMutableRawPointer?, _ body: (ExpatRun) throws(XMLError) -> Void
    ) {
        guard let context = unsafe context else { return }
        let run = unsafe Unmanaged<ExpatRun>.fromOpaque(context).takeUnretainedValue()
        // After a stop, Expat may still call handlers for events that it has begun.
        guard run.failure == nil else { return }
        do throws(XMLError) {
            try body(run)
        } catch {
            run.failure = error
            run.stop()
        }
    }
}
