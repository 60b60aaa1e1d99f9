#!/bin/bash
# usage: try_examples.sh
# Runs what Scripts/examples and .github/actions contain, with the program in SIGNET_BIN: each as its own
# setup describes, and with input that it must reject.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
scratch=$(mktemp -d)
# shellcheck disable=SC2317  # by the trap
end() {
    for job in $(jobs -p); do kill "$job" 2>/dev/null || :; done
    rm -rf "$scratch"
}
trap end EXIT
mkdir "$scratch/bin" "$scratch/home"
ln -s "$(realpath "$SIGNET_BIN")" "$scratch/bin/signet"
export PATH=$scratch/bin:$root/Scripts/examples/desktop:$PATH HOME=$scratch/home
unset XDG_DATA_HOME XDG_CONFIG_HOME
cd "$scratch"

passed=0
check() { # NAME EXPECTED-STATUS COMMAND...
    local name=$1 expected=$2 status=0
    shift 2
    "$@" >log 2>&1 </dev/null || status=$?
    if [ "$status" -ne "$expected" ]; then
        echo "$name: status $status, not $expected"
        cat log
        exit 1
    fi
    passed=$((passed + 1))
    echo "$name: as expected ($expected)"
}

examples=$root/Scripts/examples
cp "$root/TestVectors/pdf/handmade/letter.pdf" letter.pdf
echo secret >passphrase
signet key generate -o seal.pem --passphrase-file passphrase >/dev/null
signet cert create --key seal.pem --passphrase-file passphrase --subject CN=Seal -o seal.crt >/dev/null
signet key convert seal.pem --passphrase-file passphrase --cert seal.crt -o seal.p12 \
    --new-passphrase-file passphrase >/dev/null
signet sign letter.pdf --key seal.p12 --passphrase-file passphrase >/dev/null
# One letter of the text is another.
sed 's/BT/bT/' letter.signed.pdf >forged.pdf

# systemd: the command of the service, with its folders here.
mkdir -p nightly/in nightly/out credentials
cp letter.pdf nightly/in/a.pdf
cp seal.p12 credentials/key
cp passphrase credentials/
command=$(sed -n '/^ExecStart=/,/[^\\]$/p' "$examples/nightly/signet-nightly.service" |
    sed "s/^ExecStart=//; s/\\\\$//; s,/usr/bin/signet,signet,; s,/srv/invoices,nightly,g" | tr '\n' ' ')
# shellcheck disable=SC2016  # text
command=${command//'${CREDENTIALS_DIRECTORY}'/credentials}
# shellcheck disable=SC2086  # words
check "nightly: first run" 0 $command
# shellcheck disable=SC2086
check "nightly: nothing new" 0 $command
check "nightly: signed" 0 signet verify nightly/out/a.signed.pdf --trust seal.crt
if command -v systemd-analyze >/dev/null 2>&1; then
    mkdir units
    for unit in "$examples"/*/*.service "$examples"/*/*.timer; do
        sed 's,/usr/bin/signet,/bin/true,; s/^Documentation=.*//' "$unit" >"units/${unit##*/}"
    done
    check "systemd: units" 0 systemd-analyze verify --man=no units/signet-nightly.timer units/*.service
fi

# Paperless-ngx.
consume() { DOCUMENT_SOURCE_PATH=$1 DOCUMENT_WORKING_PATH=$1 SIGNET_TRUST=$2 "$examples/paperless/pre-consume.sh"; }
check "paperless: signed" 0 consume letter.signed.pdf seal.crt
check "paperless: unknown signer" 0 consume letter.signed.pdf ""
check "paperless: unsigned" 0 consume letter.pdf seal.crt
check "paperless: text file" 0 consume passphrase seal.crt
check "paperless: modified after signing" 4 consume forged.pdf seal.crt

# git.
commit() { git -C work -c user.name=a -c user.email=a@example.invalid commit -qam "$1"; }
git init -q --bare remote.git
git init -q work
git -C work config signet.trust "$PWD/seal.crt"
cp "$examples/git/pre-push" work/.git/hooks/pre-push
mkdir work/release
cp letter.signed.pdf "work/release/my letter.pdf"
git -C work add .
commit signed
check "git: signed" 0 git -C work push -q ../remote.git HEAD:main
cp letter.pdf work/release/other.pdf
git -C work add .
commit unsigned
check "git: unsigned" 1 git -C work push -q ../remote.git HEAD:main
git -C work rm -q --cached release/other.pdf
commit removed
check "git: removed, though in the work tree" 0 git -C work push -q ../remote.git HEAD:main

# File managers, with a zenity that prints.
cat >bin/zenity <<'EOF'
#!/bin/sh
case $1 in --password) echo secret ;; *) while [ $# -gt 1 ]; do shift; done; cat "$1" ;; esac
EOF
chmod +x bin/zenity
signet identity import work --key seal.p12 --passphrase-file passphrase >/dev/null
cp letter.pdf "my offer.pdf"
check "desktop: sign" 0 "$examples/desktop/Sign with Signet" "my offer.pdf"
check "desktop: signed" 0 signet verify "my offer.signed.pdf" --trust seal.crt
check "desktop: verify" 0 "$examples/desktop/Verify with Signet" forged.pdf
check "desktop: result" 0 grep -q FAILED <("$examples/desktop/Verify with Signet" forged.pdf)
check "desktop: Thunar" 0 python3 -c "import xml.dom.minidom as x; x.parse('$examples/desktop/uca.xml')"

# TSA behind nginx.
signet key generate -o tsa.pem --no-passphrase >/dev/null
signet cert create --profile tsa --key tsa.pem --subject CN=TSA -o tsa.crt >/dev/null
if command -v nginx >/dev/null 2>&1; then
    signet tsp serve --key tsa.pem --cert tsa.crt --listen :0 --serial-file serial >tsa.log &
    for _ in {1..50}; do ! grep -q http tsa.log || break; sleep 0.1; done
    port=$(sed -n 's,^.*127.0.0.1:\([0-9]*\).*$,\1,p' tsa.log)
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout tls.key -out tls.pem \
        -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
    front=$((port > 40000 ? port - 1000 : port + 1000))
    sed "s/listen 443/listen 127.0.0.1:$front/; s/127.0.0.1:3161/127.0.0.1:$port/
        s,/etc/ssl/tsa.example.pem,$PWD/tls.pem,; s,/etc/ssl/private/tsa.example.key,$PWD/tls.key," \
        "$examples/tsa/nginx.conf" >tsa.conf
    echo "pid $PWD/nginx.pid; error_log stderr; events {} http { access_log off; client_body_temp_path $PWD/body;
        proxy_temp_path $PWD/proxy; fastcgi_temp_path $PWD/f; uwsgi_temp_path $PWD/u; scgi_temp_path $PWD/s;
        include $PWD/tsa.conf; }" >nginx.conf
    nginx -c "$PWD/nginx.conf" -g "daemon off;" 2>nginx.log &
    for _ in {1..50}; do [ ! -s nginx.pid ] || break; sleep 0.1; done
    check "tsa: through nginx" 0 signet timestamp passphrase --tsa "https://localhost:$front" \
        --tsa-trust tls.pem --tsa-anchor tsa.crt -o passphrase.tsr
    check "tsa: timestamp" 0 openssl ts -verify -in passphrase.tsr -data passphrase -CAfile tsa.crt
fi

# GitHub action and GitLab job: the same script, with the variables that they set.
mkdir release
cp letter.pdf release/
echo notes >release/notes.txt
export SIGN_FILES="release/*.pdf release/notes.txt" SIGN_TRUST=seal.crt SIGN_PASSPHRASE=secret
SIGN_KEY=$(base64 -w0 seal.p12)
export SIGN_KEY
check "action: sign and verify" 0 "$root/.github/actions/sign/sign.sh"
check "action: output" 0 test -s signed/letter.signed.pdf -a -s signed/notes.txt.p7s
SIGN_OUTPUT=again SIGN_PASSPHRASE=wrong check "action: wrong passphrase" 77 "$root/.github/actions/sign/sign.sh"
SIGN_FILES="missing/*.pdf" check "action: no files" 66 "$root/.github/actions/sign/sign.sh"
# shellcheck disable=SC2016  # text
SIGN_FILES=letter.pdf SIGN_OUTPUT=third SIGN_OPTIONS='--reason $(touch${IFS}hacked)' \
    check "action: options are words" 0 "$root/.github/actions/sign/sign.sh"
check "action: nothing was run" 1 test -e hacked

echo "examples: $passed passed, 0 failed"
