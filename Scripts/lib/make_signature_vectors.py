#!/usr/bin/env python3
"""usage: make_signature_vectors.py FOLDER

Makes raw signatures with two independent programs, OpenSSL and the Java runtime's own providers,
over the same messages with the same keys, and writes FOLDER/vectors.json. Each signature of either
program is there whole, and once more damaged.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEYS = {
    "rsa": ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"],
    "p256": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
    "p521": ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"],
    "ed25519": ["-algorithm", "ED25519"],
    "dsa": None,
}
JAVA_TYPES = {"rsa": "RSA", "p256": "EC", "p521": "EC", "ed25519": "Ed25519", "dsa": "DSA"}
CASES = [
    ("rsa", "rsa-pkcs1", "sha256"), ("rsa", "rsa-pkcs1", "sha512"),
    ("rsa", "rsa-pkcs1", "sha3-256"), ("rsa", "rsa-pss", "sha256"), ("rsa", "rsa-pss", "sha384"),
    ("p256", "ecdsa", "sha256"), ("p256", "ecdsa", "sha3-256"), ("p521", "ecdsa", "sha512"),
    ("ed25519", "ed25519", "sha512"), ("dsa", "dsa", "sha256"),
]
MESSAGES = [b"", "Smlouva o dílo č. 7\n".encode(), bytes(range(256)) * 4]


def run(*arguments):
    return subprocess.run([str(a) for a in arguments], check=True, capture_output=True).stdout


def openssl_sign(scheme, digest, key, message, folder):
    if scheme == "ed25519":
        output = folder / "signature"
        run("openssl", "pkeyutl", "-sign", "-inkey", key, "-keyform", "DER", "-rawin", "-in", message,
            "-out", output)
        return output.read_bytes()
    options = []
    if scheme == "rsa-pss":
        options = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"]
    return run("openssl", "dgst", f"-{digest}", "-sign", key, "-keyform", "DER", *options, message)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    vectors = {"keys": {}, "messages": [m.hex() for m in MESSAGES], "signatures": []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for index, message in enumerate(MESSAGES):
            (folder / f"m{index}").write_bytes(message)
        for kind, options in KEYS.items():
            pem, der = folder / f"{kind}.pem", folder / f"{kind}.der"
            if options is None:
                run("openssl", "genpkey", "-genparam", "-algorithm", "DSA", "-pkeyopt",
                    "dsa_paramgen_bits:2048", "-pkeyopt", "dsa_paramgen_q_bits:256", "-out",
                    folder / "dsa.params")
                options = ["-paramfile", folder / "dsa.params"]
            run("openssl", "genpkey", *options, "-out", pem)
            run("openssl", "pkcs8", "-topk8", "-nocrypt", "-in", pem, "-outform", "DER", "-out", der)
            vectors["keys"][kind] = run(
                "openssl", "pkey", "-in", pem, "-pubout", "-outform", "DER").hex()
        jobs = [(key, scheme, digest, index) for key, scheme, digest in CASES
                for index in range(len(MESSAGES))
                # pkeyutl takes no empty file.
                if scheme != "ed25519" or MESSAGES[index]]
        java = run("java", HERE / "SignatureVectors.java", *(
            f"{JAVA_TYPES[key]}:{scheme}:{digest}:{folder / key}.der:{folder / 'm'}{index}"
            for key, scheme, digest, index in jobs)).decode().split()
        for (key, scheme, digest, index), by_java in zip(jobs, java, strict=True):
            by_openssl = openssl_sign(
                scheme, digest, folder / f"{key}.der", folder / f"m{index}", folder).hex()
            if scheme in ("rsa-pkcs1", "ed25519") and by_openssl != by_java:
                sys.exit(f"{scheme} {digest}: the two programs disagree")
            for tool, signature in (("openssl", by_openssl), ("java", by_java)):
                damaged = bytearray.fromhex(signature)
                damaged[-1] ^= 1
                for value, result in ((signature, "valid"), (damaged.hex(), "invalid")):
                    vectors["signatures"].append({
                        "tool": tool, "key": key, "scheme": scheme, "digest": digest,
                        "message": index, "signature": value, "result": result})
    output = pathlib.Path(sys.argv[1]) / "vectors.json"
    output.write_text(json.dumps(vectors, indent=0) + "\n")
    print(f"{output}: {len(vectors['signatures'])} signatures")


if __name__ == "__main__":
    main()
