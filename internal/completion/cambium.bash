# bash completion of cambium

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
