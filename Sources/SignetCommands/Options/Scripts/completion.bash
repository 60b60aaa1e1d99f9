_signet_help() {
    local names='' name
    case "${COMP_WORDS[COMP_CWORD - 1]}" in
    CASES
    esac
    for name in ${names}; do
        [[ "${name}" = "${cur}"* ]] && COMPREPLY+=("${name}")
    done
}

__signet_add_completions() {
    local completion
    if [[ "${1}" != -W ]]; then
        while IFS='' read -r completion; do
            COMPREPLY+=("${completion}")
        done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
        return
    fi
    compopt +o filenames
    while IFS='' read -r completion; do
        if [[ "${completion}" = //files ]]; then
            compopt -o filenames
            __signet_add_completions -f
        elif [[ "${completion}" = "${cur}"* ]]; then
            COMPREPLY+=("$(printf %q "${completion}")")
        fi
    done <<<"${2}"
}

__signet_whole_words() {
    local rest="${COMP_LINE}" word before=''
    local -a whole=()
    local -i index current=0
    for index in "${!COMP_WORDS[@]}"; do
        word="${COMP_WORDS[index]}"
        if [[ "${index}" -eq 0 || "${rest}" = [[:space:]]* ]]; then
            whole+=('')
            # An empty word stands between two blanks.
            [[ -z "${word}" ]] && rest="${rest#?}"
            [[ -n "${word}" ]] && rest="${rest#"${rest%%[![:space:]]*}"}"
        elif [[ "${word}" = '=' && "${whole[${#whole[@]} - 1]}" = --+([!=]) ]]; then
            # --option=value
            whole+=('')
            rest="${rest#=}"
            word=''
        fi
        if [[ "${index}" -eq "${COMP_CWORD}" ]]; then
            current="$((${#whole[@]} - 1))"
            before="${whole[current]}"
            [[ -z "${2}" ]] && before+="${word}"
        fi
        whole[${#whole[@]} - 1]+="${word}"
        rest="${rest#"${word}"}"
    done
    [[ "${current}" -gt 0 ]] || current=1
    local -a COMP_WORDS=("${whole[@]}")
    local -i COMP_CWORD="${current}"
    _signet "${1}" "${before}${2}" "${whole[current - 1]}"
    before="$(printf %q "${before}")"
    [[ "${before}" = "''" ]] || COMPREPLY=("${COMPREPLY[@]#"${before}"}")
    [[ "${#COMPREPLY[@]}" -eq 1 && "${COMPREPLY[0]}" = *[:=] ]] && compopt -o nospace
    return 0
}
complete -o filenames -F __signet_whole_words signet
