import SignetKit
import TextBridge

/// Uses the lines of the input as names and reasons in a validation report.
///
/// The report must be XML with the elements of a report on one signature, and its indication must
/// be that of the result.
enum ReportFuzz {
    private final class Reading: XMLHandler {
        var names: [String] = []
        var indications: Set<String> = []
        var deepest = 0
        private var open: [String] = []

        func start(_ element: XMLElement) throws(XMLError) {
            names.append(element.name.local)
            open.append(element.name.local)
            deepest = max(deepest, open.count)
        }

        func text(_ text: String) throws(XMLError) {
            if open.last == "MainIndication" { indications.insert(text) }
        }

        func end() throws(XMLError) { open.removeLast() }
    }

    private static func reading(of texts: [String]) -> Reading? {
        let reading = Reading()
        guard let report = try? ValidationReportFuzzing.report(of: texts),
            (try? XMLReader.read(report, into: reading)) != nil
        else { return nil }
        return reading
    }

    static func failure(of bytes: [UInt8]) -> String? {
        let texts = bytes.split(separator: 10, omittingEmptySubsequences: false).prefix(16)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let plain = reading(of: Array(repeating: "a", count: 11)) else {
            return "a report that cannot be read"
        }
        guard let found = reading(of: texts + Array(repeating: "", count: 11)) else {
            return "these texts make a report that cannot be read"
        }
        guard found.names == plain.names, found.deepest == plain.deepest,
            found.indications == plain.indications
        else { return "these texts make other elements" }
        return nil
    }
}
