#!/usr/bin/env python3
"""usage: tsa_server.py FOLDER

A time-stamping authority for tests, honest or not: `openssl ts -reply` behind Python's HTTP server.
Makes its keys and certificates in FOLDER, listens on ports of 127.0.0.1 that the system picks,
prints them as one line of JSON, and ends when its standard input does. What a request gets depends
on its path; counts.json in FOLDER says how many connections and requests there were.

In FOLDER: ca.pem above tsa.pem; tls-ca.pem above the server's certificate and client.pem with
client.key; other-ca.pem above none of them. Login: user, password.
"""

import datetime
import base64
import http.server
import json
import pathlib
import re
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

LOGIN = "Basic " + base64.b64encode("user:pässword".encode()).decode()
CONFIGURATION = """
[tsa]
default_tsa = honest
[honest]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
certs = {folder}/{certificate}.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
other_policies = 1.2.3.4.5
digests = {digests}
accuracy = secs:1
ordering = no
tsa_name = yes
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""
EXTENSIONS = {
    "ca": "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign",
    "tsa": "extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature",
    "no-tsa": "keyUsage=critical,digitalSignature",
    "server": "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth",
    "client": "extendedKeyUsage=clientAuth",
    "bulky": "nsComment=" + 12000 * "x",
}
# The hash in a request, and what an answer begins with that grants it, both in DER.
IMPRINT = re.compile(rb"\x04\x20.{32}", re.DOTALL)
GRANTED = b"\x30\x03\x02\x01\x00"
# The year of its time.
TIME = re.compile(rb"(?<=\x18\x0f)[0-9]{14}(?=Z)")
YEAR = re.compile(rb"(?<=\x18\x0f)[0-9]{4}(?=[0-9]{10}Z)")


def openssl(*arguments, data=None):
    return subprocess.run(
        ["openssl", *map(str, arguments)], input=data, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, check=True).stdout


class Authority:
    """Keys, certificates, and answers."""

    def __init__(self, folder):
        self.folder = folder
        self.lock = threading.Lock()
        self.connections = self.requests = 0
        self.queries = set()
        folder.mkdir(parents=True, exist_ok=True)
        self.count()
        (folder / "serial").write_text("01\n")
        for name, extensions in EXTENSIONS.items():
            (folder / f"{name}.ext").write_text(extensions + "\nsubjectKeyIdentifier=hash\n")
        for name, certificate, digests in (
                ("tsa", "ca", "sha256, sha384, sha512"), ("strict", "ca", "sha512"),
                ("bulky", "bulky", "sha256")):
            (folder / f"{name}.cnf").write_text(CONFIGURATION.format(
                folder=folder, certificate=certificate, digests=digests))
        for name, kind in (
                ("ca", "ca"), ("tls-ca", "ca"), ("other-ca", "ca"), ("bulky", "bulky")):
            self.certify(name, kind)
        for name, kind, issuer in (
                ("tsa", "tsa", "ca"), ("no-tsa", "no-tsa", "ca"), ("server", "server", "tls-ca"),
                ("client", "client", "tls-ca")):
            self.certify(name, kind, issuer)

    def certify(self, name, kind, issuer=None):
        path = self.folder / name
        openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", f"{path}.key", "-out", f"{path}.csr", "-subj", f"/O=Signet tests/CN={name}")
        signer = (["-CA", self.folder / f"{issuer}.pem", "-CAkey", self.folder / f"{issuer}.key",
                   "-CAcreateserial"] if issuer else ["-signkey", f"{path}.key"])
        openssl("x509", "-req", "-in", f"{path}.csr", "-out", f"{path}.pem", "-days", "30",
                "-extfile", self.folder / f"{kind}.ext", *signer)

    def count(self, connections=0, requests=0):
        with self.lock:
            self.connections += connections
            self.requests += requests
            path = self.folder / "counts.json"
            path.with_suffix(".new").write_text(json.dumps(
                {"connections": self.connections, "requests": self.requests}))
            path.with_suffix(".new").rename(path)

    def reply(self, query, configuration="tsa"):
        with self.lock:
            path = self.folder / "query.tsq"
            path.write_bytes(query)
            return openssl("ts", "-reply", "-config", self.folder / f"{configuration}.cnf",
                           "-section", "honest", "-queryfile", path)

    def resigned(self, query, certificate, change=lambda content: content):
        """The honest statement, or a change of it, under another signature."""
        reply = self.reply(query)
        token = reply[reply.index(GRANTED) + len(GRANTED):]
        content = openssl("cms", "-verify", "-noverify", "-inform", "DER", "-binary", data=token)
        path = self.folder / certificate
        token = openssl(
            "cms", "-sign", "-binary", "-nodetach", "-cades", "-outform", "DER", "-md", "sha256",
            "-nosmimecap", "-econtent_type", "1.2.840.113549.1.9.16.1.4", "-signer", f"{path}.pem",
            "-inkey", f"{path}.key", data=change(content))
        return sequence(GRANTED + token)


def sequence(content):
    length = len(content)
    if length < 0x80:
        return bytes([0x30, length]) + content
    digits = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([0x30, 0x80 | len(digits)]) + digits + content


def replaced(data, offset, mask=0x01):
    changed = bytearray(data)
    changed[offset] ^= mask
    return bytes(changed)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Answers in two writes would wait for acknowledgements in between.
    wbufsize = -1
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        self.server.authority.count(connections=1)

    def answer(self, body, status=200, kind="application/timestamp-reply", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        authority = self.server.authority
        authority.count(requests=1)
        query = self.rfile.read(int(self.headers["Content-Length"]))
        # As a proxy it gets the whole address, and answers for whoever was meant.
        path = re.sub("^http://[^/]*", "", self.path)
        mode = path.strip("/").replace("-", "_")
        getattr(self, f"mode_{mode}")(authority, query)

    # Honest.

    def mode_ok(self, authority, query):
        if self.headers["Content-Type"] != "application/timestamp-query":
            return self.answer(b"wrong content type", 415, "text/plain")
        self.answer(authority.reply(query))

    def mode_auth(self, authority, query):
        if self.headers["Authorization"] != LOGIN:
            return self.answer(b"", 401, "text/plain", WWW_Authenticate='Basic realm="tsa"')
        self.answer(authority.reply(query))

    def mode_chunked(self, authority, query):
        self.send_response(200)
        self.send_header("Content-Type", "application/timestamp-reply")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        reply = authority.reply(query)
        for start in range(0, len(reply), 100):
            part = reply[start:start + 100]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def mode_wrong_type(self, authority, query):
        self.answer(authority.reply(query), kind="text/html")

    def mode_redirect(self, authority, query):
        self.answer(b"", 307, Location="/ok")

    def mode_to_other_host(self, authority, query):
        self.answer(b"", 302, Location=f"http://localhost:{self.server.ports['http']}/no-secrets")

    def mode_no_secrets(self, authority, query):
        if self.headers["Authorization"]:
            return self.answer(b"a login that was not meant for this host", 400, "text/plain")
        self.answer(authority.reply(query))

    def mode_bulky(self, authority, query):
        """A token that is longer than others."""
        self.answer(authority.reply(query, "bulky"))

    def mode_closing(self, authority, query):
        """Answers, promises to keep the connection, and closes it."""
        self.answer(authority.reply(query))
        self.wfile.flush()
        self.close_connection = True

    def mode_once(self, authority, query):
        """Answers once for each connection, and drops it when more is asked."""
        if getattr(self, "has_answered", False):
            return self.mode_reset(authority, query)
        self.has_answered = True
        self.answer(authority.reply(query))

    # Out of order.

    def years_off(self, authority, query, count):
        self.answer(authority.resigned(query, "tsa", lambda content: YEAR.sub(
            lambda year: b"%04d" % (int(year[0]) + count), content)))

    def mode_years_ago(self, authority, query):
        self.years_off(authority, query, -10)

    def mode_years_ahead(self, authority, query):
        self.years_off(authority, query, 3)

    def mode_hours_ago(self, authority, query):
        def earlier(time):
            then = datetime.datetime.strptime(time[0].decode(), "%Y%m%d%H%M%S")
            return (then - datetime.timedelta(hours=12)).strftime("%Y%m%d%H%M%S").encode()
        self.answer(authority.resigned(
            query, "tsa", lambda content: TIME.sub(earlier, content)))

    def mode_slow(self, authority, query):
        self.pause(30)

    def mode_drip(self, authority, query):
        reply = authority.reply(query)
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        for byte in reply:
            try:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
            except OSError:
                return
            time.sleep(0.1)

    def mode_reset(self, authority, query):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def mode_cut(self, authority, query):
        reply = authority.reply(query)
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply[:100])
        self.close_connection = True

    def mode_html(self, authority, query):
        page = b"<!DOCTYPE html>\n<html><head><title>Please log in</title></head></html>"
        self.answer(page, kind="text/html; charset=utf-8")

    def mode_500(self, authority, query):
        self.answer(b"Internal error: out of stamps", 500, "text/plain")

    def mode_created(self, authority, query):
        """Another success than 200."""
        self.answer(authority.reply(query), 201)

    def mode_binary_error(self, authority, query):
        self.answer(authority.reply(query), 404, "application/octet-stream")

    def mode_limited(self, authority, query):
        """Each request comes too early at first."""
        if query not in authority.queries:
            authority.queries.add(query)
            return self.answer(b"slow down", 429, "text/plain", Retry_After="1")
        self.answer(authority.reply(query))

    def mode_busy(self, authority, query):
        self.answer(b"", 503, "text/plain", Retry_After="3600")

    def mode_forbidden(self, authority, query):
        self.answer(b"", 403, "text/plain")

    def mode_empty(self, authority, query):
        self.answer(b"")

    def mode_garbage(self, authority, query):
        self.answer(b"\x30\x82\xff\xff" + b"garbage" * 20)

    def mode_endless(self, authority, query):
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"\x30" * 65536)
        except OSError:
            self.close_connection = True

    def mode_endless_header(self, authority, query):
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        try:
            while True:
                self.wfile.write(b"X-Filler: " + b"x" * 1000 + b"\r\n")
        except OSError:
            self.close_connection = True

    def mode_not_http(self, authority, query):
        self.wfile.write(b"220 mail.example ESMTP\r\n")
        self.close_connection = True

    def mode_loop(self, authority, query):
        self.answer(b"", 302, Location="/loop")

    def mode_to_http(self, authority, query):
        self.answer(b"", 307, Location=f"http://127.0.0.1:{self.server.ports['http']}/ok")

    def mode_to_file(self, authority, query):
        self.answer(b"", 302, Location="file:///etc/passwd")

    def pause(self, seconds):
        """Waits, or until the other side hangs up."""
        self.connection.settimeout(seconds)
        try:
            self.connection.recv(1)
        except OSError:
            pass
        self.close_connection = True

    # Lying.

    def mode_nonce(self, authority, query):
        # The request ends with certReq TRUE; the nonce is before it.
        self.answer(authority.reply(replaced(query, len(query) - 4)))

    def mode_imprint(self, authority, query):
        self.answer(authority.reply(replaced(query, IMPRINT.search(query).end() - 1)))

    def mode_wrong_certificate(self, authority, query):
        self.answer(authority.resigned(query, "no-tsa"))

    def mode_bad_signature(self, authority, query):
        reply = authority.reply(query)
        self.answer(replaced(reply, len(reply) - 1))

    def mode_modified(self, authority, query):
        reply = authority.reply(query)
        self.answer(replaced(reply, reply.index(GRANTED) + len(GRANTED) - 1))

    def mode_reject(self, authority, query):
        self.answer(authority.reply(query, "strict"))

    def mode_bare(self, authority, query):
        """The bare token without the status."""
        reply = authority.reply(query)
        self.answer(reply[reply.index(GRANTED) + len(GRANTED):])


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    authority = Authority(folder)
    ports = {}
    for name in ("http", "https", "client"):
        server = Server(("127.0.0.1", 0), Handler)
        server.authority, server.ports = authority, ports
        if name != "http":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(folder / "server.pem", folder / "server.key")
            if name == "client":
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(folder / "tls-ca.pem")
            # The handshake happens in the thread of the connection.
            server.socket = context.wrap_socket(
                server.socket, server_side=True, do_handshake_on_connect=False)
        ports[name] = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
    # Bound, but nobody listens: connections are refused.
    dead = socket.socket()
    dead.bind(("127.0.0.1", 0))
    ports["dead"] = dead.getsockname()[1]
    # Listens, but nobody accepts: connections are made and nothing happens.
    mute = socket.socket()
    mute.bind(("127.0.0.1", 0))
    mute.listen(1)
    ports["mute"] = mute.getsockname()[1]
    print(json.dumps(ports), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
