"""usage: evidence_judge.py ANCHORS FILE...

pyHanko's word on signatures by the rules of ETSI EN 319 102-1 for the past: one line a file, the
sub-indications of its signatures. ANCHORS is a PEM file of the trust anchors. Only the present is
asked about over the network."""

import asyncio
import logging
import sys

logging.disable(logging.CRITICAL)

from pyhanko.keys import load_certs_from_pemder  # noqa: E402
from pyhanko.pdf_utils.crypt import AuthStatus  # noqa: E402
from pyhanko.pdf_utils.reader import PdfFileReader  # noqa: E402
from pyhanko.sign.validation.ades import ades_lta_validation  # noqa: E402
from pyhanko.sign.validation.policy_decl import (  # noqa: E402
    PdfSignatureValidationSpec, RevinfoOnlineFetchingRule, RevocationInfoGatheringSpec,
    SignatureValidationSpec)
from pyhanko_certvalidator.context import CertValidationPolicySpec  # noqa: E402
from pyhanko_certvalidator.policy_decl import (  # noqa: E402
    REQUIRE_REVINFO, CertRevTrustPolicy)
from pyhanko_certvalidator.registry import SimpleTrustManager  # noqa: E402


def specification(anchors):
    trust = SimpleTrustManager.build(trust_roots=list(load_certs_from_pemder([anchors])))
    return PdfSignatureValidationSpec(SignatureValidationSpec(
        cert_validation_policy=CertValidationPolicySpec(
            trust_manager=trust, revinfo_policy=CertRevTrustPolicy(REQUIRE_REVINFO)),
        revinfo_gathering_policy=RevocationInfoGatheringSpec(
            online_fetching_rule=RevinfoOnlineFetchingRule.NO_HISTORICAL_FETCH)))


async def judge(path, anchors):
    with open(path, "rb") as file:
        reader = PdfFileReader(file, strict=False)
        if reader.encrypted and reader.decrypt("").status == AuthStatus.FAILED:
            reader.decrypt("secret")
        return [
            # The overall verdict says VALID of much that is not: this is the one to read.
            (await ades_lta_validation(signature, specification(anchors))).ades_subindic.name
            for signature in reader.embedded_regular_signatures]


for path in sys.argv[2:]:
    try:
        print(" ".join(asyncio.run(judge(path, sys.argv[1]))), flush=True)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
