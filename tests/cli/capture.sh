# SPDX-License-Identifier: GPL-2.0-or-later
# A recording ends well whatever happens to it: tracing is as before, what was recorded can be read,
# and one line says what happened.
. "$(dirname "$0")/recorder.sh"
events="-p none -e filemap:mm_filemap_add_to_page_cache"
cd "$work" || exit 1

refuses() {
	status=$1
	pattern=$2
	shift 2
	expect "$status" "$TOOL" capture "$@"
	is "$(lines err)" 1 "lines of: capture $*"
	says err "^reclaimlab capture: .*$pattern"
}

# What cannot be is said before anything is done.
touch plain
refuses 1 'nosuchcmd: there is no such command' -o none.dat -- nosuchcmd
refuses 1 'plain: Permission denied' -o none.dat -- ./plain
refuses 1 'no-folder' -o no-folder/none.dat -- true
refuses 1 'no regular file' -o /dev/null -- true
refuses 1 'no regular file' -o "$work" -- true
refuses 1 'a file is needed' -o - -- true
[ ! -e - ] || fail "a file named -"
is "$(find . -name 'none.dat*' | wc -l)" 0 "files of recordings that did not begin"

# A file is its owner's; a link leads out of no folder that anyone may write.
umask 0
mkdir -m 1777 open
mkdir -m 755 own
ln -s ../own/there.dat open/trap.dat
ln -s there.dat own/link.dat
: >own/there.dat
# shellcheck disable=SC2086 # a list
expect 0 "$TOOL" capture $events -o first.dat -- sh -c 'exit 0'
is "$(stat -c %a first.dat)" 600 "mode of a trace"
refuses 1 'symbolic link' -o open/trap.dat -- true
expect 0 "$TOOL" capture -p none -e oom -o own/link.dat -- true

# Events by pattern: those of the kernel that fit, and no others.
expect 0 "$TOOL" capture -p none -e 'oom:*_retry*' -e 'vm[s]can' -o many.dat -- true
"$TOOL" import many.dat -o many.db 2>/dev/null || fail import
"$TOOL" sql --csv many.db "SELECT event FROM coverage WHERE state IN ('present', 'renamed')
	AND event LIKE '%retry%' ORDER BY event" >events
is "$(tail -n +2 events | tr -d '\r' | tr '\n' ' ')" "compact_retry reclaim_retry_zone "
# A system that no view knows is recorded to be read, too, and nothing else is taken for recorded.
if [ -d $tracing/events/raw_syscalls ]; then
	expect 0 "$TOOL" capture -p none -e raw_syscalls -o sys.dat -- true
	counted=$(sed -n 's/^sys.dat: \([0-9]*\) events, 0 lost,.*/\1/p' err)
	expect 0 "$TOOL" analyze sys.dat
	says out "^${counted:-none} events in the whole run, nothing lost"
	says out 'mm_vmscan_direct_reclaim_begin .*stalls'
fi
expect 1 "$TOOL" capture -p none -e 'oom:nosuch*' -o none.dat -- true
says err 'this kernel has no event like oom:nosuch\*$'
expect 1 "$TOOL" capture -P 4194303 --for 1s -o none.dat
says err '4194303: there is no such task$'
[ -L own/link.dat ] && [ -s own/there.dat ] || fail "a link in one's own folder is not followed"
umask 22

# The command's own words and its status.
# shellcheck disable=SC2016 # for the inner shell
expect 1 "$TOOL" capture -p none -e oom -o marked.dat -- \
	sh -c 'echo "half way" >"$RECLAIMLAB_TRACE_MARKER"; exit 3'
"$TOOL" sql marked.dat 2>/dev/null
"$TOOL" import marked.dat -o marked.db 2>/dev/null
is "$(sqlite3 marked.db "SELECT count(*) FROM marker WHERE text LIKE 'half way%'")" 1 "marker"

# Signals end it in order.
for signal in INT TERM HUP; do
	# shellcheck disable=SC2086 # a list
	start $events -o "$signal.dat"
	load 5
	ends 0 $signal
	[ "$(records "$signal.dat")" -gt 0 ] || fail "no events after $signal: $(cat import)"
done

# SIGKILL leaves a file that can be read, and an instance that the next one removes; recordings that
# run are left alone.
# shellcheck disable=SC2086 # a list
start $events -o live.dat
live=$pid
# shellcheck disable=SC2086 # a list
start $events -o killed.dat
some() {
	load 5
	[ "$(records killed.dat.v6.partial)" -gt 0 ]
}
soon some
kill -KILL "$pid"
wait "$pid" 2>/dev/null
expect 0 "$TOOL" capture --cleanup
says err 'removed: [0-9]+ instances, .*; [1-9][0-9]* recordings run'
gone "$pid" || fail "--cleanup left the instance of a killed recorder"
recording "$live" || fail "--cleanup ended a recording that ran"
[ "$(records killed.dat.v6.partial)" -gt 0 ] || fail "what a killed recorder wrote cannot be read"

# Its instance cannot be removed under it; that its events are switched off is told.
pid=$live
rmdir "$tracing/instances/reclaimlab-$pid" 2>/dev/null && fail "an instance in use was removed"
echo 0 >"$tracing/instances/reclaimlab-$pid/events/enable"
kill -INT "$pid"
wait "$pid"
is "$?" 0 "status when events were switched off"
# Its words were overwritten by the one that was killed: they share a file.
gone "$pid" || fail "the instance stays"
# shellcheck disable=SC2086 # a list
start $events -o off.dat
load 5
echo 0 >"$tracing/instances/reclaimlab-$pid/events/enable"
ends 0 INT
says err 'filemap:mm_filemap_add_to_page_cache was switched off by another program'
# shellcheck disable=SC2086 # a list
start $events -o stopped.dat
load 5
echo 0 >"$tracing/instances/reclaimlab-$pid/tracing_on"
ends 1 none
says err 'another program switched tracing off; what was recorded before that is in .*stopped.dat'
[ "$(records stopped.dat)" -gt 0 ] || fail "nothing was kept when tracing was switched off"

# A disk that is full.
mkdir small
if mount -t tmpfs -o size=64M none small 2>/dev/null; then
	start -p all -e raw_syscalls -b 1024 -o small/full.dat
	head -c 100000000 /dev/zero >small/fill 2>/dev/null
	full() {
		dd if=/dev/zero of=/dev/null bs=1 count=200000 2>/dev/null
		! recording "$pid"
	}
	soon full
	ends 1 none
	says err 'No space left on device; what was recorded before that is in small/full.dat'
	[ "$(records small/full.dat)" -gt 0 ] || fail "a full disk left nothing: $(cat import)"
	rm small/fill small/full.dat

	# A mount that is taken away.
	# shellcheck disable=SC2086 # a list
	start $events -o small/away.dat
	load 5
	umount -l small
	ends 0 INT
	says err 'away.dat: the folder is no longer there; the file is on its disk'
	[ ! -e small/away.dat ] || fail "a file in the folder under the mount"
fi

# Without tracefs, without leave to write to it, without root.
if unshare -m true 2>/dev/null; then
	expect 1 unshare -m sh -c "mount --bind $tracing $tracing && mount -o remount,bind,ro $tracing &&
		exec \"$TOOL\" capture -o ro.dat -- true"
	says err 'mounted read-only'
	is "$(lines err)" 1 "lines about a read-only tracefs"
	expect 1 unshare -m sh -c "umount -l $tracing; mount -t tmpfs none /sys/kernel &&
		exec \"$TOOL\" capture -o ro.dat -- true"
	says err 'tracefs'
	is "$(lines err)" 1 "lines about no tracefs"
	is "$(find . -name 'ro.dat*' | wc -l)" 0 "files without tracefs"
fi
cp "$TOOL" tool
chmod 755 tool "$work"
expect 1 setpriv --reuid 65534 --regid 65534 --clear-groups ./tool capture -o /tmp/none.dat -- true
says err 'needs root'
is "$(lines err)" 1 "lines without root"
finish
