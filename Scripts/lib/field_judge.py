"""usage: field_judge.py FILE

Prints, in JSON, what pyHanko makes of the signature fields of a document, one object each: name,
isEmpty, and of its seed value and lock reasons, digests, formats, certification, timestamp, subject,
keyUsage, lock and lockLevel.
"""

import json
import sys

from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.fields import FieldMDPSpec, SigSeedValueSpec, enumerate_sig_fields


def judged(name, value, reference):
    field = reference.get_object()
    found = {"name": name, "isEmpty": value is None}
    if "/SV" in field:
        seed = SigSeedValueSpec.from_pdf_object(field["/SV"])
        kind = seed.seed_signature_type
        found |= {
            "flags": int(seed.flags.value), "reasons": seed.reasons or [],
            "digests": seed.digest_methods or [],
            "formats": [f.value[1:] for f in seed.subfilters or []],
            "timestamp": seed.timestamp_server_url,
            "certification": kind and (kind.mdp_perm.value if kind.certification_signature() else 0),
        }
        if seed.cert:
            found["certificateFlags"] = int(seed.cert.flags.value)
            found["subject"] = seed.cert.subject_dn and seed.cert.subject_dn.native
            found["keyUsage"] = [u.encode_to_sv_string() for u in seed.cert.key_usage or []]
    if "/Lock" in field:
        lock = FieldMDPSpec.from_pdf_object(field["/Lock"])
        found["lock"] = [lock.action.value] + (lock.fields or [])
        found["lockLevel"] = field["/Lock"].get("/P")
    return found


with open(sys.argv[1], "rb") as file:
    print(json.dumps([judged(*field) for field in enumerate_sig_fields(PdfFileReader(file))]))
