"""Evidence that seems to clear a signer, a responder or a stamping authority, and must not."""

import datetime
import hashlib

from asn1crypto import cms, core, tsp
from asn1crypto import crl as asn1_crl
from asn1crypto import ocsp as ocsp_names
from asn1crypto import x509 as x509_names
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from attacks import forge
from attacks.bases import (
    BEFORE, COMPROMISE, HOUR, NOW, YEAR, answer, contract_objects, identity, revocation_list, write)
from attacks.case import FAILED, INDETERMINATE, PASS, Case, Expect
from attacks.dss import store
from attacks.timestamps import stamped, token
from attacks.truth import SIGNED, SINCE

REFUSED = Expect({INDETERMINATE: [], FAILED: []})
REVOKED = Expect({
    INDETERMINATE: ["REVOKED_NO_POE", "REVOKED_CA_NO_POE", "TRY_LATER"], FAILED: ["REVOKED"]})
PLACE = x509.CRLDistributionPoints([x509.DistributionPoint(
    [x509.UniformResourceIdentifier("http://lists.invalid/1.crl")], None, None, None)])


def answers(who, responder, times, digest="sha256"):
    """One OCSP answer that says several times, none of which ends, that `who` is good."""
    identifier = ocsp_names.CertId({
        "hash_algorithm": {"algorithm": "sha256"},
        "issuer_name_hash": hashlib.sha256(
            who.issuer.certificate.subject.public_bytes()).digest(),
        "issuer_key_hash": x509_names.Certificate.load(who.issuer.der).public_key.sha256,
        "serial_number": who.certificate.serial_number})
    data = ocsp_names.ResponseData({
        "responder_id": ocsp_names.ResponderId(
            "by_name", x509_names.Certificate.load(responder.der).subject),
        "produced_at": min(times),
        "responses": [
            {"cert_id": identifier, "cert_status": ocsp_names.CertStatus("good", core.Null()),
             "this_update": time} for time in times]})
    inner = ocsp_names.BasicOCSPResponse({
        "tbs_response_data": data, "signature_algorithm": {"algorithm": f"{digest}_ecdsa"},
        "signature": responder.key.sign(
            data.dump(), ec.ECDSA(hashes.SHA1() if digest == "sha1" else hashes.SHA256())),
        "certs": [x509_names.Certificate.load(responder.der)]})
    return ocsp_names.OCSPResponse({
        "response_status": "successful",
        "response_bytes": {"response_type": "basic_ocsp_response", "response": inner}}).dump()


def signed(build):
    return forge.embed(write(contract_objects()), build)


def cases(kit):
    for family in (
            late_lists, stamping, purposes, levels, attributes, responders, pinned, authorities,
            futures, exemptions, ended, outlived, policies, listed, accused, unproven, crossed,
            crowds):
        yield from family(kit)


def with_time(kit, signer, tsa=None):
    """A document that `signer` signed SIGNED ago, as a stamping authority says."""
    return signed(lambda digest: stamped(
        signer, digest, lambda data: token(tsa or kit.pki.tsa, data, time=SIGNED)))


def document_stamp(data, tsa, time=NOW - 2 * HOUR):
    return forge.embed(
        data, lambda digest: token(tsa, b"", imprint=digest, time=time),
        kind=b"/Type /DocTimeStamp", sub_filter=b"ETSI.RFC3161", field=b"Stamp")


def late_lists(kit):
    """A key stolen and revoked before it expired; later lists need not name it any more."""
    pki = kit.pki
    signer = pki.issued(start=NOW - 3 * YEAR, end=SINCE)
    top = revocation_list(pki.root)
    early = revocation_list(pki.middle, [signer], at=SINCE - 2 * HOUR)
    late = revocation_list(pki.middle, number=2)
    data = with_time(kit, signer)
    for name, lists in (("both", [early, late]), ("other-order", [late, early]),
                        ("early", [early])):
        yield Case("EV-1", f"late-{name}",
                   "revoked for a compromise; a list from after its expiry no longer names it",
                   store(data, crls=[*lists, top]), REVOKED)
    yield Case("EV-1", "later-reason", "revoked after the stamped time, but for a compromise before",
               store(with_time(kit, pki.signer), crls=[
                   revocation_list(pki.middle, [pki.signer], when=BEFORE), top]), REVOKED)


def stamping(kit):
    """A stamping authority whose key was compromised (RFC 3161 §4)."""
    pki = kit.pki
    signer = pki.issued(start=NOW - 3 * YEAR, end=SINCE)
    # From when the signer's certificate was still valid.
    clear = revocation_list(pki.middle, at=SINCE - 2 * HOUR)
    for name, when in (("before", BEFORE), ("after", SINCE)):
        yield Case("EV-2", f"compromised-{name}",
                   f"the authority's key was compromised, known {name} the token's time",
                   store(with_time(kit, signer), crls=[
                       clear, revocation_list(pki.root, [pki.tsa], when=when)]), REFUSED)
    yield Case("EV-2", "superseded-after",
               "the authority's key was replaced later for no bad reason: its token counts",
               store(with_time(kit, signer), crls=[
                   clear, revocation_list(
                       pki.root, [pki.tsa], when=SINCE, reason=x509.ReasonFlags.superseded)]), PASS)


def purposes(kit):
    """What an issuer may not issue for (RFC 5280 §4.2.1.12, as validators apply it to paths)."""
    for name, extended in (
            ("server", [ExtendedKeyUsageOID.SERVER_AUTH]),
            ("stamping", [ExtendedKeyUsageOID.TIME_STAMPING]),
            ("code", [ExtendedKeyUsageOID.CODE_SIGNING])):
        issuer = identity("Narrow CA", kit.pki.root, ca=True, extended=extended)
        signer = identity("Honest Signer", issuer)
        yield Case("EV-3", name, "an authority for another purpose issued the signer's certificate",
                   signed(lambda digest, who=signer: forge.simple(who, digest)), REFUSED)


def levels(kit):
    """Levels that are only claimed."""
    pki = kit.pki
    stranger = identity(
        "Time Authority", usages=("digital_signature",),
        extended=[ExtendedKeyUsageOID.TIME_STAMPING], critical=True)

    sound = [revocation_list(pki.middle), revocation_list(pki.root)]
    chain = [one.der for one in (pki.signer, *pki.signer.chain, pki.tsa)]
    honest = with_time(kit, pki.signer)
    foreign = with_time(kit, pki.signer, stranger)
    lasting = store(honest, crls=sound, certificates=chain)
    for level, name, data in (
            ("T", "stranger", foreign), ("LT", "nothing", honest),
            ("LT", "junk", store(honest, crls=[b"junk"], ocsps=[b"0"], certificates=[b"0"])),
            ("LT", "other-lists", store(honest, crls=[
                revocation_list(identity("Other", ca=True))], certificates=chain)),
            ("LTA", "none", lasting),
            ("LTA", "stranger", document_stamp(lasting, stranger))):
        for field in ((), ("--field", "Author")):
            yield Case("EV-4", f"{level}-{name}{'-field' if field else ''}",
                       f"the level {level} is asked for, and made of what proves nothing", data,
                       REFUSED, options=("--require-level", level, *field))
    for level, data in (("T", honest), ("LT", lasting), ("LTA", document_stamp(lasting, pki.tsa))):
        yield Case("EV-4", f"{level}-honest", f"the level {level} is asked for and there", data,
                   PASS, options=("--require-level", level))


def attributes(kit):
    """Signed attributes that contradict the message (RFC 6211, RFC 5035 §5)."""
    who, other = kit.pki.signer, kit.pki.second

    def protection(digest_name):
        return forge.attribute("cms_algorithm_protection", cms.CMSAlgorithmProtection({
            "digest_algorithm": {"algorithm": digest_name},
            "signature_algorithm": forge.signature_algorithm(who)}))

    def old(claimed):
        return forge.attribute("signing_certificate", tsp.SigningCertificate({"certs": [
            tsp.ESSCertID({"cert_hash": hashlib.sha1(claimed.der).digest()})]}))

    for name, extra, expect in (
            ("protection-honest", protection("sha256"), PASS),
            ("protection-other", protection("sha1"), REFUSED),
            ("old-honest", old(who), PASS), ("old-other", old(other), REFUSED)):
        def build(digest, extra=extra):
            return forge.simple(who, digest, signed=[*forge.attributes(digest, who), extra])

        yield Case("EV-5", name, "an attribute names an algorithm or a certificate of its own",
                   signed(build), expect)


def responders(kit):
    """Answers by responders that may not answer any more, or from another time."""
    pki = kit.pki
    signer, middle = pki.signer, pki.middle

    def responder(**options):
        return pki.issued("Responder", usages=("digital_signature",),
                          extended=[ExtendedKeyUsageOID.OCSP_SIGNING], **options)

    top = revocation_list(pki.root)
    data = kit.base()
    sound = responder()
    old = responder(start=NOW - 3 * YEAR, end=NOW - YEAR)
    revoking = revocation_list(middle, [signer])
    for name, about, expect, lists, answers in (
            ("revoked", "the responder's certificate is revoked for a compromise", REVOKED,
             [revocation_list(middle, [sound, signer])], [answer(signer, sound, [sound])]),
            ("expired", "the responder's certificate had expired", REVOKED, [revoking],
             [answer(signer, old, [old])]),
            ("future", "the answer is from the future", REVOKED, [revoking],
             [answer(signer, sound, [sound], at=NOW + YEAR)]),
            ("later-good", "a good answer is newer than the list that revokes", REVOKED,
             [revocation_list(middle, [signer], at=NOW - 5 * HOUR)],
             [answer(signer, sound, [sound])]),
            ("both", "one answer says good, another of the same time revoked", REVOKED, [],
             [answer(signer, sound, [sound]), answer(signer, sound, [sound], revoked=True)]),
            ("both-other-order", "the same the other way round", REVOKED, [],
             [answer(signer, sound, [sound], revoked=True), answer(signer, sound, [sound])])):
        yield Case("EV-6", name, about, store(data, crls=[*lists, top], ocsps=answers), expect)


def pinned(kit):
    """A certificate that was named is not above its issuer's list."""
    pki = kit.pki
    pin = kit.file("pinned.pem", pki.signer.pem)
    revoking = kit.file("pinned.crl", x509.load_der_x509_crl(
        revocation_list(pki.middle, [pki.signer])).public_bytes(serialization.Encoding.PEM))
    issuers = kit.file("pinned-chain.pem", pki.middle.pem + pki.root.pem)
    yield Case("EV-7", "signer", "--signer names a certificate that --crl revokes", kit.base(),
               REFUSED, options=("--signer", pin, "--crl", revoking))
    yield Case("EV-7", "anchor", "the leaf itself is an anchor, and --crl revokes it", kit.base(),
               REFUSED, options=("--trust", pin, "--trust", issuers, "--crl", revoking))


def authorities(kit):
    """Above a stamping authority stands what no longer counts: its key may be anybody's by now."""
    pki = kit.pki
    signer = pki.issued(start=NOW - 3 * YEAR, end=SINCE)

    def stamping_below(**options):
        above = identity("Time CA", pki.root, ca=True, **options)
        return identity(
            "Time Authority", above, usages=("digital_signature",), start=NOW - 3 * YEAR,
            extended=[ExtendedKeyUsageOID.TIME_STAMPING], critical=True)

    for name, options, expect in (
            ("expired", {"start": NOW - 3 * YEAR, "end": SINCE}, REFUSED),
            ("weak", {"start": NOW - 3 * YEAR,
                      "key": ec.generate_private_key(ec.SECP224R1())}, REFUSED),
            ("honest", {"start": NOW - 3 * YEAR}, PASS)):
        yield Case("EV-8", name, "a timestamp that is to save an expired signer's certificate; "
                   f"the authority above the stamping one is {name}",
                   with_time(kit, signer, stamping_below(**options)), expect)


def futures(kit):
    """What is said of another time than that at which it was said."""
    pki = kit.pki
    top = revocation_list(pki.root)
    for name, when in (("years", NOW + 20 * YEAR), ("minutes", NOW + HOUR / 30)):
        yield Case("EV-9", f"entry-{name}", "revoked from a day on that is still to come",
                   store(kit.base(), crls=[
                       revocation_list(pki.middle, [pki.signer], when=when), top]), REVOKED)
    old = pki.issued("Responder", usages=("digital_signature",), start=NOW - 3 * YEAR,
                     end=NOW - YEAR, extended=[ExtendedKeyUsageOID.OCSP_SIGNING])
    signer = pki.issued(start=NOW - 4 * YEAR, end=NOW + YEAR)
    data = signed(lambda digest: forge.simple(signer, digest))
    for name, times in (("two", [NOW - 2 * YEAR, NOW - HOUR]), ("one", [NOW - 2 * YEAR])):
        yield Case("EV-9", f"answers-{name}",
                   "an expired responder answers for a time after its end, beside one before",
                   store(data, crls=[top], ocsps=[answers(signer, old, times)]), REFUSED)
    sound = pki.issued("Responder", usages=("digital_signature",),
                       extended=[ExtendedKeyUsageOID.OCSP_SIGNING])
    yield Case("EV-9", "answers-honest", "a responder that counts answers, without an end",
               store(kit.base(), crls=[top], ocsps=[answers(pki.signer, sound, [NOW - HOUR])]), PASS)


def exemptions(kit):
    """Extensions that say that nobody need ask about a certificate, on others than they are for."""
    pki = kit.pki
    def signer(*extensions, above=pki.middle, **options):
        return identity("Honest Signer", above, extensions=extensions, **options)

    def other(oid):
        return x509.UnrecognizedExtension(x509.ObjectIdentifier(oid), b"\x05\x00")

    never, brief = other("2.5.29.56"), other("0.4.0.194121.2.1")
    silent = identity("Silent CA", pki.root, ca=True, extensions=(PLACE, never))
    day = {"start": NOW - HOUR, "end": NOW + 20 * HOUR}
    for name, who, expect in (
            ("nocheck", signer(PLACE, x509.OCSPNoCheck()), REFUSED),
            ("never", signer(PLACE, never), REFUSED), ("never-honest", signer(never), PASS),
            ("short", signer(PLACE, brief), REFUSED),
            ("short-honest", signer(PLACE, brief, **day), PASS),
            ("authority", signer(above=silent), REFUSED)):
        yield Case("EV-10", name, "a certificate names a place to ask, and says that nobody need",
                   signed(lambda digest, who=who: forge.simple(who, digest)), expect)
    removed = revocation_list(pki.middle, [pki.signer], reason=x509.ReasonFlags.remove_from_crl)
    yield Case("EV-10", "removed", "a whole list lifts an entry, as only one of changes may",
               store(kit.base(), crls=[removed, revocation_list(pki.root)]), REFUSED)


def ended(kit):
    """Words that are dated back with the key of an authority that has ended since."""
    pki = kit.pki
    top = revocation_list(pki.root, keeps=NOW - 3 * YEAR)
    answering = {"usages": ("digital_signature",), "extended": [ExtendedKeyUsageOID.OCSP_SIGNING]}

    def authority(end=SINCE, **options):
        return identity("Ended CA", pki.root, ca=True, start=NOW - 3 * YEAR, end=end, **options)

    above = authority()
    renewed = authority(NOW + YEAR, key=above.key)
    own = identity("Ended CA", ca=True, key=above.key)

    def person(end):
        return identity(
            "Honest Signer", above, start=NOW - 3 * YEAR, end=end, extensions=[PLACE])

    signer, lasting, brief = (person(end) for end in (SINCE, NOW + YEAR, NOW - 15 * HOUR))
    responder = identity("Responder", above, start=NOW - 3 * YEAR, **answering)
    back = SINCE - 2 * HOUR
    # Answers are made now, whatever time they tell of.
    for name, who, said, certificates in (
            ("issuer", signer, answer(signer, above, [above], at=back), []),
            ("responder", signer, answer(signer, responder, [responder], at=back), []),
            ("self-made", lasting, answer(lasting, above, [own]), []),
            ("responder-later", lasting, answer(lasting, responder, [responder]), [])):
        yield Case("EV-14", name, "an answer of today by the key of an authority that has ended",
                   store(with_time(kit, who), crls=[top], ocsps=[said], certificates=certificates),
                   REFUSED)
    yield Case("EV-14", "list", "a list from between the ends of signer and authority, unproven",
               store(with_time(kit, brief), crls=[top, revocation_list(
                   above, at=NOW - 12 * HOUR, keeps=NOW - 3 * YEAR)]), REFUSED)
    stored = store(with_time(kit, signer), crls=[top], ocsps=[answers(signer, above, [back])])
    yield Case("EV-14", "stamped", "an answer from before, as a timestamp from before proves",
               document_stamp(stored, pki.tsa, SINCE - HOUR), PASS)
    by_renewed = identity("Responder", renewed, **answering)
    yield Case("EV-14", "renewed", "an answer of today under the authority's renewed certificate",
               store(with_time(kit, lasting), crls=[top], certificates=[renewed.der],
                     ocsps=[answer(lasting, by_renewed, [by_renewed])]), PASS)


def outlived(kit):
    """Words by keys and hashes that counted when they claim to be said, and do not any more."""
    def when(year, month=1):
        return datetime.datetime(year, month, 1, tzinfo=datetime.timezone.utc)

    start = {"start": when(2005), "end": NOW + 5 * YEAR}
    stamping_for = {"usages": ("digital_signature",), "critical": True,
                    "extended": [ExtendedKeyUsageOID.TIME_STAMPING]}
    root = identity("Old Root", ca=True, **start)
    trust = ("--trust", kit.file("old-root.pem", root.pem))
    tsa = identity("Time Authority", root, **stamping_for, **start)
    strong = identity("Old CA", root, ca=True, **start)
    short = {"key": ec.generate_private_key(ec.SECP224R1())}
    weak = identity("Old CA", root, ca=True, **short, **start)
    responder = identity(
        "Responder", strong, usages=("digital_signature",),
        extended=[ExtendedKeyUsageOID.OCSP_SIGNING], **short, **start)
    for name, issuer, used, proven, words in (
            ("list", weak, when(2020), when(2021, 6),
             lambda _: {"crls": [revocation_list(weak, at=when(2020, 2))]}),
            ("answer", strong, when(2020), when(2021, 6),
             lambda who: {"ocsps": [answers(who, responder, [when(2020, 2)])]}),
            ("hash", strong, when(2011), when(2012, 1),
             lambda who: {"ocsps": [answers(who, strong, [when(2011, 2)], "sha1")]})):
        signer = identity("Honest Signer", issuer, extensions=[PLACE], **start)
        signature = signed(lambda digest, who=signer, time=used: stamped(
            who, digest, lambda data: token(tsa, data, time=time)))
        said = words(signer)
        stored = store(signature, ocsps=said.get("ocsps", ()),
                       crls=[revocation_list(root), *said.get("crls", ())])
        yield Case("EV-15", name, "dated before its key or hash stopped counting, and not proven",
                   stored, REFUSED, options=trust)
        yield Case("EV-15", f"{name}-stamped", "the same, proven by a timestamp from before",
                   document_stamp(stored, tsa, proven), PASS, options=trust)


def policies(kit):
    """A certificate policy is asked for, and the path is a self-signed certificate alone."""
    for name, named, expect in (("none", (), REFUSED), ("other", ("1.2.3.5",), REFUSED),
                                ("honest", ("1.2.3.4",), PASS)):
        extension = [x509.CertificatePolicies([
            x509.PolicyInformation(x509.ObjectIdentifier(one), None) for one in named])]
        alone = identity("Honest Signer", extensions=extension if named else ())
        file = kit.file(f"policy-{name}.pem", alone.pem)
        yield Case("EV-16", name, "a policy is asked for, and the certificate has this one",
                   signed(lambda digest, who=alone: forge.simple(who, digest)), expect,
                   options=("--trust", file, "--policy", "1.2.3.4"))


def listed(kit):
    """Somebody who is listed as revoked before the use, from a day on that is still to come."""
    pki = kit.pki
    top = revocation_list(pki.root)
    for name, said, when, expect in (
            ("years", SIGNED - HOUR, NOW + 20 * YEAR, REVOKED),
            ("hours", SIGNED - HOUR, SIGNED + 5 * HOUR, REVOKED),
            ("honest", SIGNED + 5 * HOUR, SIGNED + HOUR, PASS)):
        yield Case("EV-17", name, "listed as revoked, and then stamped",
                   store(with_time(kit, pki.signer), crls=[
                       revocation_list(pki.middle, [pki.signer], at=said, when=when), top]), expect)
    replaced = (x509.ReasonFlags.superseded, SIGNED + HOUR)
    stolen = (COMPROMISE, SIGNED - HOUR)
    for name, reasons, expect in (
            ("first", [stolen, replaced], REVOKED), ("second", [replaced, stolen], REVOKED),
            ("honest", [replaced, replaced], PASS)):
        yield Case("EV-18", name, "a list has two entries about the signer's certificate",
                   store(with_time(kit, pki.signer), crls=[
                       revocation_list(pki.middle, at=SIGNED + 5 * HOUR, entries=[
                           (pki.signer, *one) for one in reasons]), top]), expect)


def accused(kit):
    """A responder of which another one, and not the authority itself, says that it was revoked."""
    pki = kit.pki
    top = revocation_list(pki.root)
    answering = {"usages": ("digital_signature",), "extended": [ExtendedKeyUsageOID.OCSP_SIGNING]}
    first, second = (pki.issued(f"Responder {number}", **answering) for number in (1, 2))
    good = answer(pki.signer, first, [first])
    for name, about, expect in (
            ("revoked", answer(first, second, [second], revoked=True), REVOKED),
            ("by-issuer", answer(first, pki.middle, revoked=True), REVOKED),
            ("honest", answer(first, second, [second]), PASS)):
        yield Case("EV-11", name, "another responder speaks about the one that clears the signer",
                   store(kit.base(), crls=[top], ocsps=[good, about]), expect)


def unproven(kit):
    """Lists dated back with a key that ended: beside a signature, and about who stamped it."""
    pki = kit.pki
    top = revocation_list(pki.root, keeps=NOW - 3 * YEAR)
    old = identity("Ended CA", pki.root, ca=True, start=NOW - 3 * YEAR, end=SINCE)
    signer = identity(
        "Honest Signer", old, start=NOW - 3 * YEAR, end=SINCE, extensions=[PLACE])
    clear = cms.RevocationInfoChoice(
        "crl", asn1_crl.CertificateList.load(revocation_list(old, at=SINCE - 2 * HOUR)))

    def build(digest):
        message = cms.ContentInfo.load(stamped(
            signer, digest, lambda data: token(pki.tsa, data, time=SIGNED)))
        message["content"]["crls"] = [clear]
        return message.dump()

    yield Case("EV-12", "beside", "the list stands among what the signature does not cover",
               store(signed(build), crls=[top]), REFUSED)
    yield Case("EV-12", "stamped", "the same, as a timestamp from before proves",
               document_stamp(store(signed(build), crls=[top]), pki.tsa, SINCE - HOUR), PASS)
    stamping = identity(
        "Time Authority", old, usages=("digital_signature",), start=NOW - 3 * YEAR, end=SINCE,
        extended=[ExtendedKeyUsageOID.TIME_STAMPING], critical=True, extensions=[PLACE])
    brief = pki.issued(start=NOW - 3 * YEAR, end=SINCE)
    about_signer = revocation_list(
        pki.middle, [brief], when=SIGNED + HOUR, reason=x509.ReasonFlags.superseded,
        keeps=NOW - 3 * YEAR)
    lists = [top, about_signer, revocation_list(old, at=SINCE - 2 * HOUR)]
    data = with_time(kit, brief, stamping)
    yield Case("EV-13", "late", "a list about the stamping authority, added after its end",
               store(document_stamp(data, pki.tsa, SINCE - HOUR), crls=lists), REFUSED)
    yield Case("EV-13", "stamped", "the same, as a timestamp from before proves",
               document_stamp(store(data, crls=lists), pki.tsa, SINCE - HOUR), PASS)


def crossed(kit):
    """An authority has several certificates for one key, of which one leads nowhere."""
    pki = kit.pki
    middle = pki.middle
    other = identity("Other Root", ca=True)

    def again(issuer=pki.root, **options):
        return identity("Intermediate", issuer, ca=True, key=middle.key, **options)

    listed = again()
    for name, twin, revoked, expect in (
            ("other-root", again(other), None, PASS),
            ("purpose", again(extended=[ExtendedKeyUsageOID.SERVER_AUTH]), None, PASS),
            ("ended", again(start=NOW - 3 * YEAR, end=NOW - YEAR), None, PASS),
            ("superseded", listed, x509.ReasonFlags.superseded, PASS)):
        lists = [] if revoked is None else [
            revocation_list(pki.root, [twin], reason=revoked), revocation_list(middle)]
        for name, beside, stored in (
                (name, [twin, middle], ()), (f"{name}-first", [twin], [middle.der])):
            data = signed(lambda digest, beside=beside: forge.simple(
                pki.signer, digest, certificates=[pki.signer, *beside]))
            if lists or stored:
                data = store(data, crls=lists, certificates=stored)
            yield Case("EV-19", name, "an honest signer below an authority with two certificates "
                       "for its key", data, expect)


def crowds(kit):
    """Strangers of the same name, before whoever really signed a list that a person gave."""
    pki = kit.pki
    speaker = identity("List Issuer", pki.root, usages=("crl_sign",))
    point = x509.CRLDistributionPoints([x509.DistributionPoint(
        [x509.UniformResourceIdentifier("http://lists.invalid/1.crl")], None, None,
        [x509.DirectoryName(speaker.certificate.subject)])])
    signer = identity("Honest Signer", pki.middle, extensions=[point])
    builder = (
        x509.CertificateRevocationListBuilder().issuer_name(speaker.certificate.subject)
        .last_update(NOW - HOUR).next_update(NOW + 30 * 24 * HOUR)
        .add_extension(x509.IssuingDistributionPoint(
            [x509.UniformResourceIdentifier("http://lists.invalid/1.crl")], None, False, False,
            None, True, False), critical=True)
        .add_revoked_certificate(
            x509.RevokedCertificateBuilder().serial_number(signer.certificate.serial_number)
            .revocation_date(BEFORE)
            .add_extension(x509.CertificateIssuer(
                [x509.DirectoryName(pki.middle.certificate.subject)]), critical=True)
            .add_extension(x509.CRLReason(COMPROMISE), critical=False).build()))
    revoking = kit.file("crowd.crl", builder.sign(speaker.key, hashes.SHA256()).public_bytes(
        serialization.Encoding.PEM))
    chain = kit.file("crowd-chain.pem", speaker.pem)
    good = [revocation_list(pki.root), revocation_list(pki.middle)]
    for name, count in (("none", 0), ("few", 5), ("many", 30)):
        strangers = [identity("List Issuer", ca=True).der for _ in range(count)]
        data = store(signed(lambda digest: forge.simple(signer, digest)), crls=good,
                     certificates=strangers)
        yield Case("EV-20", name, "--crl revokes the signer; others have the name of its issuer",
                   data, REVOKED, options=("--crl", revoking, "--chain", chain))
