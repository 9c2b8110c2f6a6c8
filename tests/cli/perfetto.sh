# SPDX-License-Identifier: GPL-2.0-or-later
# The JSON trace keeps the rules by which Perfetto's importer reads one (its json_trace_tokenizer and
# json_trace_parser): it is known by its first two characters; slices have a duration and nest on
# their thread, else they are moved aside and flagged; each member of a counter is a number, else it
# is dropped; names of groups and threads are texts. What it then shows are the rows of the database.
. "$(dirname "$0")/lib.sh"

# Load the trace into $work/trace.db: table event, one row an event, times in ns.
load() {
	rm -f "$work/trace.db"
	sqlite3 "$work/trace.db" "CREATE TABLE event AS SELECT
		json_extract(value, '\$.ph') AS ph, json_extract(value, '\$.pid') AS pid,
		json_extract(value, '\$.tid') AS tid, json_extract(value, '\$.name') AS name,
		json_type(value, '\$.ts') AS ts_type, json_extract(value, '\$.s') AS scope,
		CAST(round(json_extract(value, '\$.ts') * 1000) AS INTEGER) AS ts,
		CAST(round(json_extract(value, '\$.dur') * 1000) AS INTEGER) AS dur,
		json_extract(value, '\$.args') AS args
		FROM json_each(CAST(readfile('$1') AS TEXT), '\$.traceEvents');
		CREATE INDEX slice ON event(pid, tid, ph, ts);"
}

# none WHAT CONDITION: no event is so.
none() {
	is "$(sqlite3 "$work/trace.db" "SELECT count(*) FROM event AS e WHERE $2")" 0 "$1"
}

count() {
	sqlite3 "$work/trace.db" "SELECT count(*) FROM event WHERE $1"
}

asked() {
	"$TOOL" sql --csv "$work/run.db" "$1" | tail -n +2 | tr -d '\r'
}

keeps_the_rules() {
	is "$(head -c 2 "$work/trace")" '{"' "the first two characters"
	none "an unknown phase" "ph NOT IN ('M', 'X', 'C', 'i') OR ph IS NULL"
	none "a group or thread that is no number" "typeof(pid) <> 'integer' OR typeof(tid) <> 'integer'"
	none "a time that is no number" "ts_type NOT IN ('integer', 'real') OR ts_type IS NULL OR ts < 0"
	none "an event without a name" "coalesce(name, '') = ''"
	none "a slice without its time" "ph = 'X' AND coalesce(dur, -1) < 0"
	none "an instant that is not everywhere" "ph = 'i' AND scope IS NOT 'g'"
	none "a counter without a number" "ph = 'C' AND NOT EXISTS (SELECT 1 FROM json_each(e.args))"
	none "a counter that is no number" "ph = 'C' AND EXISTS (SELECT 1 FROM json_each(e.args)
		WHERE type NOT IN ('integer', 'real'))"
	none "a name that is no text" "ph = 'M' AND json_type(args, '\$.name') IS NOT 'text'"
	none "a group without a name" "ph <> 'M' AND NOT EXISTS (SELECT 1 FROM event AS n WHERE
		n.ph = 'M' AND n.name = 'process_name' AND n.pid = e.pid)"
	none "slices that overlap in part" "ph = 'X' AND EXISTS (SELECT 1 FROM event AS o
		WHERE o.ph = 'X' AND o.pid = e.pid AND o.tid = e.tid AND o.ts > e.ts
		AND o.ts < e.ts + e.dur AND o.ts + o.dur > e.ts + e.dur)"
}

tells_what_the_database_holds() {
	is "$(count "pid = 1 AND ph = 'X'")" "$(asked "SELECT count(*) FROM stall WHERE dur NOT NULL")" stalls
	is "$(count "pid = 2 AND ph = 'X'")" \
		"$(asked "SELECT count(*) FROM kswapd_cycles WHERE awake NOT NULL")" "kswapd cycles"
	is "$(count "pid = 3 AND ph = 'X'")" "$(asked "SELECT count(*) FROM throttle_wait")" throttles
	is "$(count "name = 'scanned in a second'")" "$(asked "SELECT count(*) FROM timeline")" seconds
}

# "ns since boot" beyond what a double holds in us without its fraction: the last digit survives.
keeps_every_ns() {
	expect 0 "$TOOL" sql --csv "$work/run.db" "SELECT max(ts) FROM stall WHERE dur NOT NULL"
	longest=$(tail -1 "$work/out" | tr -d '\r')
	grep -q "\"ts\":$((longest / 1000)).$(printf %03d $((longest % 1000)))," "$work/trace" ||
		fail "the last stall is not at its ns"
}

for input in "$SOURCE/samples/dirty.dat" "$SOURCE/../shared/traces/b_dirty3"; do
	[ -d "$input" ] && input=$(find "$input" -name '*.dat*' | head -1)
	[ -f "$input" ] || continue
	rm -f "$work/run.db"
	expect 0 "$TOOL" import "$input" -o "$work/run.db"
	expect 0 "$TOOL" export --trace -o "$work/trace" "$work/run.db"
	load "$work/trace"
	keeps_the_rules
	tells_what_the_database_holds
	keeps_every_ns
done
finish
