# SPDX-License-Identifier: GPL-2.0-or-later
# Every command has a man page whose options are those of its help, and a help of 24 lines and 80
# columns with an example; the pages are without fault for man, and mandoc where it is installed.
. "$(dirname "$0")/lib.sh"
man=$SOURCE/docs/man

# The long options that a man page heads a paragraph with.
options_of_page() {
	sed 's/\\-/-/g' "$1" | grep '^\.B' | options
}

expect 0 "$TOOL" --help
cp "$work/out" "$work/commands"
for command in $(sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$SOURCE/cli/commands.def"); do
	grep -q "^  $command " "$work/commands" || fail "the help does not list $command"
	page=$man/reclaimlab-$command.1
	[ -f "$page" ] || { fail "no man page of $command" && continue; }
	grep -q "reclaimlab-$command (1)" "$man/reclaimlab.1" ||
		fail "reclaimlab.1 does not name $command"
	expect 0 "$TOOL" "$command" --help
	[ "$(lines out)" -le 24 ] || fail "the help of $command has $(lines out) lines"
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' "$work/out" ||
		fail "the help of $command is wider than 80 columns"
	says out "^Example: reclaimlab $command "
	options_of_help <"$work/out" >"$work/help"
	options_of_page "$page" >"$work/page"
	diff "$work/help" "$work/page" >"$work/diff" ||
		fail "options of $command, help against page: $(cat "$work/diff")"
	grep -q '^\.SH EXAMPLES' "$page" || fail "$page: no example"
done
for policy in $(sed -n 's/^\t\.name = "\(.*\)",$/\1/p' "$SOURCE"/replay/policy/*.c); do
	sed 's/\\-/-/g' "$man/reclaimlab-replay.1" | grep -Eq "(^|[ ,])$policy(,|\$)" ||
		fail "reclaimlab-replay.1 does not name the policy $policy"
done
for page in "$man"/*.1 "$man"/*.5; do
	if command -v man >/dev/null; then
		LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" 2>"$work/err" >/dev/null
		[ ! -s "$work/err" ] || fail "$page: $(cat "$work/err")"
	fi
	if command -v mandoc >/dev/null; then
		mandoc -Tlint -W warning "$page" >"$work/lint" ||
			fail "$page: $(cat "$work/lint")"
	fi
	# A page names only pages that there are.
	for name in $(sed -n 's/^\.BR \(reclaimlab-[a-z]*\) (\([15]\)).*/\1.\2/p' "$page"); do
		[ -f "$man/$name" ] || fail "$page: no page $name"
	done
done
finish
