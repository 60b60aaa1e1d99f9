#!/bin/sh
# Hook of Paperless-ngx: PAPERLESS_PRE_CONSUME_SCRIPT=/usr/src/paperless/scripts/pre-consume.sh
# Rejects documents with an invalid signature (exit code 4), and writes the result of the others to
# the log. SIGNET_TRUST: PEM file with your trust anchors (default: system trust store).
set -u
case $DOCUMENT_WORKING_PATH in
*.pdf | *.PDF) ;;
*) exit 0 ;;
esac
signet verify "$DOCUMENT_WORKING_PATH" ${SIGNET_TRUST:+--trust "$SIGNET_TRUST"}
status=$?
case $status in
# PASSED, INDETERMINATE (signer not confirmed) and unsigned documents are accepted.
0 | 3 | 5) exit 0 ;;
*)
    echo "signet: rejected with exit code $status: $DOCUMENT_SOURCE_PATH" >&2
    exit "$status"
    ;;
esac
