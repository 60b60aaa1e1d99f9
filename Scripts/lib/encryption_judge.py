"""usage: encryption_judge.py

Reads lines of JSON, [FILE, PASSWORD, RECIPIENT], and answers each with a line of JSON: what pyHanko
makes of an encrypted document that the password opens, or the key RECIPIENT.key with the certificate
RECIPIENT.crt if there is a recipient. Or null, and what is wrong on standard error.

- status: how it was opened: USER, OWNER, or FAILED, also for want of a right MAC
- signatures: true for each valid one
- content: that of the first page, in hexadecimal
- keys: those that nobody else may see, in hexadecimal: the document's, and that of its codes
"""

import hashlib
import json
import logging
import os
import sys

logging.disable(logging.CRITICAL)

from cryptography.hazmat.primitives import hashes  # noqa: E402
from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: E402
from pyhanko.pdf_utils.crypt import standard  # noqa: E402
from pyhanko.pdf_utils.crypt.pubkey import SimpleEnvelopeKeyDecrypter  # noqa: E402
from pyhanko.pdf_utils.reader import PdfFileReader  # noqa: E402
from pyhanko.sign.validation import validate_pdf_signature, validate_pdf_timestamp  # noqa: E402
from pyhanko_certvalidator import ValidationContext  # noqa: E402


def know_revision_5():
    """pyHanko knows revision 6, which hashes passwords in another way."""
    standard._r6_hash_algo = lambda password, salt, u=None: hashlib.sha256(
        password + salt + (u or b"")).digest()
    standard.StandardSecuritySettingsRevision.from_number = classmethod(
        lambda kind, number: kind.AES256)


def is_valid(signature):
    trust = ValidationContext(trust_roots=[signature.signer_cert])
    is_stamp = signature.sig_object["/Type"] == "/DocTimeStamp"
    validate = validate_pdf_timestamp if is_stamp else validate_pdf_signature
    status = validate(signature, trust)
    return bool(status.intact and status.valid)


def first_page(reader):
    page = reader.root["/Pages"]
    while "/Kids" in page:
        page = page["/Kids"][0]
    content = page["/Contents"] if "/Contents" in page else []
    parts = content if isinstance(content, list) else [content]
    return b"\n".join(part.data for part in parts)


def keys(reader):
    handler = reader.security_handler
    key = (
        handler.get_file_encryption_key() if hasattr(handler, "get_file_encryption_key")
        else handler.shared_key)
    found = [bytes(key)]
    if "/KDFSalt" in reader.encrypt_dict:
        salt = reader.encrypt_dict["/KDFSalt"]
        salt = getattr(salt, "original_bytes", salt)
        found.append(HKDF(hashes.SHA256(), 32, salt, b"PDFMAC").derive(found[0]))
    return found


def judge(file, password, recipient):
    reader = PdfFileReader(open(file, "rb"))
    if recipient:
        status = reader.decrypt_pubkey(
            SimpleEnvelopeKeyDecrypter.load(f"{recipient}.key", f"{recipient}.crt")).status.name
    else:
        if reader.encrypt_dict["/R"] == 5:
            know_revision_5()
        status = reader.decrypt(password.encode()).status.name
    answer = {"status": status, "signatures": [], "content": "", "keys": []}
    if status != "FAILED":
        answer["signatures"] = [is_valid(each) for each in reader.embedded_signatures]
        answer["content"] = first_page(reader).hex()
        answer["keys"] = [key.hex() for key in keys(reader)]
    return answer


def main():
    for line in sys.stdin:
        # In a process of its own: what is changed in pyHanko for one document is not for the next.
        if (child := os.fork()) == 0:
            print(json.dumps(judge(*json.loads(line))), flush=True)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            print("null", flush=True)


if __name__ == "__main__":
    main()
