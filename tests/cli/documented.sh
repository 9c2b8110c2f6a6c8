# SPDX-License-Identifier: GPL-2.0-or-later
# Every command helps on one screen, with an example; every option that it names is in its man page,
# and the other way round.
. "$(dirname "$0")/lib.sh"

options() {
	grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u
}

expect 0 "$TOOL" --help
commands=$(sed -n 's/^  \([a-z]*\) .*/\1/p' "$work/out")
[ -n "$commands" ] || fail "no commands"
for command in $commands; do
	expect 0 "$TOOL" "$command" --help
	[ "$(lines out)" -le 40 ] || fail "the help of $command does not fit a screen"
	page=$SOURCE/docs/man/reclaimlab-$command.1
	[ -f "$page" ] || continue
	options <"$work/out" | grep -v '^--help$' >"$work/help"
	sed 's/\\-/-/g' "$page" | grep '^\.B' | options | grep -v '^--help$' >"$work/man"
	diff "$work/help" "$work/man" >"$work/diff" ||
		fail "options of $command, help against man page: $(cat "$work/diff")"
done
for command in import analyze compare sql; do
	[ -f "$SOURCE/docs/man/reclaimlab-$command.1" ] || fail "no man page of $command"
done
finish
