"""usage: foreign_store.py make IN OUT plain|indirect CERTIFICATE...
       foreign_store.py compare OLD NEW

make: appends a document security store of pyHanko's to a signed PDF: the certificates, and a list for
the signature (VRI) with the same. With `indirect` the store's arrays are objects of their own.
compare: prints `kept` and the names of the certificates in NEW's store when all that OLD's store and
its lists held is in NEW's, the same objects in the same order."""

import sys

from asn1crypto import pem, x509
from pyhanko.pdf_utils import generic
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
from pyhanko.pdf_utils.reader import PdfFileReader

NAMES = ("/Certs", "/OCSPs", "/CRLs")


def make(source, target, kind, certificates):
    with open(source, "rb") as file:
        writer = IncrementalPdfFileWriter(file)
        references = generic.ArrayObject()
        for path in certificates:
            with open(path, "rb") as certificate:
                _, _, der = pem.unarmor(certificate.read())
            references.append(writer.add_object(generic.StreamObject(stream_data=der)))
        vri = generic.DictionaryObject({
            generic.NameObject("/" + "AB" * 20): writer.add_object(generic.DictionaryObject({
                generic.NameObject("/Cert"): generic.ArrayObject(references)}))})
        store = generic.DictionaryObject({
            generic.NameObject("/Type"): generic.NameObject("/DSS"),
            generic.NameObject("/VRI"): writer.add_object(vri),
            generic.NameObject("/Certs"):
                writer.add_object(references) if kind == "indirect" else references})
        writer.root["/DSS"] = store if kind == "indirect" else writer.add_object(store)
        writer.update_root()
        with open(target, "wb") as output:
            writer.write(output)


def entries(reader):
    """Object numbers and bytes of all that the store names."""
    store = reader.root["/DSS"].get_object()
    found = {}

    def references(array):
        array = array.get_object()
        return [(item.idnum, item.get_object().data) for item in map(array.raw_get, range(len(array)))]

    for name in NAMES:
        if name in store:
            found[name] = references(store[name])
    vri = store["/VRI"] if "/VRI" in store else {}
    for key in vri:
        for name, array in vri[key].items():
            if isinstance(array.get_object(), generic.ArrayObject):
                found[key + name] = references(array)
    return found


def compare(old, new):
    with open(old, "rb") as first, open(new, "rb") as second:
        before, after = (
            entries(PdfFileReader(file, strict=False)) for file in (first, second))
        for name, items in before.items():
            if after.get(name, [])[:len(items)] != items:
                print("changed", name)
                return
        print("kept", sum(map(len, before.values())), "of", sum(map(len, after.values())))
        for _, der in after.get("/Certs", []):
            print(x509.Certificate.load(der).subject.human_friendly)


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
else:
    compare(*sys.argv[2:4])
