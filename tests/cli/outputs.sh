# SPDX-License-Identifier: GPL-2.0-or-later
# Files are there whole or not at all, whoever else writes them, and through no link that may be a trap.
. "$(dirname "$0")/lib.sh"
before=$SOURCE/samples/hugepages/vmstat.before
after=$SOURCE/samples/hugepages/vmstat.after
cd "$work" || exit 1

# Several imports into one file at a time: one of them is the last, and the file is whole.
for _ in 1 2 3 4; do
	"$TOOL" import "$before" "$after" -o one.db 2>/dev/null &
done
wait
is "$(sqlite3 one.db "PRAGMA integrity_check")" ok "integrity"
is "$(sqlite3 one.db "SELECT count(*) FROM run")" 1 "runs"
is "$(find . -name 'one.db?*' | wc -l)" 0 "temporary files"

# Several that append to a file that is not there yet: whoever says that it did is in it.
for n in 1 2 3 4; do
	("$TOOL" import -a "$before" "$after" -o many.db 2>/dev/null && : >"did.$n") &
done
wait
is "$(sqlite3 many.db "SELECT count(*) FROM run")" "$(find . -name 'did.*' | wc -l)" "appended runs"
is "$(find . -name 'many.db?*' | wc -l)" 0 "temporary files of many"

: >empty.db
expect 0 "$TOOL" import -a "$before" "$after" -o empty.db
is "$(sqlite3 empty.db "SELECT count(*) FROM run")" 1 "runs in what was empty"

# A page that cannot be written leaves the old one.
expect 0 "$TOOL" analyze --html page.html one.db
cp page.html old.html
expect 1 "$TOOL" export -t no_such_table -o page.html one.db
cmp -s page.html old.html || fail "what was there is gone"
is "$(find . -name 'page.html?*' | wc -l)" 0 "temporary files"
expect 0 "$TOOL" export -t run -o /dev/null one.db
[ -c /dev/null ] || fail "a device was replaced"

# What cannot be streamed says so, and makes no file of that name.
expect 1 "$TOOL" import "$before" "$after" -o -
says err 'a file is needed'
expect 0 "$TOOL" export -t run -o - one.db
[ ! -e - ] || fail "a file named -"
expect 0 "$TOOL" import "$before" "$after" -o ./-
[ -s - ] || fail "no file named - though it was named so"

mkdir -m 1777 open
ln -s ../one.db open/trap.db
ln -s ../old.html open/trap.html
expect 1 "$TOOL" import "$before" "$after" -o open/trap.db
says err 'symbolic link'
expect 1 "$TOOL" analyze --html open/trap.html one.db
says err 'symbolic link'
ln -s one.db link.db
expect 0 "$TOOL" import "$before" "$after" -o link.db
[ -L link.db ] || fail "a link in one's own folder is replaced"

# What a file is called cannot write to the terminal, nor break a table.
hostile=$(printf 'a\nb\033[31m.dat')
cp "$SOURCE/samples/dirty.dat" "./$hostile"
expect 0 "$TOOL" import -o named.db "./$hostile"
says err 'a[?]b[?]\[31m.dat: '
expect 0 "$TOOL" compare "./$hostile" "$SOURCE/samples/dirty.dat"
says out '^ *a[?]b[?]\[31m.dat '
expect 0 "$TOOL" compare --markdown "./$hostile" "$SOURCE/samples/dirty.dat"
says out 'a[?]b[?]'
finish
