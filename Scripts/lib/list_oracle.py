#!/usr/bin/env python3
"""usage: list_oracle.py FILE...

For each trusted list: the SHA-256 of its canonical form without the signature by lxml (libxml2),
and whether xmlsec1 finds its signature right with the key that it carries. One line each:
HASH right|wrong NAME. Files that end with .z are zlib streams.
"""

import base64
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


for name in sys.argv[1:]:
    data = pathlib.Path(name).read_bytes()
    if name.endswith(".z"):
        data = zlib.decompress(data)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    root = etree.fromstring(data, parser)
    right = is_right(root)
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
    print(hashlib.sha256(octets).hexdigest(), "right" if right else "wrong", name)
