# shellcheck shell=sh
# Shared by the scripts: source it after `cd` to the repository's root.

say() { printf '%s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# show COMMAND [ARG...]: prints the command as one would type it, then runs it.
show() {
    line='$'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_./:=,@%+-]* | '') line="$line \"$word\"" ;;
        *) line="$line $word" ;;
        esac
    done
    printf '\n%s\n' "$line"
    "$@"
}

# need_packages "NAME: why" ...: installs those Debian packages that are missing, after saying
# which and why. Elsewhere it only says what to install: the names differ between systems.
need_packages() {
    missing=
    for entry in "$@"; do
        package=${entry%%:*}
        if command -v dpkg-query >/dev/null 2>&1; then
            status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
            [ "$status" = installed ] && continue
        fi
        missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
        warn "this is no Debian system: install what these Debian packages hold, if it is missing"
        for entry in "$@"; do printf '  %s\n' "$entry" >&2; done
        return 0
    fi
    say "Debian packages to install:"
    for entry in "$@"; do
        case " $missing " in *" ${entry%%:*} "*) say "  $entry" ;; esac
    done
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 ||
            die "installing them needs root, and there is no sudo: run 'apt-get install$missing' as root"
        as_root=sudo
    fi
    # The lists may be old or absent: refresh them only when the first try fails.
    # shellcheck disable=SC2086  # words on purpose
    install_packages() {
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
            -qq $missing >/dev/null
    }
    install_packages 2>/dev/null || {
        $as_root apt-get update -qq
        install_packages
    } || die "apt-get could not install:$missing"
}

# What a build needs besides the Swift toolchain. g++ brings the C library's and libstdc++'s
# headers, which the toolchain expects to find.
need_build_packages() {
    need_packages \
        "g++: C library and libstdc++ headers, which the Swift toolchain builds on" \
        "libssl-dev: OpenSSL, for every signature" \
        "git: fetches Swift packages" \
        "libjpeg-dev: reads photos" \
        "zlib1g-dev: PDF compression"
}

# Puts the Swift toolchain on PATH, or says where to get one. Installs the libraries that it is linked
# with if it does not start.
find_swift() {
    find_swift_folder
    swift_starts && return 0
    need_packages \
        "libcurl4: linked with the Swift toolchain" \
        "libedit2: linked with the Swift toolchain" \
        "libncurses6: linked with the Swift toolchain" \
        "libsqlite3-0: linked with the Swift toolchain" \
        "libxml2: linked with the Swift toolchain"
    swift_starts || die "swift does not start: $(swift build --version 2>&1 | head -n 1)"
}
swift_starts() { swift --version >/dev/null 2>&1 && swift build --version >/dev/null 2>&1; }
find_swift_folder() {
    command -v swift >/dev/null 2>&1 && return 0
    for folder in "${SWIFT_HOME:-/opt/swift}/usr/bin" "$HOME/.local/share/swiftly/bin" \
        "$HOME/.swiftly/bin" /usr/local/swift/usr/bin /usr/share/swift/usr/bin; do
        if [ -x "$folder/swift" ]; then
            PATH=$folder:$PATH
            export PATH
            return 0
        fi
    done
    die "no Swift toolchain on PATH: install Swift 6.2 or later from https://swift.org/install"
}
