"""usage: Scripts/endure soak [--minutes N] [--rate N] [--signet BINARY]

Sends RATE valid requests per second to `signet tsp serve` on this machine, and also requests of clients
that are slow, send malformed requests, or disconnect in the middle. Every valid request must be
answered within seconds, for the requested data, and with a unique serial number; one in a hundred is
verified. Memory, threads and open files of the server must not grow. The exit code is 1 otherwise.
"""

import collections
import hashlib
import os
import pathlib
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import command

try:
    from asn1crypto import tsp
except ImportError:
    sys.exit("endure soak: run Scripts/test once, which makes .venv with asn1crypto")

LONGEST_SECONDS = 5
# What the server may grow after it has warmed up.
GROWTH_KB = 8 * 1024


class Soak:
    def __init__(self, signet, folder, rate):
        self.signet, self.folder, self.rate = signet, folder, rate
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.wrong = []
        self.serials = set()
        self.longest = 0.0
        self.end = 0.0
        for name in ("ca", "tsa"):
            self.run("key", "generate", "--type", "ec:P-256", "--no-passphrase", "-o", f"{name}.pem")
        self.run("cert", "create", "--key", "ca.pem", "--ca", "--subject", "CN=CA", "-o", "ca.crt")
        self.run("cert", "create", "--key", "tsa.pem", "--profile", "tsa", "--subject", "CN=TSA",
                 "--issuer-cert", "ca.crt", "--issuer-key", "ca.pem", "-o", "tsa.crt")
        self.server = subprocess.Popen(
            [signet, "tsp", "serve", "--key", "tsa.pem", "--cert", "tsa.crt", "--listen", ":0",
             "--serial-file", "serial"], cwd=folder, stdout=subprocess.PIPE, text=True)
        self.port = int(self.server.stdout.readline().split(":")[-1].strip("/\n"))

    def run(self, *arguments, check=True):
        return subprocess.run(
            [self.signet, *arguments], cwd=self.folder, check=check, capture_output=True, text=True)

    def fail(self, text):
        with self.lock:
            self.wrong.append(text)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    @staticmethod
    def head(length, kind="application/timestamp-query", more=""):
        return (f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
                f"Content-Length: {length}\r\n{more}\r\n").encode()

    @staticmethod
    def receive(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            part = connection.recv(65536)
            if not part:
                return None, b""
            data += part
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n")
                      if line.lower().startswith(b"content-length"))
        while len(body) < length:
            part = connection.recv(65536)
            if not part:
                return None, b""
            body += part
        return int(head.split()[1]), body

    # Clients

    def honest(self, number, chance):
        content = chance.randbytes(64)
        digest = hashlib.sha256(content).digest()
        nonce = chance.getrandbits(63)
        request = tsp.TimeStampReq({
            "version": 1, "nonce": nonce, "cert_req": True,
            "message_imprint": {
                "hash_algorithm": {"algorithm": "sha256"}, "hashed_message": digest}}).dump()
        began = time.monotonic()
        try:
            with self.connect() as connection:
                connection.sendall(self.head(len(request)) + request)
                status, body = self.receive(connection)
        except OSError as error:
            return self.fail(f"request {number}: {error}")
        spent = time.monotonic() - began
        with self.lock:
            self.longest = max(self.longest, spent)
            self.counts["honest"] += 1
        if spent > LONGEST_SECONDS:
            self.fail(f"request {number} took {spent:.1f} s")
        if status != 200:
            return self.fail(f"request {number}: HTTP {status}")
        self.check(number, content, digest, nonce, body)

    def check(self, number, content, digest, nonce, body):
        answer = tsp.TimeStampResp.load(body)
        if answer["status"]["status"].native != "granted":
            return self.fail(f"request {number}: {answer['status'].native}")
        info = answer["time_stamp_token"]["content"]["encap_content_info"]["content"].parsed
        serial = info["serial_number"].native
        with self.lock:
            repeated = serial in self.serials
            self.serials.add(serial)
        if repeated:
            self.fail(f"the serial number {serial} came twice")
        if info["message_imprint"]["hashed_message"].native != digest or (
                info["nonce"].native != nonce):
            self.fail(f"request {number}: an answer to another one")
        if number % 100 == 0:
            (self.folder / f"{number}.tsr").write_bytes(body)
            (self.folder / f"{number}").write_bytes(content)
            done = self.run("tsp", "verify", f"{number}.tsr", "--content", f"{number}", "--trust",
                            "ca.crt", check=False)
            if done.returncode:
                self.fail(f"request {number}: {done.stdout}{done.stderr}")
            self.counts["verified"] += 1
            for name in (f"{number}.tsr", f"{number}"):
                (self.folder / name).unlink()

    def slow(self, chance):
        """Sends a byte at a time, or nothing more."""
        with self.connect() as connection:
            connection.sendall(b"POST / HTTP/1.1\r\nHost")
            if chance.random() < 0.5:
                for byte in b": x\r\nContent-Type: a":
                    connection.sendall(bytes([byte]))
                    time.sleep(0.3)
            connection.settimeout(15)
            connection.recv(100)

    def lying(self, chance):
        """Says one thing and sends another."""
        forms = (
            self.head(10) + b"x" * 500, self.head(10 ** 9), self.head(50) + b"x" * 50,
            self.head(50, kind="text/plain") + b"x" * 50, b"\x16\x03\x01" + chance.randbytes(300),
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n",
            b"GET /" + b"a" * 30000 + b" HTTP/1.1\r\n\r\n", self.head(-5), chance.randbytes(2000))
        with self.connect() as connection:
            connection.sendall(chance.choice(forms))
            connection.settimeout(12)
            connection.recv(1000)

    def dying(self, chance):
        """Resets the connection in the middle."""
        connection = self.connect()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        whole = self.head(60) + b"x" * 60
        connection.sendall(whole[:chance.randrange(1, len(whole))])
        time.sleep(chance.random() * 0.05)
        connection.close()

    def misbehave(self, name, seed):
        chance = random.Random(seed)
        while time.monotonic() < self.end:
            try:
                getattr(self, name)(chance)
            except OSError:
                pass
            with self.lock:
                self.counts[name] += 1
            time.sleep(chance.random())

    def ask(self, worker, workers):
        chance = random.Random(1000 + worker)
        number, due = worker, time.monotonic()
        while time.monotonic() < self.end and len(self.wrong) < 20:
            self.honest(number, chance)
            number += workers
            due += workers / self.rate
            time.sleep(max(0, due - time.monotonic()))

    def state(self):
        process = pathlib.Path(f"/proc/{self.server.pid}")
        fields = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        return (int(fields["VmRSS"].split()[0]), int(fields["Threads"]),
                len(os.listdir(process / "fd")))

    def watch(self, seconds):
        begun = time.monotonic()
        self.end = begun + seconds
        workers = 4
        threads = [threading.Thread(target=self.ask, args=(n, workers)) for n in range(workers)]
        for index, name in enumerate(("slow",) * 60 + ("lying",) * 6 + ("dying",) * 6):
            threads.append(threading.Thread(target=self.misbehave, args=(name, index)))
        for thread in threads:
            thread.start()
        warm, most = None, 0
        while time.monotonic() < self.end and self.server.poll() is None:
            time.sleep(min(2, max(0.1, self.end - time.monotonic())))
            memory = self.state()[0]
            if warm is None and time.monotonic() > begun + seconds / 5:
                warm = memory
            most = max(most, memory)
        for thread in threads:
            thread.join()
        time.sleep(1)
        if self.server.poll() is not None:
            return self.fail(f"the server ended with {self.server.returncode}")
        memory, count, files = self.state()
        print(f"memory {warm} KB after a fifth of the time, {most} at most, {memory} at the end; "
              f"{count} threads, {files} open files at the end")
        if most > (warm or most) + GROWTH_KB:
            self.fail(f"memory grew from {warm} to {most} KB")
        if count > 20 or files > 40:
            self.fail(f"{count} threads and {files} open files are left")
        self.server.terminate()
        if self.server.wait(20) != 0:
            self.fail(f"stopping ends with {self.server.returncode}")


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("--minutes", type=float, default=30, metavar="N")
    parser.add_argument("--rate", type=float, default=20, metavar="N")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="signet-soak-") as name:
        soak = Soak(str(options.signet), pathlib.Path(name), options.rate)
        try:
            soak.watch(options.minutes * 60)
        finally:
            soak.server.kill()
        for line in soak.wrong:
            print(f"wrong: {line}")
        counts = ", ".join(f"{count} {name}" for name, count in sorted(soak.counts.items()))
        print(f"{counts}; slowest answer {soak.longest:.2f} s; {len(soak.wrong)} wrong")
        return 1 if soak.wrong else 0
