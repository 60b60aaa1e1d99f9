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
function __signet_helps_with -a word
    set -l tokens (__signet_tokens -pc)
    test "$tokens[2]" = help -a "$tokens[-1]" = "$word"
end
CASES
