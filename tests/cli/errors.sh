# SPDX-License-Identifier: GPL-2.0-or-later
# What goes wrong is said in one line, and the exit status tells whose fault it is.
. "$(dirname "$0")/lib.sh"

# one_line STATUS PATTERN ARGUMENT...
one_line() {
	status=$1
	pattern=$2
	shift 2
	expect "$status" "$TOOL" "$@"
	is "$(lines err)" 1 "lines of: reclaimlab $*"
	is "$(lines out)" 0 "lines of: reclaimlab $*"
	says err "$pattern"
}

: >"$work/empty"
echo "no trace" >"$work/trace.dat"
sqlite3 "$work/other.db" "CREATE TABLE t (x)"
"$TOOL" import "$SOURCE/samples/hugepages/vmstat.before" "$SOURCE/samples/hugepages/vmstat.after" \
	-o "$work/run.db" 2>/dev/null || fail "import of counters"
cp "$work/run.db" "$work/newer.db"
sqlite3 "$work/newer.db" "PRAGMA user_version = 9999"

one_line 2 'no command "frobnicate"' frobnicate
one_line 2 'did you mean analyze\?$' analyse
one_line 2 'did you mean --json\? ' analyze --jsno "$work/run.db"
one_line 2 'did you mean --markdown\? ' compare --mardkown=x "$work/run.db"
one_line 2 'no option -z;' analyze -z
one_line 2 'did you mean reclaim\? ' doctor --preset reclam
one_line 2 'did you mean linear\? ' replay --policy liner "$work/run.db"
one_line 2 'has no parameter "wsff"' replay --policy linear:wsff=3 "$work/run.db"
one_line 1 'did you mean stall\?$' export --table stal "$work/run.db"
one_line 1 'no such table: stal; did you mean stall\?$' sql "$work/run.db" "SELECT * FROM stal"
one_line 2 'what is to be analysed\? ' analyze
one_line 2 'what is to be compared' compare
one_line 2 'no database to ask' sql
one_line 2 'exclude each other' analyze --json --markdown "$work/run.db"
one_line 2 'exclude each other' compare --json --csv "$work/run.db"
one_line 2 'exclude each other' sql --json --csv "$work/run.db" "SELECT 1"
one_line 2 'names no file' import "$work/run.db" -o ""
one_line 2 'names the database' import "$work/run.db"
one_line 2 'an ensemble without an input' compare "$work/run.db" :
one_line 2 'an ensemble without an input' compare : "$work/run.db"
one_line 2 'an ensemble without an input' compare "$work/run.db" : : "$work/run.db"
one_line 2 'names no file' cut "$work/run.db" -o ""
one_line 2 'names no file' capture -o "" -- true
one_line 2 'names no file' analyze --html "" "$work/run.db"
one_line 2 'names no file' compare --html "" "$work/run.db" "$work/run.db"
one_line 2 'names no file' export -o "" -t run "$work/run.db"
one_line 2 'names no file' replay -o "" "$work/run.db"
one_line 2 'names no file' replay --export "" "$work/run.db"
one_line 2 'is for a flight recorder' capture --when-stall 100ms
one_line 2 'excludes' capture --ring --summary
one_line 2 '1/64 was expected' capture --sample-pages 1/63
one_line 2 'exclude each other' cut --kallsyms --no-kallsyms "$work/trace.dat" -o "$work/cut.dat"
one_line 1 'missing.dat' analyze "$work/missing.dat"
one_line 1 'empty' analyze "$work/empty"
one_line 1 'trace.dat' analyze "$work/trace.dat"
one_line 1 'other.db' analyze "$work/other.db"
one_line 1 '9999' analyze "$work/newer.db"
one_line 1 'newer.db' sql "$work/newer.db" "SELECT 1"
one_line 1 'has no run 7' analyze --run 7 "$work/run.db"
one_line 1 'no markers' analyze --marker a,b "$work/run.db"
one_line 2 'expected two markers' analyze --marker a "$work/run.db"
one_line 2 'is no time' analyze --from yesterday "$work/run.db"
one_line 1 'no task "nobody"' analyze --task nobody "$work/run.db"
one_line 1 'by itself' analyze "$work/run.db" "$work/run.db"
one_line 1 'nosuch' sql "$work/run.db" "SELECT * FROM nosuch"
one_line 1 'readonly|not authorized' sql "$work/run.db" "DELETE FROM run"

# Where the output can take nothing, every command says so, once.
full() {
	"$TOOL" "$@" >/dev/full 2>"$work/full"
	is "$?" 1 "status of $* to a full device"
	is "$(grep -vc 'run 1, recorded in' "$work/full")" 1 "lines of $* to a full device"
}
full analyze "$work/run.db"
full analyze --json "$work/run.db"
full compare "$work/run.db" "$work/run.db"
full export -t run "$work/run.db"
full export -j -t run "$work/run.db"
full sql "$work/run.db" "SELECT 1"
finish
