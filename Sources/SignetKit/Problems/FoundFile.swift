import Base
import Pages
import SystemBridge

/// The format of a file that is not the expected one, recognized by its first bytes. Used only for
/// error messages.
struct FoundFile {
    /// The name of the format, such as `a JPEG image`.
    let name: String
    /// What to do with such a file; nil if there is nothing to say.
    var hint: Sentence?
    var isPDF = false
    /// Whether `show` describes the file.
    var isDescribed = false
    var isImage = false
    private(set) var isContainer = false
    var isCertificate: Bool { name == Self.certificate }
    private static let certificate = "a certificate"
    var isKeyStore: Bool { name == Self.keyStore }
    private static let keyStore = "a PKCS#12 file"
    var isPublicKey: Bool { name == Self.publicKey }
    private static let publicKey = "a public key"

    /// Whether the file may be an evidence record in XML.
    private(set) var isXMLRecord = false

    /// Enough for the header of an e-mail.
    static let headByteCount = 4096

    /// Nil if the format is unknown, or the path is not a regular file.
    init?(_ path: String) {
        guard FileSystem.isRegularFile(path), let file = try? InputFile(path: path),
            let head = try? file.bytes(at: 0, count: min(file.byteCount, Self.headByteCount)),
            let found = FoundFile(head: head)
        else { return nil }
        self = found
    }

    /// - Parameter head: the first bytes of the file.
    init?(head: [UInt8]) {
        let text = String(decoding: head, as: UTF8.self)
        let folded = text.lowercased()
        if let label = Self.labels.first(where: { text.contains("-----BEGIN \($0.label)-----") }) {
            self.init(name: label.name, isDescribed: true)
        } else if text.hasPrefix("0"), head.prefix(8).firstRange(of: [2, 1, 3, 0x30]) != nil {
            // RFC 7292 §4: version 3, then the content.
            self.init(name: Self.keyStore, isDescribed: true)
        } else if head.starts(with: Array("PK\u{3}\u{4}".utf8)) {
            // ETSI EN 319 162-1 §A.1: the first entry of the ZIP file is `mimetype`.
            let isContainer = text.contains("mimetypeapplication/vnd.etsi.asic-")
            self.init(name: isContainer ? "an ASiC container" : "a ZIP archive")
            self.isContainer = isContainer
        } else if let format = ForeignFormat.recognized(firstBytes: head) {
            let isPDF = head.starts(with: Array("%PDF-".utf8))
            self.init(
                name: format.name, hint: isPDF ? nil : format.hint, isPDF: isPDF,
                isDescribed: isPDF, isImage: !isPDF)
        } else if ["mime-version:", "content-type:"].contains(where: folded.contains) {
            self.init(name: "an e-mail", hint: Sentence(.saveAttachment))
        } else if text.filter({ !$0.isWhitespace }).hasPrefix("{\"") {
            self.init(name: "a JSON file", hint: Sentence(.writeValueAlone))
        } else if folded.contains("<html") {
            self.init(name: "a web page")
        } else if folded.hasPrefix("<?xml") || folded.hasPrefix("\u{FEFF}<?xml") {
            let isSigned = text.contains("http://www.w3.org/2000/09/xmldsig#")
            let isRecord = text.contains("EvidenceRecord")
            self.init(
                name: isSigned && !isRecord
                    ? "a signed XML file (XAdES, not supported)" : "an XML file",
                hint: isSigned && !isRecord ? Sentence(.useContainerOfXML) : nil)
            isXMLRecord = isRecord
        } else {
            return nil
        }
    }

    private init(
        name: String, hint: Sentence? = nil, isPDF: Bool = false, isDescribed: Bool = false,
        isImage: Bool = false
    ) {
        self.name = name
        self.hint = hint
        self.isPDF = isPDF
        self.isDescribed = isDescribed
        self.isImage = isImage
    }

    /// PEM labels (RFC 7468), and the names of their content.
    private static let labels: [(label: String, name: String)] = [
        ("CERTIFICATE REQUEST", "a certificate signing request (CSR)"),
        ("NEW CERTIFICATE REQUEST", "a certificate signing request (CSR)"),
        ("PRIVATE KEY", "a private key"), ("ENCRYPTED PRIVATE KEY", "a private key"),
        ("RSA PRIVATE KEY", "a private key"), ("EC PRIVATE KEY", "a private key"),
        ("PUBLIC KEY", publicKey), ("CERTIFICATE", certificate),
        ("X509 CRL", "a certificate revocation list (CRL)"),
    ]
}
