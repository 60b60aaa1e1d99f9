import Base
import CryptoBridge

/// Simulates a key on a token for decryption: the encrypted input begins with the content key.
struct FuzzEnvelopeKey: EnvelopeKey {
    /// Certificates of an RSA and a P-256 key; the seeds contain envelopes for them.
    static let certificates = [
        "3082013a3081eda003020102020101300506032b6570300c310a300806035504030c0146301e170d"
            + "3230303130313030303030305a170d3439303130313030303030305a300c310a300806035504030c"
            + "014630819f300d06092a864886f70d010101050003818d0030818902818100bfbf485dfaac7bb33e"
            + "60fa16827ac7bd7178810d571cb680f16293549b379071a863e4581f3ec7b6b49697ab307469191a"
            + "650a1c2feff5104a23c968e6e4bb77899cd79e2b0fee584abc6a34b75bb1a51d4d85bc42e07fce3d"
            + "c504a0308fe3f5ce0d7888afdb2eb6f49ec3c74a27daf3bcb085b8521a0e9d821c8593f9e58aad02"
            + "03010001300506032b65700341007466523f67e1de82c157a67c9cbfb07a44ce32484f997ba849eb"
            + "96b23dcc81e6006cee6c6e87defe5d88c55eb26fb9be681e8b2f3499d6b915b099ad3943db0e",
        "3081f33081a6a003020102020102300506032b6570300c310a300806035504030c0146301e170d32"
            + "30303130313030303030305a170d3439303130313030303030305a300c310a300806035504030c01"
            + "463059301306072a8648ce3d020106082a8648ce3d030107034200048a0b667f8b849f96248a3311"
            + "38e6bb5705272d5f70c17aafc9d0ce47f5856675681703faada6b9c1a9518f9233c9a8b22e5fe3d2"
            + "77ffc974fad2e94bd787379d300506032b657003410063aefc3c8bde606cbf50328c7fc63d55362e"
            + "e2731852a4a04f4934d9459992e38176e8a2f12399a38662513321a6203194b5091b753cc662daf5"
            + "3278bf8e5f07",
    ].compactMap { text in try? Certificate(der: Hex.decode(Array(text.utf8)) ?? []) }

    func decrypt(_ data: [UInt8], _ transport: KeyTransport) throws -> [UInt8]? {
        guard case .oaep(let padding) = transport else { return Array(data.prefix(16)) }
        _ = padding.unpad(data, byteCount: 128)
        return Array(data.prefix(32))
    }

    func agree(with _: [UInt8], byteCount: Int) throws -> [[UInt8]] {
        [[], [UInt8](repeating: 5, count: byteCount)]
    }

    /// Opens an envelope with each key.
    static func open(_ envelope: EnvelopedData) {
        for certificate in certificates {
            guard let share = try? envelope.share(for: certificate) else { continue }
            _ = (share.scheme.name, share.mayHold(20))
            _ = try? share.open(with: FuzzEnvelopeKey())
        }
    }
}
