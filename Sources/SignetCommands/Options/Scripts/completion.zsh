__signet_custom_complete() {
    local -a completions
    completions=("${(@f)"$("${command_name}" "${@}" "${command_line[@]}")"}")
    completions=("${(@)completions:#}")
    if (( ${completions[(I)//files]} )); then
        completions=("${(@)completions:#//files}")
        _files
    fi
    local -a open=("${(@M)completions:#*(:|=)}")
    completions=("${(@)completions:#*(:|=)}")
    (( ${#open} )) && _describe -V '' open -S ''
    (( ${#completions} )) && __signet_complete "${completions[@]}"
}

__signet_helped() {
    case "${words[CURRENT - 1]}" in
    CASES
    esac
}
