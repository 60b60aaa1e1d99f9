#!/usr/bin/env python3
"""usage: list_oracle.py [--octets] FILE...

For each trusted list: the SHA-256 of its canonical form without the signature by lxml (libxml2),
and whether xmlsec1 finds its signature right with the key that it carries. One line each:
HASH right|wrong NAME, or `- wrong NAME` for what is no XML. Files that end with .z are zlib streams.
With --octets the SHA-256 of what xmlsec1 itself digests comes first, also of lists whose signature is
wrong or is not there: xmlsec1 is made to sign them anew.
"""

import base64
import copy
import hashlib
import pathlib
import sys
import zlib

import xmlsec
from lxml import etree

DS = "{http://www.w3.org/2000/09/xmldsig#}"
XADES = "{http://uri.etsi.org/01903/v1.3.2#}"


def is_right(root):
    signature = root.find(DS + "Signature")
    try:
        xmlsec.tree.add_ids(root, ["Id"])
        for text in signature.iterfind(f"{DS}KeyInfo/{DS}X509Data/{DS}X509Certificate"):
            context = xmlsec.SignatureContext()
            der = base64.b64decode("".join(text.text.split()))
            context.key = xmlsec.Key.from_memory(der, xmlsec.constants.KeyDataFormatCertDer)
            try:
                context.verify(signature)
                return True
            except xmlsec.Error:
                pass
    except (xmlsec.Error, AttributeError, etree.Error):
        pass
    return False


def digested(root):
    """SHA-256, in hexadecimal, of what xmlsec1 digests of the document without its signature."""
    root = copy.deepcopy(root)
    made = xmlsec.template.create(
        root, xmlsec.constants.TransformExclC14N, xmlsec.constants.TransformHmacSha256, ns="ds")
    reference = xmlsec.template.add_reference(made, xmlsec.constants.TransformSha256, uri="")
    xmlsec.template.add_transform(reference, xmlsec.constants.TransformEnveloped)
    xmlsec.template.add_transform(reference, xmlsec.constants.TransformExclC14N)
    signature = root.find(DS + "Signature")
    if signature is None:
        root.append(made)
    else:
        made.tail = signature.tail
        root.replace(signature, made)
    context = xmlsec.SignatureContext()
    context.key = xmlsec.Key.from_binary_data(xmlsec.constants.KeyDataHmac, bytes(32))
    context.sign(made)
    return base64.b64decode(made.find(f".//{DS}DigestValue").text).hex()


def without_signature(root):
    signature = root.find(DS + "Signature")
    if signature is not None:
        # lxml would take the text behind it along.
        previous, parent, tail = signature.getprevious(), signature.getparent(), signature.tail or ""
        if previous is None:
            parent.text = (parent.text or "") + tail
        else:
            previous.tail = (previous.tail or "") + tail
        parent.remove(signature)
    octets = etree.tostring(root, method="c14n", exclusive=True, with_comments=False)
    return hashlib.sha256(octets).hexdigest()


def main():
    names = sys.argv[1:]
    has_octets = names[:1] == ["--octets"]
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    for name in names[has_octets:]:
        data = pathlib.Path(name).read_bytes()
        if name.endswith(".z"):
            data = zlib.decompress(data)
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:
            print(*["-"] * (1 + has_octets), "wrong", name)
            continue
        words = [digested(root)] if has_octets else []
        right = "right" if is_right(root) else "wrong"
        print(*words, without_signature(root), right, name)


if __name__ == "__main__":
    main()
