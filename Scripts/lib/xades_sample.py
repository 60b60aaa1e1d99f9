#!/usr/bin/env python3
"""usage: xades_sample.py KEY CERT OUT MODE FILE...

Makes an ASiC-E container with a XAdES B-B signature (ETSI EN 319 132-1) by lxml and cryptography, and
judges it by xmlsec1. MODE is a canonicalization (exclusive, inclusive, inclusive11), `transformed` for
XML files of which the exclusive form is signed, or an attack on the exclusive form: wrapped, doubled-id,
foreign-properties, doctype, xslt, unsigned-properties.
"""

import base64
import hashlib
import sys
import zipfile

import xmlsec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from lxml import etree

DS = "http://www.w3.org/2000/09/xmldsig#"
XADES = "http://uri.etsi.org/01903/v1.3.2#"
SHA256 = "http://www.w3.org/2001/04/xmlenc#sha256"
METHODS = {
    "exclusive": "http://www.w3.org/2001/10/xml-exc-c14n#",
    "inclusive": "http://www.w3.org/TR/2001/REC-xml-c14n-20010315",
    "inclusive11": "http://www.w3.org/2006/12/xml-c14n11",
}


def digest(data):
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


def canonical(node, mode):
    # Canonical XML 1.0 and 1.1 differ only in xml: attributes, of which there are none.
    return etree.tostring(node, method="c14n", exclusive=mode in ("exclusive", "transformed"), with_comments=False)


def reference(uri, value, transforms="", extra=""):
    return (
        f'<ds:Reference URI="{uri}"{extra}>{transforms}<ds:DigestMethod Algorithm="{SHA256}"/>'
        f"<ds:DigestValue>{value}</ds:DigestValue></ds:Reference>"
    )


def form(data, mode):
    """The bytes of a file that are signed."""
    return canonical(etree.fromstring(data), "exclusive") if mode == "transformed" else data


def signature(key, certificate, mode, files):
    method = METHODS.get(mode, METHODS["exclusive"])
    der = certificate.public_bytes(serialization.Encoding.DER)
    properties = (
        f'<x:QualifyingProperties xmlns:x="{XADES}" Target="#S0"><x:SignedProperties Id="P0">'
        "<x:SignedSignatureProperties><x:SigningTime>2026-01-01T00:00:00Z</x:SigningTime>"
        f'<x:SigningCertificateV2><x:Cert><x:CertDigest><ds:DigestMethod Algorithm="{SHA256}"/>'
        f"<ds:DigestValue>{digest(der)}</ds:DigestValue></x:CertDigest></x:Cert>"
        "</x:SigningCertificateV2></x:SignedSignatureProperties></x:SignedProperties>"
        "</x:QualifyingProperties>"
    )
    transform = f'<ds:Transforms><ds:Transform Algorithm="{method}"/></ds:Transforms>'
    kind = ' Type="http://uri.etsi.org/01903#SignedProperties"'
    text = (
        '<asic:XAdESSignatures xmlns:asic="http://uri.etsi.org/02918/v1.2.1#" xmlns:unused="urn:u">'
        f'<ds:Signature xmlns:ds="{DS}" Id="S0"><ds:SignedInfo>'
        f'<ds:CanonicalizationMethod Algorithm="{method}"/><ds:SignatureMethod '
        'Algorithm="http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256"/>'
        + "".join(
            reference(name, digest(form(data, mode)), transform if mode == "transformed" else "")
            for name, data in files.items()
        )
        + reference("#P0", "PROPERTIES", transform, kind)
        + "</ds:SignedInfo><ds:SignatureValue>VALUE</ds:SignatureValue><ds:KeyInfo><ds:X509Data>"
        f"<ds:X509Certificate>{base64.b64encode(der).decode()}</ds:X509Certificate></ds:X509Data>"
        f"</ds:KeyInfo><ds:Object>{properties}</ds:Object></ds:Signature></asic:XAdESSignatures>"
    )
    root = etree.fromstring(text)
    signed = canonical(root.find(f".//{{{XADES}}}SignedProperties"), mode)
    text = text.replace("PROPERTIES", digest(signed))
    root = etree.fromstring(text)
    info = canonical(root.find(f".//{{{DS}}}SignedInfo"), mode)
    r, s = utils.decode_dss_signature(key.sign(info, ec.ECDSA(hashes.SHA256())))
    value = base64.b64encode(r.to_bytes(32, "big") + s.to_bytes(32, "big")).decode()
    return text.replace("VALUE", value)


def judged(text, certificate, files, mode):
    """Whether xmlsec1 finds the signature right, with the files given as its external data."""
    root = etree.fromstring(text)
    xmlsec.tree.add_ids(root, ["Id"])
    node = root.find(f"{{{DS}}}Signature")
    # xmlsec1 loads no files: their hashes are compared here.
    info = node.find(f"{{{DS}}}SignedInfo")
    for found in info.findall(f"{{{DS}}}Reference"):
        if not found.get("URI").startswith("#"):
            value = found.findtext(f"{{{DS}}}DigestValue")
            assert value == digest(form(files[found.get("URI")], mode))
    context = xmlsec.SignatureContext()
    context.key = xmlsec.Key.from_memory(
        certificate.public_bytes(serialization.Encoding.PEM), xmlsec.constants.KeyDataFormatCertPem
    )
    method = info.find(f"{{{DS}}}CanonicalizationMethod").get("Algorithm")
    used = next(name for name, uri in METHODS.items() if uri == method)
    value = base64.b64decode(node.findtext(f"{{{DS}}}SignatureValue"))
    context.verify_binary(
        canonical(info, used), xmlsec.constants.TransformEcdsaSha256, value
    )


def attacked(text, mode):
    inner = text[text.index("<ds:Signature ") : text.index("</asic:XAdESSignatures>")]
    properties = text[text.index("<x:SignedProperties") : text.index("</x:QualifyingProperties>")]
    other = f'<ds:Object xmlns:x="{XADES}">{properties}</ds:Object>'
    if mode == "wrapped":
        moved = inner.replace('Id="S0"', 'Id="S1"').replace('Id="P0"', 'Id="P1"')
        return text.replace("<ds:KeyInfo>", f"<ds:Object>{moved}</ds:Object><ds:KeyInfo>")
    if mode == "doubled-id":
        return text.replace("<ds:KeyInfo>", other + "<ds:KeyInfo>")
    if mode == "foreign-properties":
        # The signed ones stand elsewhere, and the signature shows others.
        shown = properties.replace('Id="P0"', 'Id="P9"').replace("2026-01-01", "2020-01-01")
        text = text.replace(properties, shown)
        return text.replace("<ds:KeyInfo>", other + "<ds:KeyInfo>")
    if mode == "doctype":
        return '<!DOCTYPE a [<!ENTITY e "x">]>' + text
    if mode == "xslt":
        return text.replace(METHODS["exclusive"], "http://www.w3.org/TR/1999/REC-xslt-19991116", 2)
    assert mode == "unsigned-properties"
    start = text.index('<ds:Reference URI="#P0"')
    return text[:start] + text[text.index("</ds:SignedInfo>") :]


def main():
    key_path, certificate_path, out, mode, *names = sys.argv[1:]
    with open(key_path, "rb") as file:
        key = serialization.load_pem_private_key(file.read(), None)
    with open(certificate_path, "rb") as file:
        certificate = x509.load_pem_x509_certificate(file.read())
    files = {}
    for name in names:
        with open(name, "rb") as file:
            files[name.rsplit("/", 1)[-1]] = file.read()
    kind = mode if mode in METHODS or mode == "transformed" else "exclusive"
    text = signature(key, certificate, kind, files)
    judged(text, certificate, files, kind)
    if mode != kind:
        text = attacked(text, mode)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.etsi.asic-e+zip", zipfile.ZIP_STORED)
        for name, data in files.items():
            archive.writestr(name, data)
        archive.writestr("META-INF/signatures0.xml", text)


main()
