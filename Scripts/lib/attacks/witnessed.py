"""Changes that the structure of a document permits and names, and that viewers show.

A value and its appearance changed together, or an appearance says the value as before: Signet names
the change and does not interpret what else the appearance draws. `verify --viewers` shows where a
page looks different.
"""

import dataclasses
import re

from attacks.case import PASSED, Expect

# Variants by the id of their cases.
NAMED = {
    "GLY-1": """
        one-divider""",
    "GLY-2": """
        other-words""",
    "DRIFT-1": """
        aside larger row-at-once rows""",
    "DRIFT-4": """
        annotation two-pages""",
    "DRIFT-6": """
        first-refuse""",
    "LOOK-1": """
        need-appearances need-appearances-indirect""",
    "READ-2": """
        fontless more on-its-ground small tiny""",
    "READ-3": """
        beside comes comes-filled goes higher""",
    "READ-5": """
        large tiny""",
}
LEVEL = re.compile(r"(-p\d)?(-(table|streams))?$")


def relabelled(case):
    """The case, expected to pass where its change is named; viewers are asked once for each variant."""
    variant = LEVEL.sub("", case.variant)
    if variant not in NAMED.get(case.id, "").split():
        return case
    asks = case.variant.endswith("-p0")
    return dataclasses.replace(case, expect=Expect({PASSED: []}), viewers=asks)
