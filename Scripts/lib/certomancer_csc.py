"""usage: certomancer_csc.py FOLDER SCAL

Certomancer's service of the Cloud Signature Consortium's API (v1.0.4), a judge from outside beside
csc_server.py: makes keys in FOLDER and the certificate root.crt of who issued theirs, prints the
service's address as one line, and ends when its standard input does. Its credentials are csc/rsa,
csc/p256 and csc/p384.
"""

import asyncio
import pathlib
import subprocess
import sys

import yaml
from aiohttp import web
from certomancer import registry
from csc_dummy.csc_dummy_server import CSCWithCertomancer, DummyServiceParams

KEYS = {
    "root": ["rsa_keygen_bits:2048"],
    "rsa": ["rsa_keygen_bits:2048"],
    "p256": ["ec_paramgen_curve:P-256"],
    "p384": ["ec_paramgen_curve:P-384"],
}
VALIDITY = {"valid-from": "2020-01-01T00:00:00+0000", "valid-to": "2100-01-01T00:00:00+0000"}


def certificate(name):
    usage = ["key_cert_sign", "crl_sign"] if name == "root" else ["digital_signature", "non_repudiation"]
    extensions = [{"id": "key_usage", "critical": True, "smart-value": {
        "schema": "key-usage", "params": usage}}]
    if name == "root":
        extensions.append({"id": "basic_constraints", "critical": True, "value": {"ca": True}})
    return {
        "subject": name, "issuer": "root", "subject-key": name,
        "validity": VALIDITY, "extensions": extensions}


def settings(folder):
    for name, options in KEYS.items():
        algorithm = "RSA" if options[0].startswith("rsa") else "EC"
        subprocess.run(
            ["openssl", "genpkey", "-algorithm", algorithm, "-out", folder / f"{name}.key.pem"]
            + [word for option in options for word in ("-pkeyopt", option)],
            check=True, capture_output=True)
    return {
        "external-url-prefix": "http://127.0.0.1",
        "keysets": {"csc": {"path-prefix": str(folder), "keys": {
            name: {"path": f"{name}.key.pem"} for name in KEYS}}},
        "pki-architectures": {"csc": {
            "keyset": "csc",
            "entities": {name: {"common-name": f"Certomancer {name}"} for name in KEYS},
            "certs": {name: certificate(name) for name in KEYS}}},
    }


async def serve(app):
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    path = folder / "certomancer.yml"
    path.write_text(yaml.safe_dump(settings(folder)))
    found = registry.CertomancerConfig.from_file(str(path))
    root = found.get_pki_arch(registry.ArchLabel("csc")).get_cert(registry.CertLabel("root"))
    (folder / "root.crt").write_bytes(root.dump())
    service = CSCWithCertomancer(
        found, service_params=DummyServiceParams(hash_pinning_required=sys.argv[2] == "2"))
    service.register_routes()
    asyncio.run(serve(service.app))


if __name__ == "__main__":
    main()
