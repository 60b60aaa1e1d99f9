"""usage: archive_index.py MESSAGE CONTENT

Checks the archive timestamps of a CMS message by a second implementation of ETSI EN 319 122-1
section 5.5: prints for each signer how many there are and whether all hash what they should, such as
`1 whole`. The tokens' own signatures are not checked."""

import hashlib
import pathlib
import sys

from asn1crypto import algos, cms, core, tsp

ARCHIVE, INDEX = "0.4.0.1733.2.4", "0.4.0.19122.1.5"


class Hashes(core.SequenceOf):
    _child_spec = core.OctetString


class HashIndex(core.Sequence):
    _fields = [("algorithm", algos.DigestAlgorithm), ("certificates", Hashes),
               ("revocations", Hashes), ("attributes", Hashes)]


def attributes(signer):
    """Type and raw values of the unsigned attributes."""
    for attribute in signer["unsigned_attrs"] or []:
        for value in attribute["values"]:
            yield attribute["type"], value.dump()


def is_whole(token, data, signer, content):
    signed = token["content"]
    info = signed["encap_content_info"]["content"].parsed
    algorithm = info["message_imprint"]["hash_algorithm"]["algorithm"].native
    indexes = [value for kind, value in attributes(signed["signer_infos"][0])
               if kind.dotted == INDEX]
    if len(indexes) != 1:
        return False
    index = HashIndex.load(indexes[0])

    def digest(octets):
        return hashlib.new(algorithm, octets).digest()

    present = (
        {digest(choice.dump()) for choice in data["certificates"]},
        {digest(choice.dump()) for choice in data["crls"]},
        {digest(kind.dump() + value) for kind, value in attributes(signer)})
    named = [set(index[name].native) for name in ("certificates", "revocations", "attributes")]
    fields = ("version", "sid", "digest_algorithm", "signed_attrs", "signature_algorithm",
              "signature")
    imprint = digest(
        data["encap_content_info"]["content_type"].dump() + digest(content)
        + b"".join(signer[field].dump() for field in fields) + indexes[0])
    return (
        index["algorithm"]["algorithm"].native == algorithm
        and all(some <= all_ for some, all_ in zip(named, present))
        and named[0] and named[1] and named[2]
        and imprint == info["message_imprint"]["hashed_message"].native)


message = cms.ContentInfo.load(pathlib.Path(sys.argv[1]).read_bytes())
content = pathlib.Path(sys.argv[2]).read_bytes()
for signer in message["content"]["signer_infos"]:
    tokens = [cms.ContentInfo.load(value) for kind, value in attributes(signer)
              if kind.dotted == ARCHIVE]
    whole = all(is_whole(token, message["content"], signer, content) for token in tokens)
    print(len(tokens), "whole" if whole else "broken")
