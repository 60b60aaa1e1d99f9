"""usage: Scripts/corpus reports FOLDER [--signet BINARY] [--verbose]

Writes a validation report (ETSI TS 119 102-2) of every signed file below FOLDER twice, for the same time,
and checks it independently. It must conform to Scripts/schema/report, be identical both times, and
have a report for each signature with the main indication that matches the JSON verdict. Object names
must be the hashes of their bytes. The signing certificate must be that of the JSON, and hashes of signed
attributes and content are computed again from the file. Files without anything to verify are skipped.
The exit code is 1 if a report differs.
"""

import base64
import collections
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

import command
from command import ROOT

try:
    from asn1crypto import cms, pem
    from lxml import etree
except ImportError:
    sys.exit("corpus reports: run Scripts/test once, which makes .venv with lxml")

REPORT = "{http://uri.etsi.org/19102/v1.4.1#}"
DSIG = "{http://www.w3.org/2000/09/xmldsig#}"
TIME = "2026-11-01T00:00:00Z"
INDICATIONS = {"passed": "total-passed", "failed": "total-failed", "indeterminate": "indeterminate"}
HASHES = {"sha1": "sha1", "sha224": "sha224", "sha256": "sha256", "sha384": "sha384",
          "sha512": "sha512", "md5": "md5", "sha3-256": "sha3_256", "sha3-384": "sha3_384",
          "sha3-512": "sha3_512", "sha3-224": "sha3_224"}


# How many were made again.
checked = collections.Counter()


def hashed(data, element):
    """Whether an element's hash is that of data."""
    method = element.find(DSIG + "DigestMethod").get("Algorithm").rpartition("#")[2]
    value = base64.b64decode(element.find(DSIG + "DigestValue").text)
    return hashlib.new(HASHES[method], data).digest() == value


def signed_attributes(data, report):
    """The DER of what a signature was made over, as the file holds it; None for nothing found."""
    spans = report.find(f"{REPORT}SignatureAttributes/{REPORT}ByteRange")
    if spans is not None:
        a, b, c, _ = map(int, spans.text.split())
        try:
            message = bytes.fromhex(data[a + b:c].strip(b"<> \r\n").decode())
        except ValueError:
            return None
    else:
        message = pem.unarmor(data)[2] if pem.detect(data) else data
    value = base64.b64decode(report.findtext(f"{REPORT}SignatureIdentifier/{DSIG}SignatureValue"))
    try:
        signers = cms.ContentInfo.load(message)["content"]["signer_infos"]
        for signer in signers:
            if signer["signature"].native == value:
                attributes = signer["signed_attrs"]
                return b"\x31" + attributes.dump()[1:] if len(attributes) else None
    except (ValueError, TypeError, KeyError):
        pass
    return None


def faults(root, answer, data):
    """What is wrong with a report, beside the JSON of the same run and the file."""
    for item in root.iter(REPORT + "ValidationObject"):
        text = item.find(f"{REPORT}ValidationObjectRepresentation/{REPORT}base64")
        if text is not None:
            name = hashlib.sha256(base64.b64decode(text.text)).hexdigest().upper()
            if item.get("id").partition("-")[2] != name:
                yield f"the object {item.get('id')} has another hash"
    reports = root.findall(REPORT + "SignatureValidationReport")
    signatures = [one for one in answer["signatures"] if one["kind"] == "signature"]
    if not signatures:
        if len(reports) != 1 or "noSignatureFound" not in etree.tostring(reports[0]).decode():
            yield "does not say that nobody signed"
        return
    if len(reports) != len(signatures):
        yield f"{len(reports)} reports of {len(signatures)} signatures"
    for report, signature in zip(reports, signatures):
        status = report.find(REPORT + "SignatureValidationStatus")
        main = status.find(REPORT + "MainIndication").text.rpartition(":")[2]
        if main != INDICATIONS[signature["verdict"]]:
            yield f"{signature['field']}: {main}, the JSON says {signature['verdict']}"
        subs = [one.text.rpartition(":")[2] for one in status.findall(REPORT + "SubIndication")]
        if (signature["subindication"] or "") not in subs + ["" if not subs else None]:
            yield f"{signature['field']}: {subs}, the JSON says {signature['subindication']}"
        made = report.find(f"{REPORT}SignatureIdentifier/{REPORT}DigestAlgAndValue")
        if made is not None:
            attributes = signed_attributes(data, report)
            if attributes is not None and not hashed(attributes, made):
                yield f"{signature['field']}: the signed attributes have another hash"
            checked["attributes"] += attributes is not None
        certificate = report.find(f"{REPORT}SignerInformation/{REPORT}SignerCertificate")
        if certificate is not None:
            name = certificate.get("VOReference")
            if name != "C-" + signature["signer"]["sha256"].upper():
                yield f"{signature['field']}: the signer's certificate is another"
            checked["certificates"] += 1
        spans = report.find(f"{REPORT}SignatureAttributes/{REPORT}ByteRange")
        content = report.find(f"{REPORT}SignersDocument/{REPORT}DigestAlgAndValue")
        if spans is not None and content is not None:
            a, b, c, d = map(int, spans.text.split())
            if not hashed(data[a:a + b] + data[c:c + d], content):
                yield f"{signature['field']}: the content has another hash"


def judge(signet, file, work, schema):
    """What is wrong with a file's report; None for nothing to judge."""
    outputs = []
    for name in ("one.xml", "two.xml"):
        run = subprocess.run(
            [signet, "verify", file, "--json", "--at-time", TIME, "--report", work / name, "--force"],
            capture_output=True, text=True, timeout=120)
        if run.returncode >= 64 or not run.stdout:
            return None
        outputs.append((work / name).read_bytes())
    answer = json.loads(run.stdout)
    if not answer["signatures"]:
        return None
    root = etree.fromstring(outputs[0], etree.XMLParser(resolve_entities=False, huge_tree=True))
    found = list(faults(root, answer, file.read_bytes()))
    if outputs[0] != outputs[1]:
        found.append("differs the second time")
    if not schema.validate(root):
        found.append(str(schema.error_log[0]))
    return found


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    schema = etree.XMLSchema(etree.parse(ROOT / "Scripts/schema/report/report.xsd"))
    good, bad, left = 0, 0, 0
    with tempfile.TemporaryDirectory() as work:
        for file in sorted(options.folder.rglob("*")):
            if file.suffix.lower() not in (".pdf", ".p7s", ".p7m", ".tsr") or not file.is_file():
                continue
            found = judge(options.signet, file, pathlib.Path(work), schema)
            if found is None:
                left += 1
            elif found:
                bad += 1
                print(f"{file.relative_to(options.folder)}: {found[0]}")
            else:
                good += 1
                if options.verbose:
                    print(f"{file.relative_to(options.folder)}: good")
    print(f"{good} reports good, {bad} wrong, {left} files left out; made again: "
          f"{checked['attributes']} hashes of attributes, {checked['certificates']} certificates")
    return 1 if bad or not good else 0
