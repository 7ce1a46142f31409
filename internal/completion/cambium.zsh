#compdef cambium
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
