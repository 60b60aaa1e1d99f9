"""usage: evidence_server.py FOLDER

The certification authorities of evidence_pki.yml, behind a clock, a fault list and a log. Makes keys
and certificates in FOLDER (NAME.pem, NAME.crt, anchors.pem), listens on a port of 127.0.0.1 that nobody has,
prints it, and ends when its standard input does. In FOLDER one may write

clock  seconds by which the authorities are ahead of the machine
down   paths, one a line, of which those with this beginning are answered with status 503
fault  what is wrong with OCSP responses: `nonce`, `serial`, `delegate`, `signature` or `tail`

and read `log`: method and path of each request, one a line; `304` behind those that were told that
nothing changed. It is a proxy for its own paths as well: whatever host they are asked of.
"""

import datetime
import hashlib
import io
import os
import pathlib
import socket
import subprocess
import sys
import threading

import yaml
from asn1crypto import core, crl, ocsp, pem
from certomancer.integrations.animator import Animator, AnimatorArchStore
from certomancer.registry import ArchLabel, CertLabel, CertomancerConfig
from werkzeug.serving import WSGIRequestHandler, make_server

KEYS = "root interm ocsp ocsp-check signer tsroot tsinterm ts-ocsp tsa tsa-b".split()
folder = pathlib.Path(sys.argv[1])


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def text(name):
    try:
        return (folder / name).read_text().strip()
    except FileNotFoundError:
        return ""


for key in KEYS:
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-out", folder / f"{key}.pem"], check=True, stderr=subprocess.DEVNULL)
port = free_port()
template = pathlib.Path(__file__).with_name("evidence_pki.yml").read_text()
(folder / "pki.yml").write_text(template.replace("PORT", str(port)))
config = CertomancerConfig.from_file(str(folder / "pki.yml"), str(folder))
authority = config.get_pki_arch(ArchLabel("lta"))
for label in yaml.safe_load(template)["pki-architectures"]["lta"]["certs"]:
    certificate = authority.get_cert(CertLabel(label))
    (folder / f"{label}.crt").write_bytes(pem.armor("CERTIFICATE", certificate.dump()))
(folder / "anchors.pem").write_bytes(
    b"".join((folder / f"{root}.crt").read_bytes() for root in ("root", "tsroot")))
application = Animator(AnimatorArchStore(config.pki_archs), with_web_ui=False)
lock, answering = threading.Lock(), threading.Lock()


def asked_otherwise(environ, fault):
    """Makes the request one whose answer is wrong for who asked."""
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length)
    request = ocsp.OCSPRequest.load(body).copy()
    if fault == "nonce":
        for extension in request["tbs_request"]["request_extensions"]:
            if extension["extn_id"].native == "nonce":
                extension["extn_value"] = core.ParsableOctetString(
                    core.OctetString(bytes(32)).dump())
    elif fault == "serial":
        request["tbs_request"]["request_list"][0]["req_cert"]["serial_number"] = (
            authority.get_cert(CertLabel("s-check")).serial_number)
    body = request.dump(force=True)
    environ["wsgi.input"], environ["CONTENT_LENGTH"] = io.BytesIO(body), str(len(body))


def spoiled(body, fault):
    if fault == "signature":
        response = ocsp.OCSPResponse.load(body).copy()
        basic = response["response_bytes"]["response"].parsed
        signature = bytearray(basic["signature"].native)
        signature[-1] ^= 1
        basic["signature"] = core.OctetBitString(bytes(signature))
        response["response_bytes"]["response"] = core.ParsableOctetString(
            basic.dump(force=True))
        return response.dump(force=True)
    return body + b"\0" if fault == "tail" else body


def serve(environ, start_response):
    path = environ.get("PATH_INFO", "")
    now = datetime.datetime.now(datetime.timezone.utc)
    then = now + datetime.timedelta(seconds=float(text("clock") or 0))
    # Whole seconds: fractions have no place in OCSP (RFC 5280 section 4.1.2.5.2).
    environ["HTTP_X_CERTOMANCER_FAKE_TIME"] = then.replace(microsecond=0).isoformat()
    if any(path.startswith(prefix) for prefix in text("down").splitlines()):
        note(environ["REQUEST_METHOD"], path)
        start_response("503 Service Unavailable", [("Content-Length", "0")])
        return [b""]
    fault = text("fault") if path.startswith("/lta/ocsp/") else ""
    if fault in ("nonce", "serial"):
        asked_otherwise(environ, fault)
    elif fault == "delegate":
        environ["PATH_INFO"] = "/lta/ocsp/interm-foreign"
    answered = {}

    def remember(status, headers, *_):
        answered["status"], answered["headers"] = status, headers
        return lambda _: None

    # Certomancer answers one at a time: two at once get in each other's way.
    with answering:
        body = b"".join(application(environ, remember))
    status, headers = answered["status"], answered["headers"]
    if fault:
        body = spoiled(body, fault)
        headers = [(name, value) for name, value in headers if name.lower() != "content-length"]
        headers.append(("Content-Length", str(len(body))))
    if environ["REQUEST_METHOD"] == "GET" and status.startswith("200"):
        # Lists are signed anew each time, with another value.
        content = crl.CertificateList.load(body)["tbs_cert_list"].dump() if (
            path.endswith(".crl")) else body
        tag = '"' + hashlib.sha256(content).hexdigest()[:16] + '"'
        headers = headers + [("ETag", tag)]
        if environ.get("HTTP_IF_NONE_MATCH") == tag:
            note("GET", path, "304")
            start_response("304 Not Modified", [("ETag", tag)])
            return [b""]
    note(environ["REQUEST_METHOD"], path)
    start_response(status, headers)
    return [body]


def note(*words):
    with lock, open(folder / "log", "a") as log:
        print(*words, file=log)


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_, **__):
        pass


server = make_server("127.0.0.1", port, serve, threaded=True, request_handler=Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(port, flush=True)
sys.stdin.read()
os._exit(0)
