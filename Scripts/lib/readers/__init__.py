"""What other programs show of a PDF, asked in worker processes that a hostile file may crash.

Every reader is a module or script here that answers with the same keys, as far as it knows them:

pages: how many there are; text, picture: of the first PAGES pages, a picture being a hash of what
is drawn, annotations included; bare: the same without annotations, printed: as it goes to paper;
fields: values of form fields, without signatures, by name; acts: actions that run on opening.
error: why it shows nothing.
"""

import hashlib

PAGES = 6
# The longer side of a rendered page, in pixels.
PIXELS = 300
# What a reader may take for one file.
SECONDS, MEGABYTES = 20, 3000
# Flags of annotations that are not on the screen: Hidden and NoView.
UNSEEN = 2 | 32


def key(data):
    """A short name for a picture."""
    return hashlib.sha256(data).hexdigest()[:12]
