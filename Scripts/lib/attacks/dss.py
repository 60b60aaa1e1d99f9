"""Validation data in a document: what anyone may add after signing, and must not be believed or
overlooked."""

from cryptography.x509.oid import ExtendedKeyUsageOID

from attacks import bases, update
from attacks.bases import CATALOG, TEXT, answer, revocation_list
from attacks.case import FF, PASS, Case, indeterminate
from attacks.incremental import FORGED, SHOWS

REVOKED = indeterminate("REVOKED_NO_POE")
IGNORED = PASS | indeterminate("TRY_LATER")


def store(data, crls=(), ocsps=(), certificates=()):
    """A document with this validation data added."""
    change = update.Update(data)

    def streams(items):
        return b" ".join(b"%d 0 R" % change.new(update.stream(item)) for item in items)

    entries = b"/CRLs [%s] /OCSPs [%s] /Certs [%s]" % (
        streams(crls), streams(ocsps), streams(certificates))
    number = change.new(b"<< /Type /DSS %s >>" % entries)
    change.add_entry(CATALOG, b"/DSS %d 0 R" % number)
    return change.finish()


def cases(kit):
    pki = kit.pki
    signer, middle, root = pki.signer, pki.middle, pki.root
    top = revocation_list(root)
    revoking = revocation_list(middle, [signer])
    clear = revocation_list(middle)
    impostor = bases.Identity(pki.mallory.key, middle.certificate)
    sibling = pki.second
    delegate = pki.issued("Responder", usages=("digital_signature",), extended=[
        ExtendedKeyUsageOID.OCSP_SIGNING])
    for level in (0, 1):
        for name, data in kit.kinds(level):
            label = f"p{level}-{name}"

            def case(variant, about, expect, **contents):
                return Case("DSS-1", f"{variant}-{label}", about, store(data, **contents), expect)

            yield case("sound", "lists that clear everyone: passes", PASS, crls=[clear, top])
            yield case("sound-answer", "an authorised responder's answer: passes", PASS, crls=[top],
                       ocsps=[answer(signer, delegate, [delegate])])
            yield case("revoked", "the issuer's list revokes the signer", REVOKED,
                       crls=[revoking, top])
            yield case("forged-list", "a stranger's list in the issuer's name revokes the signer",
                       IGNORED, crls=[revocation_list(impostor, [signer]), top])
            for variant, responder, certificates in (
                    ("stranger", pki.mallory, [pki.mallory]), ("sibling", sibling, [sibling]),
                    ("signer", signer, [signer])):
                yield case(f"answer-{variant}",
                           "an answer says good, but its responder is not authorised, and the"
                           " issuer's list revokes the signer", REVOKED, crls=[revoking, top],
                           ocsps=[answer(signer, responder, certificates)])
            own = answer(signer, middle)
            yield case("answer-broken", "the issuer's own answer, its signature damaged", REVOKED,
                       crls=[revoking, top], ocsps=[own[:-1] + bytes([own[-1] ^ 1])])
            yield case("other-answer", "the answer is about another certificate", REVOKED,
                       crls=[revoking, top], ocsps=[answer(sibling, delegate, [delegate])])
            yield case("garbage", "items that are no validation data", IGNORED,
                       crls=[b"garbage", b""], ocsps=[b"\x30\x80"], certificates=[b"\x30\x03"])
            yield case("untrusted-root", "the stranger's certificate is offered as validation data",
                       PASS | indeterminate("TRY_LATER"), certificates=[pki.mallory.der])
            yield from aliases(data, label)


def aliases(data, label):
    """Validation data that is something else at the same time."""
    forged = update.stream(FORGED)
    for variant, entry in (
            ("certificates", b"/DSS << /Certs [4 0 R] >>"),
            ("lists", b"/DSS << /CRLs [4 0 R] >>"),
            ("validation", b"/DSS << /VRI << /%s << /Cert [4 0 R] >> >> >>" % (b"A" * 40)),
            ("metadata", b"/Metadata 4 0 R"),
            ("extensions", b"/Extensions << /ESIC << /BaseVersion /1.7 /ExtensionLevel 4 0 R >> >>"),
            ("unknown-key", b"/DSS << /Certs [] /Extra 4 0 R >>"),
            ("type", b"/DSS << /Type 4 0 R >>")):
        change = update.Update(data)
        change.put(TEXT, forged)
        change.add_entry(CATALOG, entry)
        yield Case("DSS-2", f"{variant}-{label}",
                   "archival data refers to the page's content, which the update rewrites",
                   change.finish(), FF, SHOWS)
    change = update.Update(data)
    change.put(7, b"<< /Title 4 0 R >>")
    change.put(TEXT, forged)
    yield Case("DSS-2", f"information-{label}",
               "the document information refers to the page's content, which the update rewrites",
               change.finish(), FF, SHOWS)
    # The archival object itself is the page's content: one number in two roles.
    change = update.Update(data)
    change.put(TEXT, forged)
    yield Case("DSS-2", f"trailer-{label}", "the trailer calls the content document information",
               change.finish(Info=b"4 0 R"), FF, SHOWS)
    change = update.Update(data)
    change.add_entry(CATALOG, b"/DSS << /Certs [] /OpenAction << /S /JavaScript /JS (x) >> >>")
    yield Case("DSS-2", f"action-{label}", "the validation data holds a key that is none of its own",
               change.finish(), FF)
