# SPDX-License-Identifier: GPL-2.0-or-later
# Two copies of /proc/vmstat: the figures are those that differences by hand give, in every form.
. "$(dirname "$0")/lib.sh"
before=$SOURCE/samples/hugepages/vmstat.before
after=$SOURCE/samples/hugepages/vmstat.after

# delta KEY...: sum of the differences of these keys.
delta() {
	for key in "$@"; do
		awk -v key="$key" '$1 == key { print $2 }' "$after" "$before"
	done | awk 'NR % 2 { sum += $1; next } { sum -= $1 } END { print sum + 0 }'
}

stalls=$(delta allocstall_dma allocstall_dma32 allocstall_normal allocstall_movable)
is "$stalls" 416 "stalls of the sample"
is "$(delta pgscan_kswapd)" 266029 "pages of the sample"

expect 0 "$TOOL" analyze --json "$before" "$after"
is "$(json '$.figures.stalls.value')" "$stalls"
is "$(json '$.figures.kswapd_scanned.value')" "$(delta pgscan_kswapd)"
is "$(json '$.figures.kswapd_reclaimed.value')" "$(delta pgsteal_kswapd)"
is "$(json '$.figures.direct_scanned.value')" "$(delta pgscan_direct)"
is "$(json '$.figures.direct_reclaimed.value')" "$(delta pgsteal_direct)"
is "$(json '$.figures.compact_stalls.value')" "$(delta compact_stall)"
is "$(json '$.figures.kswapd_wakes.value')" "$(delta pageoutrun)"
is "$(json '$.figures.kswapd_velocity.value')" "" "no time is known"

expect 0 "$TOOL" analyze "$before" "$after"
says out "^  Allocation stalls +$stalls\$"
says out "^  Kswapd pages scanned +266029 +1039 MiB\$"
says out "^  Kswapd efficiency % +99\\.99\$"
expect 0 "$TOOL" analyze --markdown "$before" "$after"
says out "^\\| Kswapd pages scanned \\| 266029 \\| 1039 MiB"

expect 0 "$TOOL" analyze --elapsed 100 --json "$before" "$after"
is "$(json '$.figures.kswapd_velocity.value')" 2660.29

expect 0 "$TOOL" compare "$before,$after" "$before,$after"
says out '^  Allocation stalls +416 +416 +\(\+0\.00%\)$'
expect 0 "$TOOL" compare --csv "$before,$after" : "$before,$after" "$before,$after"
is "$(grep -c '^stalls,Allocation stalls,' "$work/out")" 3 "runs of two columns"
expect 0 "$TOOL" compare "$before,$after" "$before,$after" "$before,$after" : "$before,$after"
is "$(grep -c '^  Kswapd efficiency %' "$work/out")" 2 "what is wider than a mail goes below"
[ "$(awk 'length($0) > w { w = length($0) } END { print w }' "$work/out")" -le 80 ] ||
	fail "a table wider than 80 columns"
expect 0 "$TOOL" compare --json "$before,$after" : "$before,$after"
is "$(json '$.figures.direct_scanned.columns[1].median')" 20824

"$TOOL" import "$before" "$after" -o "$work/run.db" 2>/dev/null || fail import
expect 0 "$TOOL" sql --csv "$work/run.db" \
	"SELECT value FROM figures WHERE key = 'compact_stalls'"
is "$(tail -n 1 "$work/out" | tr -d '\r')" "$(delta compact_stall)"
# What was lost stands above the figures that it touches.
head -c 1500000 "$SOURCE/samples/dirty.dat" >"$work/cut.dat"
expect 0 "$TOOL" compare "$SOURCE/samples/dirty.dat" "$work/cut.dat"
is "$(grep -nE '^(Lost|Figures)$' "$work/out" | cut -d: -f2 | tr '\n' ' ')" "Lost Figures "

# A trace has its own time.
expect 1 "$TOOL" analyze --elapsed 100 "$SOURCE/samples/dirty.dat"
says err 'counter files without times'
finish
