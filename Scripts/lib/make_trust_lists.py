#!/usr/bin/env python3
"""usage: make_trust_lists.py FOLDER [--sequence N] [--status STATUS] [--statements LIST]
                               [--next-update TIME] [--base URL] [--country CC] [--territory CC]
                               [--provider NAME] [--qualifier NAME] [--identity KIND]
                               [--variant NAME,...] [--journals]

Makes a list of lists, a national list and the certificates that go with them, for tests: anchor.crt
(signs the list of lists), ca.crt (the listed service), signer.crt with signer.pem (a qualified
certificate). Keys that are there are used again. Canonical forms come from lxml, so that the
program's own are judged by another's. --identity lists the service otherwise than by its
certificate: renewed (another key of the same name), ski (the key's identifier alone). --variant makes
lists that must be refused: unsigned, altered, twice, wrapped, nested, below, renamed, included,
entity, instruction, deep, huge, other-key, expired, dated-back; several are put into folders of
their names. --journals makes instead lists of lists that go from one issue of the Official Journal
to the next; see journals().
"""

import argparse
import base64
import datetime
import hashlib
import pathlib

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import NameOID
from lxml import etree

TSL = "http://uri.etsi.org/02231/v2#"
DS = "http://www.w3.org/2000/09/xmldsig#"
XADES = "http://uri.etsi.org/01903/v1.3.2#"
EXCLUSIVE = "http://www.w3.org/2001/10/xml-exc-c14n#"
STATEMENTS = {
    "compliance": "300806060400 8e460101",
    "device": "3008060604008e460104",
    "esig": "3013 06 06 04008e460106 3009 06 07 04008e46010601",
    "eseal": "3013 06 06 04008e460106 3009 06 07 04008e46010602",
    # Without the SEQUENCE around the purposes, as some issuers wrote.
    "bare": "3011 06 06 04008e460106 06 07 04008e46010601",
}


def key(folder, name, kind):
    path = folder / f"{name}.pem"
    if path.exists():
        return serialization.load_pem_private_key(path.read_bytes(), None)
    made = ec.generate_private_key(ec.SECP256R1()) if kind == "ec" else rsa.generate_private_key(65537, 3072)
    path.write_bytes(
        made.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return made


def certificate(
    folder, name, own, subject, issuer=None, issuer_key=None, ca=False, statements="", country="CZ",
        years=(2020, 2045)):
    path = folder / f"{name}.crt"
    if path.exists():
        return x509.load_pem_x509_certificate(path.read_bytes())
    names = x509.Name(
        [x509.NameAttribute(NameOID.COUNTRY_NAME, country)]
        + [x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Test Trust s.r.o.")]
        + [x509.NameAttribute(NameOID.COMMON_NAME, subject)]
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(names)
        .issuer_name(issuer.subject if issuer else names)
        .public_key(own.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.datetime(years[0], 1, 1))
        .not_valid_after(datetime.datetime(years[1], 1, 1))
        .add_extension(x509.BasicConstraints(ca, None), True)
        .add_extension(
            x509.KeyUsage(not ca, not ca, False, False, False, ca, ca, False, False), True
        )
    )
    if statements:
        parts = b"".join(bytes.fromhex(STATEMENTS[s]) for s in statements.split(","))
        builder = builder.add_extension(
            x509.UnrecognizedExtension(
                x509.ObjectIdentifier("1.3.6.1.5.5.7.1.3"), b"\x30" + bytes([len(parts)]) + parts
            ),
            False,
        )
    made = builder.sign(issuer_key or own, hashes.SHA256())
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return made


def b64(data):
    return base64.b64encode(data).decode()


def der(cert):
    return cert.public_bytes(serialization.Encoding.DER)


def digest(data):
    return b64(hashlib.sha256(data).digest())


def identity(cert):
    return (
        f"<ServiceDigitalIdentity><DigitalId><X509Certificate>{b64(der(cert))}</X509Certificate>"
        "</DigitalId></ServiceDigitalIdentity>"
    )


def pointer(territory, kind, location, cert):
    return (
        "<OtherTSLPointer><ServiceDigitalIdentities>"
        f"{identity(cert)}</ServiceDigitalIdentities><TSLLocation>{location}</TSLLocation>"
        "<AdditionalInformation><OtherInformation><TSLType>http://uri.etsi.org/TrstSvc/"
        f"TrustedList/TSLType/{kind}</TSLType></OtherInformation><OtherInformation>"
        f"<SchemeTerritory>{territory}</SchemeTerritory></OtherInformation><OtherInformation>"
        '<a:MimeType xmlns:a="http://uri.etsi.org/02231/v2/additionaltypes#">'
        "application/vnd.etsi.tsl+xml</a:MimeType></OtherInformation></AdditionalInformation>"
        "</OtherTSLPointer>"
    )


def document(territory, kind, sequence, next_update, pointers, providers, uris=("https://localhost/scheme",),
             year=2026):
    addresses = "".join(f'<URI xml:lang="en">{uri}</URI>' for uri in uris)
    return (
        f'<TrustServiceStatusList xmlns="{TSL}" Id="list" '
        'TSLTag="http://uri.etsi.org/19612/TSLTag"><SchemeInformation>'
        f"<TSLVersionIdentifier>6</TSLVersionIdentifier><TSLSequenceNumber>{sequence}"
        "</TSLSequenceNumber><TSLType>http://uri.etsi.org/TrstSvc/TrustedList/TSLType/"
        f'{kind}</TSLType><SchemeInformationURI>{addresses}'
        f"</SchemeInformationURI><SchemeTerritory>{territory}</SchemeTerritory>"
        f"<PointersToOtherTSL>{pointers}</PointersToOtherTSL>"
        f"<ListIssueDateTime>{year}-01-0{sequence % 9 + 1}T00:00:00Z</ListIssueDateTime>"
        f"<NextUpdate><dateTime>{next_update}</dateTime></NextUpdate>"
        f"</SchemeInformation>{providers}</TrustServiceStatusList>"
    )


def canonical(node):
    return etree.tostring(node, method="c14n", exclusive=True, with_comments=False)


def sign(text, cert, own, year=2026):
    root = etree.fromstring(text)
    content = canonical(root)
    properties = (
        f'<x:SignedProperties xmlns:x="{XADES}" Id="properties"><x:SignedSignatureProperties>'
        f"<x:SigningTime>{year}-01-01T00:00:00Z</x:SigningTime><x:SigningCertificateV2><x:Cert>"
        f'<x:CertDigest><d:DigestMethod xmlns:d="{DS}" '
        'Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>'
        f'<d:DigestValue xmlns:d="{DS}">{digest(der(cert))}</d:DigestValue></x:CertDigest></x:Cert>'
        "</x:SigningCertificateV2></x:SignedSignatureProperties></x:SignedProperties>"
    )
    signed = digest(canonical(etree.fromstring(properties)))
    method = "ecdsa-sha256" if isinstance(own, ec.EllipticCurvePrivateKey) else "rsa-sha256"

    def reference(attributes, transforms, value):
        made = "".join(f'<d:Transform Algorithm="{t}"/>' for t in transforms)
        return (
            f"<d:Reference {attributes}><d:Transforms>{made}</d:Transforms>"
            '<d:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/>'
            f"<d:DigestValue>{value}</d:DigestValue></d:Reference>"
        )

    info = (
        f'<d:SignedInfo xmlns:d="{DS}"><d:CanonicalizationMethod Algorithm="{EXCLUSIVE}"/>'
        f'<d:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#{method}"/>'
        + reference('URI=""', [DS + "enveloped-signature", EXCLUSIVE], digest(content))
        + reference(
            'Type="http://uri.etsi.org/01903#SignedProperties" URI="#properties"',
            [EXCLUSIVE],
            signed,
        )
        + "</d:SignedInfo>"
    )
    octets = canonical(etree.fromstring(info))
    if method == "rsa-sha256":
        value = own.sign(octets, padding.PKCS1v15(), hashes.SHA256())
    else:
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

        numbers = decode_dss_signature(own.sign(octets, ec.ECDSA(hashes.SHA256())))
        value = b"".join(n.to_bytes(32, "big") for n in numbers)
    signature = (
        f'<d:Signature xmlns:d="{DS}" Id="signature">{info}<d:SignatureValue>{b64(value)}'
        f"</d:SignatureValue><d:KeyInfo><d:X509Data><d:X509Certificate>{b64(der(cert))}"
        "</d:X509Certificate></d:X509Data></d:KeyInfo><d:Object>"
        f'<x:QualifyingProperties xmlns:x="{XADES}" Target="#signature">{properties}'
        "</x:QualifyingProperties></d:Object></d:Signature>"
    )
    end = "</TrustServiceStatusList>"
    return text.removesuffix(end) + signature + end, signature


def listed(kind, folder, ca, ca_key):
    """The identity of the service in its entry."""
    if kind == "ski":
        identifier = x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key()).digest
        return (
            f"<ServiceDigitalIdentity><DigitalId><X509SKI>{b64(identifier)}</X509SKI></DigitalId>"
            "</ServiceDigitalIdentity>"
        )
    if kind == "renewed":
        country = ca.subject.get_attributes_for_oid(NameOID.COUNTRY_NAME)[0].value
        own = key(folder, "renewed", "rsa")
        return identity(
            certificate(folder, "renewed", own, "Test Qualified CA", ca=True, country=country))
    return identity(ca)


def qualifications(qualifier):
    """An extension that says something of all certificates that are for digital signatures."""
    if not qualifier:
        return ""
    space = "http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/#"
    return (
        f"<Extension Critical='true'><q:Qualifications xmlns:q='{space}'><q:QualificationElement>"
        "<q:Qualifiers><q:Qualifier uri='http://uri.etsi.org/TrstSvc/TrustedList/SvcInfoExt/"
        f"{qualifier}'/></q:Qualifiers><q:CriteriaList assert='all'><q:KeyUsage>"
        "<q:KeyUsageBit name='digitalSignature'>true</q:KeyUsageBit></q:KeyUsage></q:CriteriaList>"
        "</q:QualificationElement></q:Qualifications></Extension>"
    )


def journals(folder, next_update):
    """Lists of lists under two issues of the Official Journal, `first` and `second`, which print
    the certificates of these names. 1.xml to 3.xml rest upon the first, 4.xml names both, 5.xml the
    second alone; `false` signs a list that names the second and is none of its certificates."""
    own = {name: key(folder, name, "ec") for name in ("first", "next", "second", "false")}
    certificates = {name: certificate(folder, name, own[name], name) for name in own}
    at = "https://localhost/{}.xml".format
    first, second = "https://localhost/first/oj", "https://localhost/second/oj"
    # Number, who signs, who may sign what follows, what it rests upon.
    for number, signer, following, uris in [
        (1, "first", "next", [at(1), first]),
        (2, "next", "next", [at(2), at(1), first]),
        (3, "next", "second", [at(3), at(2), at(1), first]),
        (4, "second", "second", [at(4), second, at(3), at(2), at(1), first]),
        (5, "second", "second", [second]),
        (6, "false", "second", [second]),
    ]:
        pointers = "".join(
            pointer("EU", "EUlistofthelists", "https://localhost/lotl.xml", certificates[name])
            for name in dict.fromkeys((signer, following)))
        text = document("EU", "EUlistofthelists", number, next_update, pointers, "", uris)
        (folder / f"{number}.xml").write_text(sign(text, certificates[signer], own[signer])[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--sequence", type=int, default=5)
    parser.add_argument("--status", default="granted")
    parser.add_argument("--statements", default="compliance,device,esig")
    parser.add_argument("--next-update", default="2044-01-01T00:00:00Z")
    parser.add_argument("--base", default="https://localhost")
    parser.add_argument("--country", default="CZ")
    parser.add_argument("--territory")
    parser.add_argument("--provider", default="Test Trust s.r.o.")
    parser.add_argument("--qualifier", default="")
    parser.add_argument("--identity", default="certificate")
    parser.add_argument("--variant", default="")
    parser.add_argument("--journals", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.journals:
        journals(options.folder, options.next_update)
        return
    names = options.variant.split(",")
    for options.variant in names:
        make(options, options.folder / ("lists" if len(names) == 1 else options.variant))


def make(options, lists):
    folder, country = options.folder, options.country
    territory = options.territory or country
    lists.mkdir(exist_ok=True)
    anchor_key, scheme_key = key(folder, "anchor", "rsa"), key(folder, "scheme", "ec")
    ca_key, signer_key = key(folder, "ca", "rsa"), key(folder, "signer", "rsa")
    anchor = certificate(folder, "anchor", anchor_key, "Commission")
    scheme = certificate(folder, "scheme", scheme_key, "Scheme operator")
    year = signed = 2026
    if options.variant in ("expired", "dated-back"):
        # An operator's certificate of former times, which the list of lists still names.
        scheme = certificate(folder, "scheme-old", scheme_key, "Scheme operator", years=(2018, 2021))
        signed, year = 2020, 2020 if options.variant == "dated-back" else 2026
    ca = certificate(folder, "ca", ca_key, "Test Qualified CA", ca=True, country=country)
    certificate(
        folder, "signer", signer_key, "Jan Novák", ca, ca_key, statements=options.statements,
        country=country)
    purposes = "".join(
        "<Extension Critical='true'><AdditionalServiceInformation><URI xml:lang='en'>"
        f"http://uri.etsi.org/TrstSvc/TrustedList/SvcInfoExt/{p}</URI>"
        "</AdditionalServiceInformation></Extension>"
        for p in ("ForeSignatures", "ForeSeals")
    )
    state = (
        "<ServiceTypeIdentifier>http://uri.etsi.org/TrstSvc/Svctype/CA/QC</ServiceTypeIdentifier>"
        '<ServiceName><Name xml:lang="en">Test Qualified CA</Name></ServiceName>'
        "%s<ServiceStatus>http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus/%s</ServiceStatus>"
        "<StatusStartingTime>%s</StatusStartingTime><ServiceInformationExtensions>"
        + purposes
        + qualifications(options.qualifier)
        + "</ServiceInformationExtensions>"
    )
    # What is not granted now was granted before.
    service = "<ServiceInformation>" + state % (
        listed(options.identity, folder, ca, ca_key),
        options.status,
        "2025-01-01T00:00:00Z",
    )
    service += "</ServiceInformation><ServiceHistory><ServiceHistoryInstance>"
    service += state % ("<ServiceDigitalIdentity/>", "granted", "2018-01-01T00:00:00Z")
    service += "</ServiceHistoryInstance></ServiceHistory>"
    providers = (
        "<TrustServiceProviderList><TrustServiceProvider><TSPInformation><TSPName>"
        f'<Name xml:lang="en">{options.provider}</Name></TSPName></TSPInformation><TSPServices>'
        f"<TSPService>{service}</TSPService></TSPServices></TrustServiceProvider>"
        "</TrustServiceProviderList>"
    )
    pointers = pointer("EU", "EUlistofthelists", f"{options.base}/lotl.xml", anchor)
    pointers += pointer(territory, "EUgeneric", f"{options.base}/cz.xml", scheme)
    lotl, _ = sign(
        document("EU", "EUlistofthelists", options.sequence, options.next_update, pointers, ""),
        anchor,
        anchor_key,
    )
    text = document(territory, "EUgeneric", options.sequence, options.next_update, "", providers,
                    year=year)
    national, signature = sign(text, scheme, scheme_key, signed)
    end = "</TrustServiceStatusList>"
    if options.variant == "unsigned":
        national = text
    elif options.variant == "altered":
        national = national.replace("Svcstatus/granted", "Svcstatus/revoked", 1)
    elif options.variant == "twice":
        national = national.removesuffix(end) + signature + end
    elif options.variant == "wrapped":
        # What was signed hides in an extension of another list.
        national = text.replace('Id="list"', 'Id="other"', 1).replace(
            "granted", "withdrawn", 1
        ).removesuffix(end) + signature.replace(
            "</d:Object>", f"</d:Object><d:Object>{text}</d:Object>", 1
        ) + end
    elif options.variant == "nested":
        # The signed list whole in another one, whose signature it is not.
        national = text.replace('Id="list"', 'Id="other"', 1).removesuffix(end) + national + end
    elif options.variant == "below":
        national = text.removesuffix(end) + f"<Extension>{signature}</Extension>" + end
    elif options.variant == "renamed":
        # The reference names another element by an attribute that only some take for an Id.
        national = text.replace('Id="list"', 'id="list"', 1).removesuffix(end) + signature.replace(
            'URI=""', 'URI="#list"', 1) + end
    elif options.variant == "included":
        national = national.replace(
            "<SchemeInformation>", '<i:include xmlns:i="http://www.w3.org/2001/XInclude" '
            'href="/etc/passwd" parse="text"/><SchemeInformation>', 1)
    elif options.variant == "entity":
        national = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>' + national.replace(
            "Test Trust", "&b;")
    elif options.variant == "instruction":
        national = national.replace("<SchemeInformation>", "<?a b?><SchemeInformation>", 1)
    elif options.variant == "deep":
        national = national.replace(
            "<SchemeInformation>", "<x>" * 100_000 + "</x>" * 100_000 + "<SchemeInformation>", 1)
    elif options.variant == "huge":
        national = national.replace(
            "<SchemeInformation>", "<SchemeInformation><x>" + "a" * 40_000_000 + "</x>", 1)
    elif options.variant == "other-key":
        national, _ = sign(text, anchor, anchor_key)
    (lists / "lotl.xml").write_text(lotl)
    (lists / "cz.xml").write_text(national)


if __name__ == "__main__":
    main()
