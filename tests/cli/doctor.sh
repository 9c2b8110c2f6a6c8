# SPDX-License-Identifier: GPL-2.0-or-later
# What the machine of the test offers, whatever that is: each part is there, in 80 columns, and the
# JSON has one object an event.
. "$(dirname "$0")/lib.sh"

expect 0 "$TOOL" doctor
for part in Machine Recording Memory Events; do
	says out "^$part"
done
says out "^  kernel +$(uname -r | sed 's/[.+]/\\&/g') "
awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' "$work/out" || fail "wider than 80 columns"
expect 0 "$TOOL" doctor --verbose
awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' "$work/out" || fail "wider than 80 columns"

expect 0 "$TOOL" doctor --json
is "$(json '$.recording.rights.ok')" \
	"$((0x$(sed -n 's/^CapEff:\t//p' /proc/self/status) >> 21 & 1))" "rights"
[ -n "$(json '$.memory.marks')" ] || fail "no watermarks"
[ "$(json '$.zones[0].high')" -ge "$(json '$.zones[0].low')" ] || fail "marks of the first zone"
if [ -d /sys/kernel/tracing/events/vmscan ]; then
	is "$(json '$.events[1].event')" mm_vmscan_kswapd_wake
	is "$(json '$.events[1].state')" present
	expect 0 "$TOOL" doctor --verbose --preset reclaim
	says out "^    vmscan:mm_vmscan_kswapd_wake: present"
	grep -q mm_page_alloc "$work/out" && fail "an event of another preset"
fi
expect 2 "$TOOL" doctor --preset reclaims
finish
