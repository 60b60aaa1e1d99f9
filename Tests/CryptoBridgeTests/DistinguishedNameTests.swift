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

    @Test func usesTheStringTypesOfTheStandard() throws {
        let name = try DistinguishedName(rfc4514: "CN=x,C=CZ")
        let country = name.relativeNames[0][0]
        #expect(country.valueDER == [0x13, 0x02, 0x43, 0x5A])
        #expect(name.relativeNames[1][0].valueDER == [0x0C, 0x01, 0x78])
        #expect(name.commonName == "x")
    }
}
