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
        clipped-by-nothing
        array-shown bars beyond big bright character-spacing clipped-bottom clipped-by-
        nothing clipped-hole clipped-right clipped-slanting clipped-top clipped-turned-hole
        default-grey dingbats divider-elsewhere dot few-parts frame-new ground-clipped
        ground-hole ground-new ground-part ground-triangle high line-upright lines-up low
        many-parts marked negative-black next-line-spaced one-divider outside-text parted
        restored-too-often ring-wide scaled scaled-little separation small-steps-back
        spacing-back stacked stacked-forward stacked-lines state-in-text steps-forward
        struck symbolic symbols two-operands wide-line widths-cut widths-narrow widths-none
        widths-some widths-unknown widths-wide word-spacing""",
    "GLY-2": """
        bracket euro gap-words glyph-numbers joined-words names-u other-words""",
    "GLY-3": """
        text-frame text-ground""",
    "DRIFT-1": """
        aside column-Td column-Tw larger row-at-once rows""",
    "DRIFT-4": """
        annotation two-pages""",
    "DRIFT-6": """
        first-refuse font-back font-wide""",
    "GUISE-3": """
        clip cs-alone path-color path-q struck struck-low""",
    "READ-2": """
        fontless more on-its-ground small tiny white""",
    "READ-3": """
        beside comes comes-filled goes higher smaller""",
    "READ-5": """
        large tiny""",
    "READ-6": """
        descriptor""",
}
# Those whose signed state and whole file look the same in all viewers.
ALIKE = {("GUISE-3", "cs-alone"), ("READ-6", "descriptor")}
LEVEL = re.compile(r"(-p\d)?(-(table|streams))?$")


def relabelled(case):
    """The case, expected to pass where its change is named; viewers are asked once for each variant."""
    variant = LEVEL.sub("", case.variant)
    if variant not in NAMED.get(case.id, "").split():
        return case
    asks = case.variant.endswith("-p0") and (case.id, variant) not in ALIKE
    return dataclasses.replace(case, expect=Expect({PASSED: []}), viewers=asks)
