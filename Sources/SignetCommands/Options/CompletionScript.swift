import ArgumentParser

/// The scripts that the argument parser writes, with what they do not get right on their own.
enum CompletionScript {
    static func text(for shell: CompletionShell) -> String {
        let script = Signet.completionScript(for: shell)
        switch shell {
        case .bash:
            // Whatever completes is asked through the words as they were typed.
            let helped =
                bashHelp.replacing("CASES", with: topics { "\($0)) names='\($1)' ;;" })
            return script.replacing(
                "complete -o filenames -F _signet signet",
                with: helped + "\n\n" + bash
                    + "\ncomplete -o filenames -F __signet_whole_words signet")
        case .zsh:
            let helped = zshHelp.replacing("CASES", with: topics { "\($0)) compadd -- \($1) ;;" })
            return script.replacing(
                "\n_signet() {", with: "\n\(zsh)\n\n\(helped)\n\n_signet() {"
            ).replacing("'*:subcommands:'", with: "'*:subcommand:__signet_helped'")
        case .fish:
            let helped = topics { word, names in
                "complete -c signet -n '__signet_helps_with \(word)' -fa '\(names)'"
            }
            return script + "\n" + fish + "\n" + fishHelp + "\n" + helped
        default: return script
        }
    }

    /// What can be explained, by the word before: commands, what they have below them, and topics.
    private static func topics(_ line: (_ word: String, _ names: String) -> String) -> String {
        func names(_ command: any ParsableCommand.Type) -> [String] {
            command.configuration.subcommands.compactMap { $0.configuration.commandName }
        }
        let groups = Signet.configuration.subcommands.filter { !names($0).isEmpty }.map {
            ($0.configuration.commandName ?? "", names($0))
        }
        return
            ([("help", names(Signet.self) + Misspelling.topics)] + groups
            + [("problems", ProblemsCommand.names)])
            .map { line($0, $1.joined(separator: " ")) }.joined(separator: "\n")
    }

    private static let bashHelp = #"""
        _signet_help() {
            local names='' name
            case "${COMP_WORDS[COMP_CWORD - 1]}" in
            CASES
            esac
            for name in ${names}; do
                [[ "${name}" = "${cur}"* ]] && COMPREPLY+=("${name}")
            done
        }
        """#

    private static let zshHelp = #"""
        __signet_helped() {
            case "${words[CURRENT - 1]}" in
            CASES
            esac
        }
        """#

    private static let fishHelp = #"""
        function __signet_helps_with -a word
            set -l tokens (__signet_tokens -pc)
            test "$tokens[2]" = help -a "$tokens[-1]" = "$word"
        end
        """#

    /// bash ends words at `:` and `=`, so that `ec:P-256` would be three, and the one that is completed
    /// not the option's value. What is offered is no shell code and, but for files, no name of a file.
    private static let bash = #"""
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
        """#

    private static let zsh = #"""
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
        """#

    private static let fish = #"""
        function __signet_custom_completion
            set -x SAP_SHELL fish
            set -x SAP_SHELL_VERSION $FISH_VERSION
            set -l tokens (__signet_tokens -p)
            if test -z "$(__signet_tokens -t)"
                set -l index (count (__signet_tokens -pc))
                set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
            end
            for completion in (command $tokens[1] $argv $tokens)
                if test "$completion" = //files
                    __fish_complete_path (commandline -ct)
                else
                    echo $completion
                end
            end
        end
        """#
}
