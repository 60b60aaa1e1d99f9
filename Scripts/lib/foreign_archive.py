"""What archived PDFs of other programs bring: certificates, and when they were stamped last."""

import datetime

from asn1crypto import pem, x509
from pyhanko.pdf_utils import generic
from pyhanko.pdf_utils.reader import PdfFileReader


def certificates_in(signed_data):
    for choice in signed_data["certificates"]:
        if choice.name == "certificate":
            yield choice.chosen.dump()
    for signer in signed_data["signer_infos"]:
        for attribute in signer["unsigned_attrs"] or []:
            if attribute["type"].native == "signature_time_stamp_token":
                for token in attribute["values"]:
                    yield from certificates_in(token["content"])


def stored(reader):
    """Each entry of the document's store: where it is named, its object's number and bytes."""
    if "/DSS" not in reader.root:
        return
    store = reader.root["/DSS"].get_object()
    places = [("", store)]
    if "/VRI" in store:
        vri = store["/VRI"].get_object()
        places += [(key, vri[key].get_object()) for key in vri]
    for place, dictionary in places:
        for name in dictionary:
            array = dictionary[name].get_object()
            if not isinstance(array, generic.ArrayObject):
                continue
            for index in range(len(array)):
                entry, value = array.raw_get(index), array[index].get_object()
                if isinstance(value, generic.StreamObject):
                    yield place + name, getattr(entry, "idnum", None), value.data


def read(path):
    """Self-signed certificates in a signed PDF as PEM, and when its newest document timestamp was
    made; None without one."""
    with open(path, "rb") as file:
        reader = PdfFileReader(file, strict=False)
        stamps = reader.embedded_timestamp_signatures
        if not stamps:
            return None
        info = stamps[-1].signed_data["encap_content_info"]["content"].parsed
        found = {der for where, _, der in stored(reader) if where.endswith(("Certs", "Cert"))}
        for signature in reader.embedded_signatures:
            found.update(certificates_in(signature.signed_data))
    roots = b""
    for der in sorted(found):
        try:
            if x509.Certificate.load(der).self_signed != "no":
                roots += pem.armor("CERTIFICATE", der)
        except ValueError:
            pass
    return roots, info["gen_time"].native.astimezone(datetime.timezone.utc)


def lost(old, new):
    """What of the store of one PDF is not in another's, the same object with the same bytes."""
    with open(old, "rb") as first, open(new, "rb") as second:
        before, after = (
            list(stored(PdfFileReader(file, strict=False))) for file in (first, second))
    return [entry[:2] for entry in before if entry not in after]
