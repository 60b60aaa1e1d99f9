import Base
import PDFCore
import TrustKit

/// Parses the input as Adobe's security settings, as Mozilla's list, and as a PDF with an embedded
/// list.
enum AnchorListFuzz {
    static func failure(of bytes: [UInt8]) -> String? {
        for list in [
            try? AnchorList(securitySettings: bytes), try? AnchorList(certdata: bytes),
        ] where list?.anchors.isEmpty == true {
            return "a list without trust anchors"
        }
        if let document = try? PDFDocument(source: MemorySource(bytes)) {
            _ = try? document.embeddedFile(AnchorList.securitySettingsName, byteLimit: 1 << 20)
        }
        return nil
    }
}
