# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion of reclaimlab: commands and options are asked of the program's own help, so that
# they are never out of date; what follows an option that names a choice is listed here.

_reclaimlab_commands()
{
	"$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  *.*/\1/p'
}

_reclaimlab_options()
{
	"$1" "$2" --help 2>/dev/null |
		sed -n -E -e '/^  (-[a-zA-Z],|   ) --/s/^(.{1,30}).*/\1/p' -e '/^  also, /,$p' |
		grep -oE -- '(^|[ ,])--[a-z][a-z0-9-]*' | tr -d ' ,'
	echo --help
}

# The value of an option: 0 when it is known what may stand there.
_reclaimlab_value()
{
	case $1 in
	-p | --preset)
		[ "$3" = replay ] && return 1
		COMPREPLY=($(compgen -W "reclaim pages access all none" -- "$2"))
		;;
	--format) COMPREPLY=($(compgen -W "v6 v7" -- "$2")) ;;
	--clock) COMPREPLY=($(compgen -W "mono local global boot x86-tsc" -- "$2")) ;;
	--device) COMPREPLY=($(compgen -W "ssd hdd" -- "$2")) ;;
	-o | --output | --journal | --export | --html) COMPREPLY=($(compgen -f -- "$2")) ;;
	-c | --cgroup)
		[ "$3" = capture ] || return 1
		COMPREPLY=($(compgen -d -- "$2"))
		;;
	*) return 1 ;;
	esac
}

_reclaimlab()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local tool=${COMP_WORDS[0]} command=${COMP_WORDS[1]}

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$(_reclaimlab_commands "$tool") --help --version" -- "$word"))
		return
	fi
	_reclaimlab_value "$before" "$word" "$command" && return
	case $word in
	-*) COMPREPLY=($(compgen -W "$(_reclaimlab_options "$tool" "$command")" -- "$word")) ;;
	*) COMPREPLY=($(compgen -f -- "$word")) ;;
	esac
}

complete -o filenames -F _reclaimlab reclaimlab
