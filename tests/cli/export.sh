# SPDX-License-Identifier: GPL-2.0-or-later
# Rows that leave are the rows of the tables and views; a trace has an event for each stall, cycle and
# wait, at its time.
. "$(dirname "$0")/lib.sh"

asked() {
	"$TOOL" sql --csv "$work/run.db" "$1" | tail -n +2 | tr -d '\r'
}

# events WHAT: of the trace in $work/trace, selected by SQL on the columns of json_each.
events() {
	sqlite3 :memory: "SELECT $1 FROM (
		SELECT json_extract(value, '\$.ph') AS ph, json_extract(value, '\$.pid') AS pid,
			json_extract(value, '\$.name') AS name, json_extract(value, '\$.ts') AS ts,
			json_extract(value, '\$.dur') AS dur, json_extract(value, '\$.args') AS args
		FROM json_each(CAST(readfile('$work/trace') AS TEXT), '\$.traceEvents'))"
}

expect 0 "$TOOL" import "$SOURCE/samples/dirty.dat" -o "$work/run.db"

# CSV is what the command sql prints.
expect 0 "$TOOL" export -t stall_by_task "$work/run.db"
cp "$work/out" "$work/csv"
expect 0 "$TOOL" sql --csv "$work/run.db" "SELECT * FROM stall_by_task"
cmp -s "$work/csv" "$work/out" || fail "CSV of a view"

# A page-rate or fact table has the rows of its window and no other.
end=$(asked "SELECT start + 1000000000 FROM span")
expect 0 "$TOOL" export -j -t scan -t stall --to +1s "$work/run.db"
is "$(grep -c '^{"table":"scan",' "$work/out")" "$(asked "SELECT count(*) FROM scan WHERE ts < $end")" scans
is "$(grep -c '^{"table":"stall",' "$work/out")" \
	"$(asked "SELECT count(*) FROM stall WHERE ts < $end")" stalls

expect 0 "$TOOL" export --trace -o "$work/trace" "$work/run.db"
is "$(events "count(*) FILTER (WHERE ph = 'X' AND pid = 1)")" \
	"$(asked "SELECT count(*) FROM stall WHERE dur NOT NULL")" "stalls of the trace"
is "$(events "CAST(round(sum(dur * 1000) FILTER (WHERE ph = 'X' AND pid = 1)) AS INTEGER)")" \
	"$(asked "SELECT sum(dur) FROM stall")" "their time"
is "$(events "CAST(round(min(ts * 1000) FILTER (WHERE ph = 'X' AND pid = 1)) AS INTEGER)")" \
	"$(asked "SELECT min(ts) FROM stall WHERE dur NOT NULL")" "the first"
is "$(events "count(*) FILTER (WHERE ph = 'X' AND pid = 2)")" \
	"$(asked "SELECT count(*) FROM kswapd_cycles WHERE awake NOT NULL")" cycles
is "$(events "sum(json_extract(args, '\$.kswapd_scanned'))")" \
	"$(asked "SELECT sum(kswapd_scanned) FROM timeline")" "scanned"
expect 0 "$TOOL" export --trace "$SOURCE/samples/dirty.dat"
cmp -s "$work/out" "$work/trace" || fail "a trace and its database give different traces"

expect 1 "$TOOL" export -t nothing "$work/run.db"
says err "nothing: no such table or view"
expect 2 "$TOOL" export "$work/run.db"
expect 2 "$TOOL" export -t stall -t scan "$work/run.db"
expect 1 "$TOOL" export -t stall -o "$work/no/file" "$work/run.db"
says err "No such file"
finish
