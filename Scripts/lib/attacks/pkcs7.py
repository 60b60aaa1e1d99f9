"""CMS messages outside PDF: signatures beside a file, and messages that hold their content."""

import base64
import hashlib

from attacks.case import ERROR, FF, NO_SIGNATURE, PASS, Case, failed, indeterminate
from attacks.forge import attributes, signed_data, signer_info

CONTENT = b"Pay 100 EUR to Alice.\n"
FORGED = b"Pay 999 EUR to Mallory.\n"
# A message that is none is malformed input; a bad signature is a failed one.
REFUSED = failed() | ERROR


def message(who, content=CONTENT, attached=False, infos=None, certificates=None):
    digest = hashlib.sha256(content).digest()
    return signed_data(
        [signer_info(who, attributes(digest, who))] if infos is None else infos,
        [who, *who.chain] if certificates is None else certificates,
        content=content if attached else None)


def pem(der):
    return (b"-----BEGIN PKCS7-----\n" + base64.encodebytes(der) + b"-----END PKCS7-----\n")


def cases(kit):
    who, second, mallory = kit.pki.signer, kit.pki.second, kit.pki.mallory
    pin = kit.file("pinned.pem", who.pem)
    digest = hashlib.sha256(CONTENT).digest()

    def case(identifier, variant, about, data, expect, content=CONTENT, **more):
        return Case(identifier, variant, about, data, expect, suffix=".p7s", content=content, **more)

    for command in (("verify",), ("cms", "verify")):
        label = "-".join(command)
        yield case("P7-1", f"sound-{label}", "an honest detached message: passes", message(who),
                   PASS, command=command)
        yield case("P7-1", f"attached-{label}",
                   "a message with its own content, while another file is named",
                   message(who, attached=True), REFUSED, FORGED, command=command)
        yield case("P7-1", f"attached-same-{label}",
                   "a message with its own content, while a file with the same is named",
                   message(who, attached=True), REFUSED | PASS, command=command)
        yield case("P7-1", f"forged-{label}", "the content was exchanged", message(who),
                   failed("HASH_FAILURE"), FORGED, command=command)
        yield case("P7-1", f"empty-{label}", "the content is empty", message(who),
                   failed("HASH_FAILURE"), b"", command=command)
        yield case("P7-2", f"no-signer-{label}", "nobody signed",
                   signed_data([], [who, *who.chain]), NO_SIGNATURE, command=command)
        yield case("P7-2", f"certificates-only-{label}", "a bag of certificates",
                   signed_data([], [who]), NO_SIGNATURE, command=command)
        yield case("P7-2", f"nothing-{label}", "neither signers nor certificates",
                   signed_data([], []), NO_SIGNATURE, command=command)
        # The pinned certificate goes along, but another key signed.
        for variant, infos, certificates in (
                ("other", [signer_info(second, attributes(digest, second))],
                 [who, second, *who.chain]),
                ("value", [signer_info(who, attributes(digest, who), sign_with=second)],
                 [who, second, *who.chain]),
                ("stranger", [signer_info(mallory, attributes(digest, mallory))],
                 [who, mallory, *who.chain]),
                ("reference", [signer_info(
                    second, attributes(digest, who), sid=None)], [who, second, *who.chain])):
            yield case("P7-3", f"{variant}-{label}",
                       "the pinned certificate goes along, another one signed",
                       signed_data(infos, certificates), failed() | indeterminate(
                           "NO_SIGNING_CERTIFICATE_FOUND"),
                       options=("--signer", pin), command=command)
        both = [signer_info(who, attributes(digest, who)),
                signer_info(mallory, attributes(digest, mallory))]
        yield case("P7-3", f"and-stranger-{label}",
                   "the pinned signer and a stranger: every signer must be good",
                   signed_data(both, [who, mallory, *who.chain]), failed() | indeterminate(),
                   options=("--signer", pin), command=command)
        sound = message(who)
        for variant, data in (
                ("zero", sound + b"\0"), ("garbage", sound + b"garbage"),
                ("second", sound + message(mallory)),
                ("pem-two", pem(sound) + pem(message(mallory))),
                ("pem-two-first", pem(message(mallory)) + pem(sound)),
                ("smime", b"MIME-Version: 1.0\nContent-Type: application/pkcs7-mime;"
                          b" smime-type=signed-data; name=smime.p7m\nContent-Transfer-Encoding:"
                          b" base64\n\n" + base64.encodebytes(sound))):
            yield case("P7-4", f"{variant}-{label}", "more than one message, or a wrapped one",
                       data, FF | REFUSED, command=command)
        truncated = sound[: len(sound) // 2]
        yield case("P7-4", f"truncated-{label}", "half a message", truncated, REFUSED,
                   command=command)
