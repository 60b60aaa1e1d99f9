#!/usr/bin/env python3
"""usage: canonical_oracle.py FILE

FILE holds XML documents, each behind its length (4 bytes, the highest first). For each a line: the SHA-256 of
its exclusive canonical form without the root's first child called Signature, and of that child's
inclusive one, by lxml: libxml2's canonicalization. `-` stands for what is not there, `refused` for no
XML, `none` for what has no canonical form there: a namespace that is no whole URI. `differs` says that
xmlsec1 digests something else than lxml writes. Comments are left out everywhere.
"""

import copy
import hashlib
import pathlib
import sys

import xmlsec
from list_oracle import digested
from lxml import etree

# Warnings of libxml2 about namespaces that are no URI.
NAMESPACES = (etree.ErrorTypes.WAR_NS_URI, etree.ErrorTypes.WAR_NS_URI_RELATIVE)
SIGNATURE = "{http://www.w3.org/2000/09/xmldsig#}Signature"


def digest(element, exclusive):
    octets = etree.tostring(
        element, method="c14n", exclusive=exclusive, with_comments=False, with_tail=False)
    return hashlib.sha256(octets).hexdigest()


def answer(document):
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(document, parser)
    except etree.XMLSyntaxError as error:
        return "none" if error.code in NAMESPACES else "refused"
    signature = root.find(SIGNATURE)
    part = "-"
    by_xmlsec = digested(root)
    if signature is not None:
        # As a document of its own: lxml has namespaces from outside twice in parts of documents.
        whole = etree.tostring(signature, with_tail=False)
        part = digest(etree.fromstring(whole, parser), False)
        root = copy.deepcopy(root)
        signature = root.find(SIGNATURE)
        # lxml would take the text behind it along.
        previous, tail = signature.getprevious(), signature.tail or ""
        if previous is None:
            root.text = (root.text or "") + tail
        else:
            previous.tail = (previous.tail or "") + tail
        root.remove(signature)
    whole = digest(root, True)
    return f"{whole} {part}" if by_xmlsec == whole else "differs"


data = pathlib.Path(sys.argv[1]).read_bytes()
place = 0
while place < len(data):
    length = int.from_bytes(data[place:place + 4], "big")
    place += 4
    try:
        print(answer(data[place:place + length]))
    except (etree.C14NError, etree.XMLSyntaxError, xmlsec.Error):
        print("none")
    place += length
