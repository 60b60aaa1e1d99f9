import Base
import KeyBridge

/// Reads an issuer, a zero byte, the query of a redirect or a redirected URL, a zero byte, and the
/// metadata of an authorization server.
enum AuthorizationFuzz {
    static func failure(of bytes: [UInt8]) -> String? {
        let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let issuer = parts[0]
        for address in AuthorizationServer.metadataAddresses(of: issuer)
        where !address.contains("/.well-known/") { return "metadata at \(address)" }
        guard parts.count > 1 else { return nil }
        for response in [
            AuthorizationResponse(query: parts[1]), AuthorizationResponse(url: parts[1]),
        ] {
            guard let response else { continue }
            guard (response.code == nil) != (response.error == nil),
                response.code.map(AuthorizationResponse.isCode) ?? true
            else { return "a response without a code or an error: \(response)" }
        }
        guard parts.count > 2, let json = try? JSONValue(parsing: Array(parts[2].utf8)),
            let server = try? AuthorizationServer(json, issuer: issuer)
        else { return nil }
        guard let named = server.issuer,
            named == issuer || named + "/" == issuer
                || named == issuer + "/"
        else { return "the metadata of another issuer: \(server)" }
        return nil
    }
}
