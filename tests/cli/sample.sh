# SPDX-License-Identifier: GPL-2.0-or-later
# The shipped recording: its figures are those counted in the text that trace-cmd prints, directly and
# through a database, and every recipe answers.
. "$(dirname "$0")/lib.sh"
command -v trace-cmd >/dev/null || exit 77
sample=$SOURCE/samples/dirty.dat

trace-cmd report "$sample" >"$work/report" 2>/dev/null || fail "trace-cmd report"

count() {
	grep -Ec ": $1" "$work/report"
}

# sum EVENT FIELD PATTERN: of the numbers behind FIELD in the events whose line has PATTERN.
sum() {
	grep -E "$3.*: $1:|: $1:.*$3" "$work/report" | sed "s/.* $2=\([0-9]*\).*/\1/" |
		awk '{ sum += $1 } END { print sum + 0 }'
}

by_kswapd='^ *kswapd0-'
grep -E "$by_kswapd" "$work/report" >"$work/kswapd"
scanned=$(grep mm_vmscan_lru_isolate "$work/kswapd" | grep -E 'lru=inactive' |
	sed 's/.*nr_scanned=\([0-9]*\).*/\1/' | awk '{ s += $1 } END { print s }')
reclaimed=$(grep mm_vmscan_lru_shrink_inactive "$work/kswapd" |
	sed 's/.*nr_reclaimed=\([0-9]*\).*/\1/' | awk '{ s += $1 } END { print s }')

check_figures() {
	is "$(json '$.figures.stalls.value')" "$(count mm_vmscan_direct_reclaim_begin:)" stalls
	is "$(json '$.figures.kswapd_wakes.value')" "$(count mm_vmscan_kswapd_wake:)" wakes
	is "$(json '$.figures.writes.value')" "$(count mm_vmscan_write_folio:)" writes
	is "$(json '$.figures.kswapd_scanned.value')" "$scanned" scanned
	is "$(json '$.figures.kswapd_reclaimed.value')" "$reclaimed" reclaimed
	is "$(json '$.throttles[0].count')" "$(count mm_vmscan_throttled:)" throttles
	is "$(json '$.throttles[0].total')" \
		"$(sum mm_vmscan_throttled usect_delayed .)" "time throttled"
	is "$(json '$.run.events')" "$(grep -c . "$work/report" | awk '{ print $1 - 1 }')" events
	is "$(json '$.run.lost_gaps')" 0
}

expect 0 "$TOOL" analyze --json "$sample"
check_figures
cp "$work/out" "$work/direct"
expect 0 "$TOOL" import "$sample" -o "$work/run.db"
expect 0 "$TOOL" analyze --json "$work/run.db"
check_figures
cmp -s "$work/out" "$work/direct" || fail "a database and a trace give different reports"

# A window and its complement add up.
all=$(json '$.figures.direct_scanned.value')
expect 0 "$TOOL" analyze --json --to +2s "$work/run.db"
head=$(json '$.figures.direct_scanned.value')
expect 0 "$TOOL" analyze --json --from +2s "$work/run.db"
is "$((head + $(json '$.figures.direct_scanned.value')))" "$all" "two halves"

# Threads by name: kswapd scans for kswapd alone, and who is not looked at has no row.
expect 0 "$TOOL" analyze --json --task kswapd0 "$work/run.db"
is "$(json '$.figures.kswapd_scanned.value')" "$scanned"
is "$(json '$.figures.direct_scanned')" ""
is "$(json '$.figures.direct_efficiency')" ""
is "$(json '$.figures.direct_share')" ""

# A window is never longer than the run; one behind it is refused with the run's end.
span=$(json '$.run.seconds')
expect 0 "$TOOL" analyze --json --from -5 --to 999 "$work/run.db"
is "$(json '$.run.seconds')" "$span" "the whole run"
expect 1 "$TOOL" analyze --from 999 "$work/run.db"
grep -q 'the run ends at 31.331441' "$work/err" || fail "a window behind the run"
expect 0 "$TOOL" analyze --json --node 0 "$work/run.db"
is "$(json '$.figures.kswapd_scanned.value')" "$scanned" "the only node"
expect 1 "$TOOL" analyze --node 7 "$work/run.db"

# The report keeps to 80 columns.
expect 0 "$TOOL" analyze "$sample"
awk 'length($0) > 80 { exit 1 }' "$work/out" || fail "lines of more than 80 columns"

# What is cut once more is a part of it, and trace-cmd reads it.
expect 0 "$TOOL" cut "$sample" --from +1s --to +2s --v6 -o "$work/part.dat"
trace-cmd report "$work/part.dat" 2>/dev/null >"$work/part" || fail "trace-cmd report of a cut"
expect 0 "$TOOL" analyze --json "$work/part.dat"
is "$(json '$.run.events')" "$(grep -c . "$work/part" | awk '{ print $1 - 1 }')" "events of a cut"

# Recipes: two runs in one database, a recording and counters.
expect 0 "$TOOL" import -a "$SOURCE/samples/hugepages/vmstat.before" \
	"$SOURCE/samples/hugepages/vmstat.after" -o "$work/run.db"
for recipe in "$SOURCE"/samples/sql/*.sql; do
	name=$(basename "$recipe" .sql)
	"$TOOL" sql --csv "$work/run.db" <"$recipe" >"$work/out" 2>"$work/err" ||
		fail "$name: $(cat "$work/err")"
	case $name in
	cgroup_limits | huge_success) ;; # neither happens in the sample
	*) [ "$(lines out)" -ge 2 ] || fail "$name: no row" ;;
	esac
	[ ! -s "$work/err" ] || fail "$name: $(cat "$work/err")"
	case $name in
	throttle_timeouts) says out '^WRITEBACK,kswapd,20,9,45' ;;
	hit_quickly) says out '^pageoutrun,473' ;;
	huge_from_counters) says out '^Allocation stalls,416' ;;
	esac
done
finish
