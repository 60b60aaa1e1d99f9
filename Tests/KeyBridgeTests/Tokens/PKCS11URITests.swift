import Base
import CMSKit
import KeyBridge
import Testing

@Suite struct PKCS11URITests {
    @Test(arguments: [
        "pkcs11:", "pkcs11:object=my-pubkey;type=public",
        "pkcs11:object=my-key;type=private?pin-source=file:/etc/token",
        "pkcs11:token=The%20Software%20PKCS%2311%20Softtoken;manufacturer=Snake%20Oil,%20Inc.;"
            + "model=1.0;object=my-certificate;type=cert;"
            + "id=%69%95%3E%5C%F4%BD%EC%91;serial=?pin-source=file:/etc/token_pin",
        "pkcs11:object=my-sign-key;type=private?module-name=mypkcs11",
        "pkcs11:object=my-sign-key;type=private?module-path=/mnt/libmypkcs11.so.1",
        "pkcs11:token=Software%20PKCS%2311%20softtoken;manufacturer=Snake%20Oil,%20Inc.",
        "pkcs11:slot-description=Sun%20Metaslot",
        "pkcs11:library-manufacturer=Snake%20Oil,%20Inc.;library-description=Soft%20Token%20Library;"
            + "library-version=1.23",
        "pkcs11:object=my-certificate;type=cert;id=%00%FF?unknown=1&module-name=x",
        "PKCS11:token=a", "pkcs11:id=a:[]@!$'()*+,=&b", "pkcs11:?module-path=/a|b?c",
    ])
    func reads(_ text: String) throws {
        let uri = try PKCS11URI(text)
        let again = try PKCS11URI(uri.text)
        #expect(again.path == uri.path)
        #expect(again.modulePath == uri.modulePath)
        #expect(again.moduleName == uri.moduleName)
        #expect(again.text == uri.text)
    }

    @Test(arguments: [
        "pkcs12:", "pkcs11:token=a;token=b", "pkcs11:token=%zz", "pkcs11:id=%", "pkcs11:id=%4",
        "pkcs11:nonsense=1", "pkcs11:token=a;", "pkcs11:token", "pkcs11:=a", "pkcs11:token=a/b",
        "pkcs11:token=a#b", "pkcs11:type=secret", "pkcs11:library-version=1.2.3",
        "pkcs11:library-version=256", "pkcs11:slot-id=x", "pkcs11:token=%FF",
        "pkcs11:?module-path=relative.so", "pkcs11:?module-path=/a&module-name=b",
        "pkcs11:?module-name=a&module-name=b", "pkcs11:?module-name=../x",
        "pkcs11:?pin-source=|cat", "pkcs11:?pin-source=relative",
        "pkcs11:?pin-value=1234", "pkcs11:?pin-source=file:/a&pin-value=1234",
        "pkcs11:token=abcdefghijklmnopqrstuvwxyz0123456", "pkcs11:token=a b",
    ])
    func refuses(_ text: String) {
        #expect {
            try PKCS11URI(text)
        } throws: { error in
            guard let failure = error as? SigningFailure else { return false }
            return failure.code == .usage && !failure.detail.contains("1234")
        }
    }

    @Test func isPrintedAsItIsRead() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            var uri = PKCS11URI()
            uri[.id] = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            uri[.object] = Array(
                String(
                    String.UnicodeScalarView(
                        (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
                            Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &generator))
                        })
                ).utf8)
            uri[.token] = Array("a;b?c#d/e%f &".utf8)
            if Bool.random(using: &generator) { uri.modulePath = "/usr/lib/x y/ä.so" }
            let read = try PKCS11URI(uri.text)
            #expect(read == uri)
        }
    }

    @Test func knowsWhatIsMeantAsOne() {
        #expect(PKCS11URI.canParse("pkcs11:"))
        #expect(PKCS11URI.canParse("PkCs11:token=x"))
        #expect(!PKCS11URI.canParse("./pkcs11:x"))
        #expect(!PKCS11URI.canParse("pkcs11"))
    }
}
