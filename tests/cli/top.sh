# SPDX-License-Identifier: GPL-2.0-or-later
# A look a line, as many as asked for; nothing is left behind.
. "$(dirname "$0")/lib.sh"

expect 2 "$TOOL" top --interval 1ms
says err "100ms to an hour"
expect 2 "$TOOL" top trace.dat
[ -w /sys/kernel/tracing/instances ] || exit 77

before=$(ls /tmp | grep -c reclaimlab-top)
expect 0 "$TOOL" top --batch --count 2 --interval 200ms
is "$(lines out)" 3 "lines"
says out "kswapd/s +eff % +direct/s"
is "$(ls /tmp | grep -c reclaimlab-top)" "$before" "folders left"
finish
