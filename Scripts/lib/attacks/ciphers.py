"""Encrypted documents in which readers decrypt what is shown in different ways. Who can open one can
write any stream of it anew, without any key to sign."""

import io
import itertools
import os

import pikepdf
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from attacks import update
from attacks.bases import TEXT, contract_objects, write
from attacks.case import FF, PASSED, Case, Expect, indeterminate

DOUBT = indeterminate("SIG_CONSTRAINTS_FAILURE")
NOT_CLEAN = FF | DOUBT
BLOCK = 16


def cases(kit):
    signed = kit.sign(encrypted(write(contract_objects())), "--certify", "form-filling")
    look = number_of_look(signed)
    yield from types(signed, look)
    yield from fillings(signed, look)
    for variant, entries in (("Metadata", b"/Type /Metadata /Subtype /XML "),
                             ("EmbeddedFile", b"/Type /EmbeddedFile ")):
        objects = contract_objects()
        objects[TEXT] = update.stream(
            b"BT /F1 14 Tf 72 740 Td (We owe you 100 EUR.) Tj ET", entries)
        yield Case("CIP-3", variant, "a page's content says that it is encrypted in another way",
                   kit.sign(encrypted(write(objects))), DOUBT)


def encrypted(data):
    """Under AES-256 with an empty password, the metadata left in the clear."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as document:
        document.save(out, encryption=pikepdf.Encryption(
            owner="owner", user="", R=6, aes=True, metadata=False))
    return out.getvalue()


def key_of(data):
    with pikepdf.open(io.BytesIO(data)) as document:
        return document.encryption.encryption_key


def cipher(data, vector):
    return Cipher(algorithms.AES(key_of(data)), modes.CBC(vector))


def number_of_look(data):
    with pikepdf.open(io.BytesIO(data)) as document:
        for field in document.Root.AcroForm.Fields:
            if str(field.get("/T", "")) == "amount":
                return field.AP.N.objgen[0]
    raise KeyError("amount")


def replaced(data, number, stored, kind=b"/Type /XObject"):
    """The look anew, with these bytes as they are stored."""
    change = update.Update(data)
    entries = change.old(number)
    resources = entries[entries.index(b"/Resources"):]
    depth, end = 0, 0
    for place in range(len(b"/Resources "), len(resources)):
        depth += {b"<<": 1, b">>": -1}.get(resources[place:place + 2], 0)
        if depth == 0:
            end = place + 2
            break
    change.put(number, update.stream(stored, kind + (
        b" /Subtype /Form /BBox [0 0 200 20] %s " % resources[:end])))
    return change.finish()


def filled(content):
    return content + b" " * (-len(content) % BLOCK)


def types(data, look):
    """Text that says one thing decrypted, and another one as it is stored."""
    evil = filled(b"BT /F1 12 Tf 4 6 Td (900) Tj ET %")
    good = filled(b"\nBT /F1 12 Tf 4 6 Td (100) Tj ET %")
    while True:
        vector = b"%" + os.urandom(BLOCK - 1)
        encryptor = cipher(data, vector).encryptor()
        start = vector + encryptor.update(evil)
        if not set(start) & {10, 13}:
            break
    # What is stored in the clear must end as if it had been filled up.
    for index in itertools.count():
        stored = start + good + b"%016d" % index
        decryptor = cipher(data, stored[:BLOCK]).decryptor()
        if decryptor.update(stored[BLOCK:])[-1] == 1:
            break
    for kind in (b"Metadata", b"EmbeddedFile", b"XRef"):
        yield Case("CIP-1", kind.decode(), "a look that says that it is encrypted in another way",
                   replaced(data, look, stored, b"/Type /" + kind), NOT_CLEAN)


def fillings(data, look):
    """A last block of which readers drop parts."""
    vector = os.urandom(BLOCK)
    start = filled(b"BT /F1 12 Tf 4 6 Td (1) Tj")
    for variant, end in (("space", b"(00) Tj ET      "), ("newline", b"(00) Tj ET     \n"),
                         ("zero", b"(00) Tj ET     \0"), ("odd", b"(00) Tj ET   \3\2\3")):
        stored = vector + cipher(data, vector).encryptor().update(start + end)
        yield Case("CIP-2", variant, "a look whose last block is filled up wrongly",
                   replaced(data, look, stored), NOT_CLEAN)
    stored = vector + cipher(data, vector).encryptor().update(start + b"(00) Tj ET     %")
    yield Case("CIP-2", "cut", "a look that ends in the middle of a block",
               replaced(data, look, stored + b"123"), NOT_CLEAN)
    content = b"BT /F1 12 Tf 4 6 Td (100) Tj ET"
    fill = BLOCK - len(content) % BLOCK
    stored = vector + cipher(data, vector).encryptor().update(content + bytes([fill]) * fill)
    yield Case("CIP-2", "honest", "a look that is filled up as it must be",
               replaced(data, look, stored), Expect({PASSED: []}))
