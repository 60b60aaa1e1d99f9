"""What a document could make a verifier do besides verifying: reach out, or steer the terminal."""

import socket
import threading

from cryptography import x509
from cryptography.x509.oid import AuthorityInformationAccessOID, NameOID

from attacks import forge
from attacks.bases import CATALOG, PAGE, contract_objects, identity, write
from attacks.case import INDETERMINATE, PASS, PASSED, Case, Expect, indeterminate

EVIL = "\x1b]0;owned\x07\x1b[2J\x1b[31mPASSED\r\n\u202egnp.exe\u2066\u200f\x9b1m\x00\ufeff"


class Listener:
    """Counts who connects to a port of this machine, and answers nothing."""

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.count = 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            connection, _ = self.server.accept()
            self.count += 1
            connection.close()


def cases(kit):
    yield from reaching_out(kit)
    yield from printing(kit)


def reaching_out(kit):
    kit.listener = kit.listener or Listener()
    url = f"http://127.0.0.1:{kit.listener.port}/"
    action = url.encode()
    objects = contract_objects()
    objects[CATALOG] = objects[CATALOG].replace(
        b"/Lang (en)", b"/Lang (en) /OpenAction << /S /Launch /F (%s) >> /URI << /Base (%s) >>"
        b" /AA << /WC << /S /SubmitForm /F << /FS /URL /F (%s) >> >> >>" % ((action,) * 3))
    objects[PAGE] = objects[PAGE].replace(
        b"/Annots [", b"/AA << /O << /S /URI /URI (%s) >> /C << /S /GoToR /F (%s) /D [0 /Fit] >> >>"
        b" /Annots [" % (action, action))
    objects[4] = (
        b"<< /Length 0 /F << /FS /URL /F (%s) >> /FFilter /FlateDecode >>\nstream\n\nendstream"
        % action)
    yield Case("PATH-1", "actions", "the document wants to launch, submit and load things",
               kit.sign(write(objects)), PASS)
    who = identity("Honest Signer", kit.pki.middle, urls=[
        (AuthorityInformationAccessOID.OCSP, url), (AuthorityInformationAccessOID.CA_ISSUERS, url)])
    yield Case("PATH-1", "certificate", "the certificate names places on this machine to ask",
               forge.embed(write(contract_objects()), lambda d: forge.simple(who, d)),
               Expect({PASSED: [], INDETERMINATE: ["TRY_LATER"]}))
    yield Case("PATH-1", "issuer", "the issuer is missing, and the certificate says where it is",
               forge.embed(write(contract_objects()), lambda d: forge.simple(
                   who, d, certificates=[who])), indeterminate("NO_CERTIFICATE_CHAIN_FOUND"))


def printing(kit):
    encoded = b"<FEFF" + EVIL.encode("utf-16-be").hex().encode() + b">"
    for key in (b"Name", b"Reason", b"Location", b"ContactInfo"):
        yield Case(
            "OUT-1", key.decode().lower(), "control characters in an entry of the signature",
            forge.embed(
                write(contract_objects()), lambda d: forge.simple(kit.pki.signer, d),
                entries=b"/%s %s" % (key, encoded)), PASS, clean=True)
    printable = EVIL.replace("\x00", "")
    named = identity(x509.Name([
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Org"),
        x509.NameAttribute(NameOID.COMMON_NAME, printable)]), kit.pki.middle)
    yield Case("OUT-1", "common-name", "control characters in the signer's name",
               forge.embed(write(contract_objects()), lambda d: forge.simple(named, d)), PASS,
               clean=True)
    field = ("Sig" + EVIL).encode("utf-16-be")
    escaped = b"\xfe\xff" + field.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(
        b")", b"\\)").replace(b"\r", b"\\r")
    yield Case("OUT-1", "field", "control characters in the field's name",
               forge.embed(write(contract_objects()), lambda d: forge.simple(kit.pki.signer, d),
                           field=escaped), PASS, clean=True)
