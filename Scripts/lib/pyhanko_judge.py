"""Asks pyHanko about signed PDFs: one JSON request a line on stdin, one answer a line on stdout.

Request: {"file": PATH, "password": TEXT or null}. Answer: {"signatures": [{"field", "intact",
"valid", "coverage", "problem"}], "strict": bool} or {"error": TEXT}. Starting Python and importing
pyHanko takes most of a second, so one process answers for a whole run. Needs the Python that has
pyHanko installed.
"""

import json
import logging
import sys

logging.disable(logging.CRITICAL)

from pyhanko.pdf_utils.crypt import AuthStatus  # noqa: E402
from pyhanko.pdf_utils.reader import PdfFileReader  # noqa: E402
from pyhanko.sign.validation import validate_pdf_signature  # noqa: E402
from pyhanko_certvalidator import ValidationContext  # noqa: E402


def judge(path, password, strict):
    with open(path, "rb") as file:
        reader = PdfFileReader(file, strict=strict)
        if reader.encrypted:
            if reader.decrypt((password or "").encode()).status == AuthStatus.FAILED:
                raise ValueError("password refused")
        answers = []
        for signature in reader.embedded_regular_signatures:
            answer = {"field": signature.field_name, "problem": None}
            try:
                # Trust is not the question here, so the signer's own certificate is the anchor.
                context = ValidationContext(
                    trust_roots=[signature.signer_cert], allow_fetching=False,
                    weak_hash_algos={"md2", "md5"})
                try:
                    status = validate_pdf_signature(signature, context)
                except Exception:
                    # Its comparison of revisions stumbles over some files; the rest still counts.
                    status = validate_pdf_signature(signature, context, skip_diff=True)
                answer |= {
                    "intact": status.intact, "valid": status.valid,
                    "coverage": status.coverage.name}
            except Exception as error:
                answer |= {
                    "intact": False, "valid": False, "coverage": None,
                    "problem": f"{type(error).__name__}: {error}"}
            answers.append(answer)
        return answers


def main():
    for line in sys.stdin:
        request = json.loads(line)
        reply = None
        # Lenient only after strict refused, and the answer says so.
        for strict in (True, False):
            try:
                signatures = judge(request["file"], request.get("password"), strict)
                if strict and any("hybrid" in (s["problem"] or "") for s in signatures):
                    # Strict mode judges no signature in a hybrid file at all.
                    signatures = judge(request["file"], request.get("password"), False)
                reply = {"signatures": signatures, "strict": strict}
                break
            except Exception as error:
                reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
