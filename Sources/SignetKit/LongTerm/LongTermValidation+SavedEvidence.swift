import Base
import CryptoBridge
import SystemBridge
import TrustKit

extension LongTermValidation.Material {
    /// Writes each item to a file for offline use: CRLs as `NAME-HASH.crl`, OCSP responses as
    /// `.ocsp`, certificates as `.pem`. Equal items have equal names.
    ///
    /// - Throws: ``SignetError`` if writing fails.
    func save(in folder: String) throws {
        try writing(folder) { try FileSystem.makeFolders(folder) }
        for certificate in certificates {
            try save(certificate.pem, of: certificate.subject, certificate.der, "pem", folder)
        }
        for list in evidence.lists { try save(list.der, of: list.issuer, list.der, "crl", folder) }
        for item in items {
            for response in item.records.flatMap(\.evidence.responses) {
                try save(response.der, of: item.certificate.subject, response.der, "ocsp", folder)
            }
        }
    }

    private static let hashDigits = 16
    private static let nameLength = 40

    private func save(
        _ bytes: [UInt8], of name: DistinguishedName, _ der: [UInt8], _ ending: String,
        _ folder: String
    ) throws {
        let hash = try DigestAlgorithm.sha256.hash(der)
        // The name may contain any characters, so only ASCII letters and digits are kept.
        let words = name.shortText.unicodeScalars.map { scalar in
            scalar.isASCII && scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                ? Character(scalar) : "-"
        }
        let path =
            "\(folder)/\(String(words.prefix(Self.nameLength)))-"
            + "\(Hex.encode(hash).prefix(Self.hashDigits)).\(ending)"
        guard !FileSystem.exists(path) else { return }
        do throws(FileError) {
            let output = try AtomicOutput(path: path, mode: .normal, replace: false, run: nil)
            try output.write(bytes)
            try output.commit()
        } catch {
            // Another file of the batch needs the same item.
            guard error.code != .exists else { return }
            throw SignetError(error)
        }
    }
}
