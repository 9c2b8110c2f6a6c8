# SPDX-License-Identifier: GPL-2.0-or-later
# bash completes every command, and of every command each option that its help names.
. "$(dirname "$0")/lib.sh"
command -v bash >/dev/null || exit 77

# complete WORD...: what bash offers for the last word.
complete() {
	bash -c '. "$0/docs/reclaimlab.bash"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_reclaimlab
		printf "%s\n" "${COMPREPLY[@]}"' "$SOURCE" "$TOOL" "$@" | sort >"$work/offered"
}

# offers WORD...: exactly these.
offers() {
	printf '%s\n' "$@" | sort >"$work/wanted"
	diff "$work/wanted" "$work/offered" >"$work/diff" || fail "wanted < > offered: $(cat "$work/diff")"
}

commands=$(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$SOURCE/cli/commands.def")
complete ""
# shellcheck disable=SC2086 # a list
offers $commands --help --version
for command in $commands; do
	expect 0 "$TOOL" "$command" --help
	names=$(options_of_help <"$work/out")
	[ -n "$names" ] || fail "no option of $command"
	complete "$command" --
	# shellcheck disable=SC2086 # a list
	offers $names --help
done
complete capture --preset p
offers pages
complete replay --device h
offers hdd
cd "$SOURCE" || exit 1
complete analyze samples/dirty.d
offers samples/dirty.dat
finish
