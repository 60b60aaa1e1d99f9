import ByteKit
import PDFCore

/// Parses the input as one object. What parses must be written so that it parses to the same.
private func fuzzSyntax(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let object = try? PDFObject(parsing: bytes) else { return 0 }
    let written = PDFWriter.bytes(object)
    guard let again = try? PDFObject(parsing: written), again == object else {
        fatalError("written differently: \(object)")
    }
    return 0
}

/// libFuzzer's own main function is out of reach: SwiftPM renames that of an executable.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@_cdecl("SyntaxFuzz_main")
func fuzzSyntaxMain(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count
    var arguments = unsafe arguments
    return unsafe runFuzzer(&count, &arguments) { start, count in
        unsafe fuzzSyntax(start, count)
    }
}
