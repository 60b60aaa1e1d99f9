import CryptoBridge
import Testing

@Suite("Names")
struct DistinguishedNameTests {
    @Test(
        "writes back what it reads",
        arguments: [
            "CN=Jan Novák,O=Firma,C=CZ", "CN=a\\,b\\+c\\\"d\\\\e\\<f\\>g\\;h", "CN=\\ x\\ ",
            "CN=\\#x", "OU=A+CN=b", "1.2.3.4=#0c0161", "CN=x\\0Ay", "",
            "emailAddress=a@b.cz,CN=x", "serialNumber=123", "DC=example,DC=com",
        ])
    func roundTrip(text: String) throws {
        let name = try DistinguishedName(rfc4514: text)
        let again = try DistinguishedName(der: name.der)
        #expect(again == name)
        #expect(try DistinguishedName(rfc4514: again.description) == name)
        if !text.contains("+") { #expect(again.description == text) }
    }

    @Test(
        "accepts other spellings",
        arguments: [
            (" cn = x , o = \"a, b\" ", "CN=x,O=a\\, b"), ("CN=Lu\\C4\\8Di\\C4\\87", "CN=Lučić"),
            ("OID.2.5.4.3=x;C=CZ", "CN=x,C=CZ"), ("2.5.4.3=x", "CN=x"),
        ])
    func spellings(text: String, expected: String) throws {
        #expect(try DistinguishedName(rfc4514: text).description == expected)
    }

    @Test(
        "refuses damage",
        arguments: [
            "CN", "CN=", "=x", "FOO=x", "CN=x,", "CN=a\\", "CN=\"x", "CN=#zz", "CN=#0c02",
            "C=CZE", "C=č1", "CN=a<b", "1.2=x\\q", "CN=x+,O=y", "CN=\\FF",
        ])
    func refusals(text: String) {
        #expect(throws: CryptoError(.malformedName, "")) {
            try DistinguishedName(rfc4514: text)
        }
    }

    /// Names of people with and without a common name (RFC 3739).
    @Test(arguments: [
        ("CN=Jan Novák,O=Firma", "Jan Novák"),
        ("SN=Nováková,givenName=Jana,O=Firma", "Jana Nováková"),
        ("O=Firma,C=CZ", "Firma"), ("emailAddress=a@b.cz,C=CZ", "a@b.cz"), ("C=CZ", "C=CZ"),
        ("CN=\\ ,pseudonym=Fox,O=Firma", "Fox"),
    ])
    func namesTheHolder(text: String, holder: String) throws {
        #expect(try DistinguishedName(rfc4514: text).shortText == holder)
    }

    /// RFC 5280 §7.1: string type, case and spaces make no other name.
    @Test func comparesNamesNotBytes() throws {
        let name = try DistinguishedName(rfc4514: "CN=Our  CA,C=CZ")
        #expect(name.isSame(as: try DistinguishedName(rfc4514: "CN=#13064f5552204341,C=cz")))
        #expect(!name.isSame(as: try DistinguishedName(rfc4514: "CN=OurCA,C=CZ")))
        #expect(!name.isSame(as: try DistinguishedName(rfc4514: "C=CZ,CN=Our CA")))
    }

    @Test func countsCharactersAgainstRFC5280() throws {
        let text = "CN=\(String(repeating: "č", count: 64)),L=\(String(repeating: "x", count: 129))"
        let warnings = try DistinguishedName(rfc4514: text).overlongValues
        #expect(warnings.count == 1 && warnings[0].hasPrefix("L has 129 characters"))
    }

    @Test(arguments: [
        ("CN=Müller, Söhne & Co", "'Söhne & Co' has no type"), ("/CN=a/O=b", "CN=a,O=b"),
        ("/O=b/CN=a", "CN=a,O=b"),
    ])
    func explainsOtherForms(text: String, words: String) {
        #expect {
            try DistinguishedName(rfc4514: text)
        } throws: {
            ($0 as? CryptoError)?.detail.contains(words) == true
        }
    }

    @Test func usesTheStringTypesOfTheStandard() throws {
        let name = try DistinguishedName(rfc4514: "CN=x,C=CZ")
        let country = name.relativeNames[0][0]
        #expect(country.valueDER == [0x13, 0x02, 0x43, 0x5A])
        #expect(name.relativeNames[1][0].valueDER == [0x0C, 0x01, 0x78])
        #expect(name.commonName == "x")
    }
}
