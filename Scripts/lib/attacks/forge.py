"""CMS messages and signatures in PDFs made by hand, so that any part of them can be wrong."""

import datetime
import hashlib
import re

from asn1crypto import algos, cms, tsp
from asn1crypto import x509 as asn1
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

from attacks.update import Update

HASHES = {
    "md5": hashes.MD5, "sha1": hashes.SHA1, "sha256": hashes.SHA256, "sha384": hashes.SHA384,
    "sha512": hashes.SHA512}
RESERVED = 8192


def certificate(who):
    return asn1.Certificate.load(who.der)


def attribute(kind, *values):
    return cms.CMSAttribute({"type": kind, "values": list(values)})


def signing_certificate(who, digest="sha256"):
    """ESS signing-certificate-v2 (RFC 5035), naming `who`."""
    entry = {"cert_hash": hashlib.new(digest, who.der).digest()}
    if digest != "sha256":
        entry["hash_algorithm"] = {"algorithm": digest}
    return attribute(
        "signing_certificate_v2", tsp.SigningCertificateV2({"certs": [tsp.ESSCertIDv2(entry)]}))


def attributes(digest, who, hash_name="sha256"):
    """The signed attributes of PAdES B-B."""
    return [
        attribute("content_type", "data"),
        attribute("message_digest", digest),
        signing_certificate(who),
    ]


def raw_signature(who, data, hash_name="sha256", pss=False):
    algorithm = HASHES[hash_name]()
    if isinstance(who.key, ec.EllipticCurvePrivateKey):
        return who.key.sign(data, ec.ECDSA(algorithm))
    if pss:
        return who.key.sign(
            data, padding.PSS(padding.MGF1(algorithm), algorithm.digest_size), algorithm)
    return who.key.sign(data, padding.PKCS1v15(), algorithm)


def signature_algorithm(who, hash_name="sha256", pss=False):
    if isinstance(who.key, rsa.RSAPrivateKey):
        if pss:
            return {"algorithm": "rsassa_pss", "parameters": {
                "hash_algorithm": {"algorithm": hash_name},
                "mask_gen_algorithm": {
                    "algorithm": "mgf1", "parameters": {"algorithm": hash_name}},
                "salt_length": HASHES[hash_name]().digest_size}}
        return {"algorithm": "rsassa_pkcs1v15"}
    return {"algorithm": f"{hash_name}_ecdsa"}


def signer_info(
        who, signed, *, hash_name="sha256", signature_hash=None, digest_algorithm=None,
        algorithm=None, sid=None, unsigned=None, sign_with=None, content=b"", pss=False):
    """A SignerInfo over these attributes, or with None over the content itself."""
    claimed = certificate(who)
    info = {
        "version": "v1",
        "sid": sid or cms.SignerIdentifier("issuer_and_serial_number", cms.IssuerAndSerialNumber({
            "issuer": claimed.issuer, "serial_number": claimed.serial_number})),
        "digest_algorithm": {"algorithm": digest_algorithm or hash_name},
        "signature_algorithm": algorithm or signature_algorithm(
            who, signature_hash or hash_name, pss),
    }
    signed_bytes = content
    if signed is not None:
        # The order of DER; SetOf sorts its values when it is written anew.
        info["signed_attrs"] = cms.CMSAttributes(signed)
        signed_bytes = info["signed_attrs"].dump(force=True)
    info["signature"] = raw_signature(
        sign_with or who, signed_bytes, signature_hash or hash_name, pss)
    if unsigned:
        info["unsigned_attrs"] = cms.CMSAttributes(unsigned)
    return cms.SignerInfo(info)


def signed_data(infos, certificates, *, content=None, content_type="data", revocations=()):
    """A ContentInfo of the signers and certificates (Identity or asn1crypto objects)."""
    chosen = [c if isinstance(c, asn1.Certificate) else certificate(c) for c in certificates]
    encapsulated = {"content_type": content_type}
    if content is not None:
        encapsulated["content"] = content
    body = {
        "version": "v1",
        "digest_algorithms": [
            algos.DigestAlgorithm({"algorithm": info["digest_algorithm"]["algorithm"].native})
            for info in infos],
        "encap_content_info": encapsulated,
        "signer_infos": infos,
    }
    if chosen:
        body["certificates"] = [cms.CertificateChoices("certificate", c) for c in chosen]
    if revocations:
        body["crls"] = list(revocations)
    return cms.ContentInfo({"content_type": "signed_data", "content": cms.SignedData(body)}).dump()


def simple(who, digest, *, signed=None, certificates=None, **options):
    """PAdES B-B by `who` over a byte range with this digest; options go to `signer_info`."""
    hash_name = options.get("hash_name", "sha256")
    info = signer_info(
        who, attributes(digest, who, hash_name) if signed is None else signed, **options)
    return signed_data([info], [who, *who.chain] if certificates is None else certificates)


def tlv(tag, content):
    """One DER element."""
    size = len(content)
    if size < 128:
        return bytes([tag, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + content


def raw_message(who, attributes_body):
    """A message whose signed attributes are these bytes, right or wrong, and really signed."""
    info = signer_info(who, attributes(bytes(32), who))
    digest_algorithm = info["digest_algorithm"].dump()
    one = tlv(0x02, b"\x01")
    signer = tlv(0x30, b"".join((
        one, info["sid"].dump(), digest_algorithm, tlv(0xA0, attributes_body),
        info["signature_algorithm"].dump(),
        tlv(0x04, raw_signature(who, tlv(0x31, attributes_body))))))
    data = tlv(0x30, b"".join((
        one, tlv(0x31, digest_algorithm), tlv(0x30, cms.ContentType("data").dump()),
        tlv(0xA0, b"".join(c.der for c in (who, *who.chain))), tlv(0x31, signer))))
    return tlv(0x30, cms.ContentType("signed_data").dump() + tlv(0xA0, data))


def embed(
        data, build, *, sub_filter=b"ETSI.CAdES.detached", field=b"Author", kind=b"/Type /Sig",
        filter_=b"/Filter /Adobe.PPKLite", entries=b"", contents_first=False, hash_name="sha256",
        visible=None, reserved=RESERVED, more=None, perms=False, numbers=None,
        range_text=None, twin=None):
    """Signs a PDF by hand.

    build: from the digest of the byte range to the CMS. contents_first: whether /Contents precedes
    /ByteRange. visible: (rectangle, object number of the look, flags if not the usual ones). more: further objects of the update.
    perms: whether the catalog names it as certification. numbers: from the four numbers of the byte
    range to those that are signed; range_text: to what is written instead. twin: a second field with
    the same value.
    """
    update = Update(data)
    for number, body in (more or {}).items():
        update.put(number, body)
    hole = b"/ByteRange [0 %s]" % (b" " * 60)
    gap = b"/Contents <" + b"0" * (2 * reserved) + b">"
    when = datetime.datetime.now(datetime.timezone.utc).strftime("D:%Y%m%d%H%M%SZ").encode()
    parts = [gap, hole] if contents_first else [hole, gap]
    value = update.new(
        b"<< %s %s /SubFilter /%s %s\n /M (%s) %s >>" % (
            kind, filter_, sub_filter, b"\n".join(parts), when, entries)
        if sub_filter else b"<< %s %s %s %s >>" % (kind, filter_, b"\n".join(parts), entries))
    rectangle, look, *flags = visible or (b"0 0 0 0", None)
    widget = update.new(
        b"<< /Type /Annot /Subtype /Widget /FT /Sig /T (%s) /V %d 0 R /F %d /Rect [%s] /P %d 0 R"
        b"%s >>" % (
            field, value, *(flags or [132]), rectangle, update.page(), b" /AP << /N %d 0 R >>" % look if look else b""))
    if perms:
        body = update.bodies.get(update.root) or update.old(update.root)
        update.put(update.root, re.sub(rb"/Perms\s*<<.*?>>", b"", body))
        update.add_entry(update.root, b"/Perms << /DocMDP %d 0 R >>" % value)
    widgets = [widget]
    if twin:
        widgets.append(update.new(update.bodies[widget].replace(field, twin)))
    for widget in widgets:
        update.append_field(b"%d 0 R" % widget)
        update.append_to(update.page(), b"/Annots", b"%d 0 R" % widget)
    form = update.document.Root["/AcroForm"]
    holder = form.objgen[0] if form.is_indirect else update.root
    body = update.bodies[holder]
    if b"/SigFlags" not in body:
        update.put(holder, body.replace(b"/Fields", b"/SigFlags 3 /Fields", 1))
    return fill(update.finish(), build, hash_name, numbers, range_text)


def fill(out, build, hash_name="sha256", numbers=None, range_text=None):
    """Completes a byte range and a gap that were left blank, the last ones in the file."""
    start = out.rindex(b"/Contents <0000") + len(b"/Contents ")
    after = out.index(b">", start) + 1
    true = (0, start, after, len(out) - after)
    numbers = numbers(*true) if numbers else true
    text = range_text(*true) if range_text else b" ".join(b"%d" % number for number in numbers)
    hole = out.rindex(b"/ByteRange [0 ")
    end = out.index(b"]", hole)
    room = end - hole - len(b"/ByteRange [")
    out = out[: hole + len(b"/ByteRange [")] + text.ljust(room) + out[end:]
    signed = b"".join(
        out[numbers[i] : numbers[i] + numbers[i + 1]] for i in range(0, len(numbers), 2))
    der = build(hashlib.new(hash_name, signed).digest())
    digits = der.hex().encode()
    return out[: start + 1] + digits.ljust(after - start - 2, b"0") + out[after - 1 :]


def is_consistent(data, numbers, der):
    """Whether a CMS's message digest is that of the given byte range."""
    info = cms.ContentInfo.load(der)["content"]["signer_infos"][0]
    claimed = next(
        a["values"][0].native for a in info["signed_attrs"] if a["type"].native == "message_digest")
    signed = b"".join(
        data[numbers[i] : numbers[i] + numbers[i + 1]] for i in range(0, len(numbers), 2))
    return hashlib.new(info["digest_algorithm"]["algorithm"].native, signed).digest() == claimed
