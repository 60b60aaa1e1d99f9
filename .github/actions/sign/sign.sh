#!/bin/bash
# Signs the files of SIGN_FILES and verifies the results. Variables: see action.yml. SIGN_KEY is a
# PKCS#12 file in base64; it is read from standard input and never written to disk.
set -euo pipefail
# Words and patterns on purpose, not commands.
# shellcheck disable=SC2206
files=($SIGN_FILES) options=(${SIGN_OPTIONS-})
for file in "${files[@]}"; do
    [ -f "$file" ] || {
        echo "sign: no file matches: $file" >&2
        exit 66
    }
done
[ -z "${SIGN_PASSPHRASE-}" ] || options+=(--passphrase-env SIGN_PASSPHRASE)
output=${SIGN_OUTPUT:-signed}
mkdir -p "$output"
key=$SIGN_KEY
unset SIGN_KEY
base64 -d <<<"$key" | signet sign --key - "${options[@]}" -o "$output/" -- "${files[@]}"
unset SIGN_PASSPHRASE
# Detached signatures (.p7s) are verified with the folders of their content.
for file in "${files[@]}"; do
    name=$output/$(basename "$file")
    case $file in
    *.pdf | *.PDF) signet verify "${name%.*}.signed.pdf" --trust "$SIGN_TRUST" ;;
    *) signet verify "$name.p7s" --content "$file" --trust "$SIGN_TRUST" ;;
    esac
done
