package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
)

// What shells need to complete a command line. Unlike what cobra would write, these
// evaluate nothing: neither what was typed so far, where the name of a file may
// stand, nor what is offered. They call the cambium of the PATH.

// bashCompletion gives the line as it was typed: what its words are is found out
// without the shell, which would run what they substitute.
const bashCompletion = `# bash completion of cambium

_cambium()
{
	local line word about directive= longest=0 room i
	local -a offers=()
	COMPREPLY=()
	while IFS= read -r line; do
		if [[ $line == :* ]]; then
			directive=${line#:}
		else
			offers+=("$line")
		fi
	done < <(command cambium __completeLine "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
	[[ $directive =~ ^[0-9]+$ ]] || return
	(( directive & 1 )) && return
	if [[ $(type -t compopt) == builtin ]]; then
		(( directive & 2 )) && compopt -o nospace
		(( directive & 4 )) && compopt +o default
		(( directive & 16 )) && compopt -o dirnames
		(( directive & 32 )) && compopt -o nosort 2>/dev/null
	fi
	for (( i = 0; i < ${#offers[@]}; i++ )); do
		word=${offers[i]%%$'\t'*}
		COMPREPLY+=("$word")
		(( ${#word} > longest )) && longest=${#word}
	done
	case ${COMP_TYPE-} in
	33 | 63 | 64) ;; # they are listed
	*) return ;;
	esac
	(( ${#offers[@]} < 2 )) && return
	room=$(( ${COLUMNS:-80} - longest - 5 ))
	(( room < 8 )) && return
	for (( i = 0; i < ${#offers[@]}; i++ )); do
		about=${offers[i]#*$'\t'}
		[[ $about == "${offers[i]}" || -z $about ]] && continue
		(( ${#about} > room )) && about=${about:0:room-1}…
		printf -v line '%-*s  (%s)' "$longest" "${COMPREPLY[i]}" "$about"
		COMPREPLY[i]=$line
	done
}

complete -o default -F _cambium cambium
`

// zshCompletion takes the quotes off what was typed, which expands nothing.
const zshCompletion = `#compdef cambium
compdef _cambium cambium

# zsh completion of cambium

_cambium()
{
	local line word directive=
	local -a before lines offers how
	(( CURRENT > 2 )) && before=("${(@Q)words[2,CURRENT-1]}")
	lines=("${(@f)$(command cambium __complete "${before[@]}" "${(Q)PREFIX}" 2>/dev/null)}")
	for line in "${lines[@]}"; do
		if [[ $line == :* ]]; then
			directive=${line#:}
		elif [[ -n $line ]]; then
			word=${line%%$'\t'*}
			offers+=("${word//:/\\:}:${${line#$word}#$'\t'}")
		fi
	done
	[[ $directive == <-> ]] || return 1
	(( directive & 1 )) && return 1
	[[ $PREFIX == -*=* ]] && compset -P '*='
	if (( directive & 16 )); then
		_files -/
		return
	fi
	(( directive & 32 )) && how=(-V)
	if (( $#offers )); then
		if (( directive & 2 )); then
			_describe $how cambium offers -S '' && return 0
		else
			_describe $how cambium offers && return 0
		fi
	fi
	(( directive & 4 )) && return 1
	_files
}

# it is not completed while the script is read
[[ $funcstack[1] == _cambium ]] && _cambium
`

// fishCompletion asks fish for the words without their quotes.
const fishCompletion = `# fish completion of cambium

function __cambium_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    set -l word (string unescape -- $typed)
    test (count $word) -eq 1; or set word "$typed"
    set -l lines (command cambium __complete $before[2..-1] "$word" 2>/dev/null)
    string match -qr '^:[0-9]+$' -- $lines[-1]; or return
    set -l directive (string sub -s 2 -- $lines[-1])
    if test (math $directive % 2) -eq 1
        return
    end
    if test (math "floor($directive / 16) % 2") -eq 1
        __fish_complete_directories "$typed" ''
        return
    end
    set -l before_value (string match -r -- '^-[^=]*=' "$word")
    for line in $lines[1..-2]
        printf '%s%s\n' "$before_value" "$line"
    end
    if test (count $lines) -eq 1; and test (math "floor($directive / 4) % 2") -eq 0
        __fish_complete_path "$typed"
    end
end

complete -c cambium -e
complete -c cambium -k -f -a '(__cambium_complete)'
`

// completionScripts has the command completion print our scripts. That of
// PowerShell is cobra's.
func completionScripts(a *app, completion *cobra.Command) {
	scripts := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}
	for _, shell := range completion.Commands() {
		script, ok := scripts[shell.Name()]
		if !ok {
			continue
		}
		shell.RunE = a.run(func(_ context.Context, cmd *cobra.Command, _ []string) error {
			if bare, err := cmd.Flags().GetBool("no-descriptions"); err == nil && bare {
				script = strings.NewReplacer("__completeLine", "__completeLineNoDesc", "__complete ", "__completeNoDesc ").Replace(script)
			}
			_, err := a.out.WriteString(script)
			return err
		})
	}
}
