import CLoaded

/// One document being read. Expat's handlers find it by a pointer.
class ExpatRun {
    /// How names are told.
    enum Names {
        /// The namespace, a separator and the local name; declarations of namespaces are no attributes.
        case expanded
        /// As they are written; declarations of namespaces are attributes.
        case written
    }

    private var failure: XMLError?

    // MARK: What is told

    /// - Parameter attributes: names and values by turns, then nil.
    func start(
        _ name: UnsafePointer<CChar>, _ attributes: UnsafePointer<UnsafePointer<CChar>?>?
    ) throws(XMLError) {}

    func end() throws(XMLError) {}

    /// Text comes in pieces.
    func text(_ text: UnsafeRawBufferPointer) {}

    // MARK: Reading

    /// - Throws: what is wrong, with the line; or what the functions above throw.
    final func read(
        _ document: [UInt8], _ names: Names, byteLimit: Int
    ) throws(XMLError) {
        guard document.count <= byteLimit else {
            throw XMLError(
                .limitExceeded, "\(document.count) bytes of XML, at most \(byteLimit) are accepted")
        }
        var handlers = CExpat_handlers()
        unsafe handlers.start = { context, name, attributes in
            unsafe ExpatRun.tell(context) { run throws(XMLError) in
                if let name = unsafe name { try unsafe run.start(name, attributes) }
            }
        }
        unsafe handlers.end = { context in
            unsafe ExpatRun.tell(context) { run throws(XMLError) in try run.end() }
        }
        unsafe handlers.text = { context, text, count in
            unsafe ExpatRun.tell(context) { run in
                unsafe run.text(UnsafeRawBufferPointer(start: text, count: count))
            }
        }
        unsafe handlers.document_type = { context, hasSubset in
            unsafe ExpatRun.refuse(
                context,
                hasSubset != 0
                    ? "its document type declares entities or the like"
                    : "it declares a document type")
        }
        unsafe handlers.unknown_entity = { context in
            unsafe ExpatRun.refuse(context, "it refers to an entity that it does not declare")
        }
        if names == .written {
            unsafe handlers.instruction = { context in
                unsafe ExpatRun.refuse(context, "it has a processing instruction")
            }
        }
        var position = unsafe CExpat_position()
        // Kept alive for exactly this call.
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let result = withExtendedLifetime(self) {
            unsafe CExpat_parse(
                document, document.count,
                CInt(names == .written ? CEXPAT_WRITTEN_NAMES : CEXPAT_EXPANDED_NAMES), &handlers,
                context, &position)
        }
        if let failure = unsafe error(result, position) { throw failure }
    }

    private static func refuse(_ context: UnsafeMutableRawPointer?, _ detail: String) -> CInt {
        unsafe tell(context) { _ throws(XMLError) in
            throw XMLError(.declarationRefused, detail)
        }
    }

    /// - Returns: 0 to go on.
    private static func tell(
        _ context: UnsafeMutableRawPointer?, _ body: (ExpatRun) throws(XMLError) -> Void
    ) -> CInt {
        guard let context = unsafe context else { return 1 }
        let run = unsafe Unmanaged<ExpatRun>.fromOpaque(context).takeUnretainedValue()
        do throws(XMLError) {
            try body(run)
            return 0
        } catch {
            run.failure = error
            return 1
        }
    }

    private func error(_ result: CInt, _ position: CExpat_position) -> XMLError? {
        let line = unsafe Int(clamping: position.line)
        switch Int(result) {
        case Int(CEXPAT_PARSED): return nil
        case Int(CEXPAT_MISSING):
            return XMLError(
                .parserMissing, "the library libexpat.so.1 is not installed (Debian: libexpat1)")
        case Int(CEXPAT_NO_MEMORY):
            return XMLError(.limitExceeded, "no memory is left for reading XML")
        case Int(CEXPAT_STOPPED):
            let failure = failure ?? XMLError(.unexpected, "reading was stopped")
            return XMLError(failure.code, failure.detail, line: failure.line ?? line)
        default:
            return XMLError(.malformed, unsafe String(cString: position.message), line: line)
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
