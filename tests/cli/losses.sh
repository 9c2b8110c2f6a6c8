# SPDX-License-Identifier: GPL-2.0-or-later
# When events are lost a line names the buffer that would have kept them; with that buffer the same
# flood loses nothing. The recorder is stopped meanwhile, so that it does not matter how fast it is.
. "$(dirname "$0")/recorder.sh"
cd "$work" || exit 1
[ -d $tracing/events/raw_syscalls ] || skip "this kernel has no events of raw_syscalls"

# flood FILE OPTION...: two events of each of 80000 system calls, all on one processor.
flood() {
	start -o "$@" -p none -e raw_syscalls -P $$
	kill -STOP "$pid"
	taskset -c 0 dd if=/dev/zero of=/dev/null bs=1 count=40000 2>/dev/null
	kill -CONT "$pid"
	ends 0 INT
}

flood small.dat -b 64
lost=$(sed -n 's/^\([0-9]*\) events were lost with 64 KiB a CPU: .*/\1/p' err)
enough=$(sed -n 's/.*: enough would have been --buffer \([0-9]*\)$/\1/p' err)
[ "${lost:-0}" -gt 100000 ] || fail "lost: ${lost:-none}: $(cat err)"
[ "${enough:-0}" -gt 1024 ] || fail "enough: ${enough:-none}: $(cat err)"
# What is told is what the trace says.
expect 0 "$TOOL" import small.dat -o small.db
is "$(sqlite3 small.db "SELECT sum(count) FROM loss_total")" "$lost" "lost, by the trace"
for input in small.dat small.db; do
	expect 0 "$TOOL" analyze $input
	says out "at least $lost lost "
done

flood enough.dat -b "${enough:-1}"
says err ', 0 lost,'
is "$(grep -c 'were lost' err)" 0 "lines about losses"
finish
