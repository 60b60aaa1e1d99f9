"""Asks pyHanko about signed PDFs: one JSON request a line on stdin, one answer a line on stdout.

Request: {"file": PATH, "password": TEXT or null}. Answer: {"signatures": [{"field", "intact",
"valid", "coverage", "timestamp", "problem"}], "timestamps": [the same], "strict": bool} or {"error":
TEXT}; "timestamp" is that of a signature: null or {"intact", "valid", "trusted"}.

Of a bare time-stamp token: {"token": PATH, "content": PATH, "trust": PATH of a PEM}. Answer:
{"intact", "valid", "trusted", "time"} or {"error": TEXT}.

What a signer states, in a PDF or CMS file: {"statements": PATH}. Answer: {"policy", "hash",
"commitments", "roles", "contentTimestamps"} or {"error": TEXT}. Starting Python and importing pyHanko takes most of a second, so one process answers for a whole run. Needs the Python that has
pyHanko installed.
"""

import asyncio
import hashlib
import json
import logging
import sys

logging.disable(logging.CRITICAL)

from asn1crypto import cms, pem, x509  # noqa: E402
from pyhanko.pdf_utils.crypt import AuthStatus  # noqa: E402
from pyhanko.pdf_utils.reader import PdfFileReader  # noqa: E402
from pyhanko.sign.ades import cades_asn1  # noqa: E402
from pyhanko.sign.validation import (  # noqa: E402
    validate_pdf_signature, validate_pdf_timestamp)
from pyhanko.sign.validation.generic_cms import (  # noqa: E402
    extract_tst_data_iter, validate_tst_signed_data)
from pyhanko_certvalidator import ValidationContext  # noqa: E402


def trusting(certificates):
    """Trust is not the question here, so these are the anchors."""
    return ValidationContext(
        trust_roots=certificates, allow_fetching=False, weak_hash_algos={"md2", "md5"})


def judge_signature(signature):
    context = trusting([signature.signer_cert])
    tokens = list(extract_tst_data_iter(signature.signer_info, signed=False))
    stamps = trusting([c.chosen for token in tokens for c in token["certificates"]])
    try:
        return validate_pdf_signature(signature, context, stamps)
    except Exception:
        # Its comparison of revisions stumbles over some files; the rest still counts.
        return validate_pdf_signature(signature, context, stamps, skip_diff=True)


def describe(signature, validate):
    answer = {"field": signature.field_name, "problem": None}
    try:
        status = validate(signature)
        stamp = getattr(status, "timestamp_validity", None)
        content = getattr(status, "content_timestamp_validity", None)
        return answer | {
            "intact": status.intact, "valid": status.valid, "coverage": status.coverage.name,
            "contentTimestamp": content and content.intact and content.valid,
            "timestamp": stamp and {
                "intact": stamp.intact, "valid": stamp.valid, "trusted": stamp.trusted}}
    except Exception as error:
        return answer | {
            "intact": False, "valid": False, "coverage": None, "timestamp": None,
            "problem": f"{type(error).__name__}: {error}"}


def judge(path, password, strict):
    """What it says of the signatures, and of the document timestamps."""
    with open(path, "rb") as file:
        reader = PdfFileReader(file, strict=strict)
        if reader.encrypted:
            if reader.decrypt((password or "").encode()).status == AuthStatus.FAILED:
                raise ValueError("password refused")
        return (
            [describe(each, judge_signature) for each in reader.embedded_regular_signatures],
            [describe(each, lambda stamp: validate_pdf_timestamp(
                stamp, trusting([stamp.signer_cert])))
             for each in reader.embedded_timestamp_signatures])


def judge_token(token, content, trust):
    """What it says of a bare time-stamp token over a file, below one root."""
    with open(trust, "rb") as file:
        _, _, root = pem.unarmor(file.read())
    with open(token, "rb") as file:
        signed_data = cms.ContentInfo.load(file.read(), strict=True)["content"]
    with open(content, "rb") as file:
        data = file.read()
    context = ValidationContext(
        trust_roots=[x509.Certificate.load(root)], allow_fetching=False)
    status = asyncio.run(validate_tst_signed_data(
        signed_data, context, lambda name: hashlib.new(name, data).digest()))
    return {
        "intact": status["intact"], "valid": status["valid"],
        "trusted": status["trust_problem_indic"] is None,
        "time": status["timestamp"].isoformat()}


def statements(path):
    """The signed attributes of the first signer."""
    with open(path, "rb") as file:
        data = file.read()
        if data.startswith(b"%PDF-"):
            file.seek(0)
            signer = PdfFileReader(file).embedded_regular_signatures[0].signer_info
        else:
            signer = cms.ContentInfo.load(data, strict=True)["content"]["signer_infos"][0]
    found = {"policy": None, "hash": None, "commitments": [], "roles": [], "contentTimestamps": 0}
    for attribute in signer["signed_attrs"]:
        for value in attribute["values"]:
            match attribute["type"].dotted:
                case "1.2.840.113549.1.9.16.2.15":
                    policy = cades_asn1.SignaturePolicyId.load(value.dump(), strict=True)
                    found["policy"] = policy["sig_policy_id"].native
                    found["hash"] = policy["sig_policy_hash"]["digest"].native.hex()
                case "1.2.840.113549.1.9.16.2.16":
                    commitment = cades_asn1.CommitmentTypeIndication.load(
                        value.dump(), strict=True)
                    found["commitments"].append(commitment["commitment_type_id"].native)
                case "0.4.0.19122.1.1":
                    claimed = cades_asn1.SignerAttributesV2.load(value.dump(), strict=True)
                    for role in claimed["claimed_attributes"]:
                        found["roles"] += [text.native for text in role["values"]]
                case "1.2.840.113549.1.9.16.2.20":
                    found["contentTimestamps"] += 1
    return found


def main():
    for line in sys.stdin:
        request = json.loads(line)
        reply = None
        if "token" in request:
            try:
                reply = judge_token(request["token"], request["content"], request["trust"])
            except Exception as error:
                reply = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(reply), flush=True)
            continue
        if "statements" in request:
            try:
                reply = statements(request["statements"])
            except Exception as error:
                reply = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(reply), flush=True)
            continue
        # Lenient only after strict refused, and the answer says so.
        for strict in (True, False):
            try:
                signatures, timestamps = judge(request["file"], request.get("password"), strict)
                if strict and any(
                        "hybrid" in (s["problem"] or "") for s in signatures + timestamps):
                    # Strict mode judges no signature in a hybrid file at all.
                    signatures, timestamps = judge(
                        request["file"], request.get("password"), False)
                reply = {"signatures": signatures, "timestamps": timestamps, "strict": strict}
                break
            except Exception as error:
                reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
