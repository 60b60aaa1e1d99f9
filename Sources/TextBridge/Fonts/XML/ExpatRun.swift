import CLoaded

/// One document being read. Expat's handlers find it by a pointer.
class ExpatRun {
    /// How names are told.
    enum Names {
        /// The namespace, ``separator`` and the local name; declarations of namespaces are no attributes,
        /// and processing instructions are passed over.
        case expanded
        /// As they are written; declarations of namespaces are attributes, and processing instructions
        /// are refused.
        case written
    }

    /// A character that XML does not permit.
    static let separator: UInt8 = 0x0C

    private var failure: XMLError?
    private var stop: () -> Void = {}

    // MARK: What is told

    /// - Parameter attributes: names and values by turns, then nil.
    func start(
        _ name: UnsafePointer<CChar>, _ attributes: UnsafePointer<UnsafePointer<CChar>?>?
    ) throws(XMLError) {}

    func end() throws(XMLError) {}

    /// Text comes in pieces.
    func text(_ text: UnsafeRawBufferPointer) {}

    // MARK: Reading

    /// Reads a whole document. Nothing external is ever loaded.
    ///
    /// - Throws: what is wrong, with the line; or what the functions above throw.
    final func read(_ document: [UInt8], _ names: Names, byteLimit: Int) throws(XMLError) {
        guard document.count <= byteLimit, let count = Int32(exactly: document.count) else {
            throw XMLError(
                .limitExceeded, "\(document.count) bytes of XML, at most \(byteLimit) are accepted")
        }
        guard let expat = unsafe CExpat_load()?.pointee else {
            throw XMLError(
                .parserMissing, "the library libexpat.so.1 is not installed (Debian: libexpat1)")
        }
        let noMemory = XMLError(.limitExceeded, "no memory is left for reading XML")
        let parser =
            names == .written
            ? expat.ParserCreate(nil) : expat.ParserCreateNS(nil, CChar(Self.separator))
        guard let parser = unsafe parser else { throw noMemory }
        defer { unsafe expat.ParserFree(parser) }
        stop = { _ = unsafe expat.StopParser(parser, 0) }
        defer { stop = {} }
        unsafe listen(to: parser, expat, names)
        // In one call: Expat 2.5 reads long tokens that come in many pieces from their start each time
        // (CVE-2023-52425).
        let status = withExtendedLifetime(self) {
            unsafe document.withUnsafeBytes {
                unsafe expat.Parse(
                    parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), count, 1)
            }
        }
        guard status != CEXPAT_OK else { return }
        let line = unsafe Int(clamping: expat.GetCurrentLineNumber(parser))
        if let failure { throw XMLError(failure.code, failure.detail, line: failure.line ?? line) }
        let code = unsafe expat.GetErrorCode(parser)
        guard code != CEXPAT_NO_MEMORY else { throw noMemory }
        let words = unsafe expat.ErrorString(code).map { unsafe String(cString: $0) } ?? ""
        throw XMLError(.malformed, words, line: line)
    }

    private func listen(to parser: OpaquePointer, _ expat: CExpat_functions, _ names: Names) {
        // Kept alive by the one call of Parse.
        unsafe expat.SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
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
                unsafe run.text(UnsafeRawBufferPointer(start: text, count: Int(count)))
            }
        }
        unsafe expat.SetStartDoctypeDeclHandler(parser) { context, _, _, _, hasSubset in
            unsafe ExpatRun.refuse(
                context,
                hasSubset != 0
                    ? "its document type declares entities or the like"
                    : "it declares a document type")
        }
        unsafe expat.SetSkippedEntityHandler(parser) { context, _, _ in
            unsafe ExpatRun.refuse(context, "it refers to an entity that it does not declare")
        }
        guard names == .written else { return }
        unsafe expat.SetProcessingInstructionHandler(parser) { context, _, _ in
            unsafe ExpatRun.refuse(context, "it has a processing instruction")
        }
    }

    private static func refuse(_ context: UnsafeMutableRawPointer?, _ detail: String) {
        unsafe tell(context) { _ throws(XMLError) in throw XMLError(.declarationRefused, detail) }
    }

    private static func tell(
        _ context: UnsafeMutableRawPointer?, _ body: (ExpatRun) throws(XMLError) -> Void
    ) {
        guard let context = unsafe context else { return }
        let run = unsafe Unmanaged<ExpatRun>.fromOpaque(context).takeUnretainedValue()
        // After a stop Expat may still call handlers of what it has begun.
        guard run.failure == nil else { return }
        do throws(XMLError) {
            try body(run)
        } catch {
            run.failure = error
            run.stop()
        }
    }
}

extension UnsafeRawBufferPointer {
    /// A text that ends with a zero byte, without that.
    init(text: UnsafePointer<CChar>) {
        var count = 0
        while unsafe text[count] != 0 { count += 1 }
        unsafe self.init(start: text, count: count)
    }
}
