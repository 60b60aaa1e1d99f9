import Foundation
import SignetTestSupport
import Testing

/// Folders of revocation lists.
@Suite struct DamagedListTests {
    /// The newest list may be the one that was cut off, and say what the others do not.
    @Test func aDamagedListIsNotPassedOver() throws {
        let workspace = try signingWorkspace()
        try workspace.makeFolder("lists")
        try workspace.openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Root", "-days", "30", "-addext",
            "keyUsage=critical,keyCertSign,cRLSign",
        ])
        try workspace.write(Data(), to: "index.txt")
        try workspace.write(
            "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\ndefault_md=sha256\n", to: "ca.cnf")
        try workspace.openssl(
            "ca -config ca.cnf -gencrl -keyfile ca.key -cert ca.pem -crldays 7 -out list.pem")
        try workspace.openssl("crl -in list.pem -outform DER -out lists/old.crl")
        try workspace.succeed("sign letter.pdf --key key.pem --cert valid.pem")
        let verify = ["verify", "letter.signed.pdf", "--trust", "valid.pem", "--crl", "lists"]
        try workspace.write("no list", to: "lists/readme.txt")
        try workspace.succeed(verify)
        try workspace.write(try workspace.read("lists/old.crl").dropLast(3), to: "lists/new.crl")
        try workspace.signet(verify).expectRefusal(.malformedInput, naming: "is not a CRL")
    }
}
