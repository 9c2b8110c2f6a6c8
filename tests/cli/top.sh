# SPDX-License-Identifier: GPL-2.0-or-later
# A look a line, as many as asked for; nothing is left behind.
. "$(dirname "$0")/lib.sh"

expect 2 "$TOOL" top --interval 1ms
says err "100ms to an hour"
expect 2 "$TOOL" top trace.dat
[ -w /sys/kernel/tracing/instances ] || exit 77

left() {
	find /tmp /dev/shm -maxdepth 1 -name 'reclaimlab-top*' 2>/dev/null | wc -l
}

before=$(left)
expect 0 "$TOOL" top --batch --count 2 --interval 200ms
is "$(lines out)" 3 "lines"
says out "kswapd/s +eff % +direct/s"
is "$(left)" "$before" "folders left"
awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' "$work/out" || fail "wider than 80 columns"
finish
