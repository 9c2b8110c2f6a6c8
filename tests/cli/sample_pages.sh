# SPDX-License-Identifier: GPL-2.0-or-later
# --sample-pages keeps the accesses to one in 64 pages, and always to the same ones. 6400 pages are read
# one by one, twice.
. "$(dirname "$0")/recorder.sh"
cd "$work" || exit 1
[ -d $tracing/events/filemap/mm_filemap_get_pages ] ||
	skip "this kernel has no event filemap:mm_filemap_get_pages"

dd if=/dev/zero of=file bs=4096 count=6400 2>/dev/null
inode=$(stat -c %i file)

# read_twice NAME OPTION...: how often each page was seen to be read, "PAGE TIMES" lines.
read_twice() {
	name=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	expect 0 "$TOOL" capture -o "$name.dat" --preset access "$@" -- \
		sh -c 'dd if=file of=/dev/null bs=4096 && dd if=file of=/dev/null bs=4096'
	says err ', 0 lost,'
	"$TOOL" import "$name.dat" -o "$name.db" 2>/dev/null
	"$TOOL" sql --csv "$name.db" "SELECT \"index\", count(*) FROM access_read
		WHERE ino = $inode AND \"index\" < 6400 GROUP BY 1 ORDER BY 1" | tail -n +2
}

read_twice all >all
is "$(lines all)" 6400 "pages that were read"
is "$(awk -F, '$2 != 2' all | wc -l)" 0 "pages that were not read twice"
read_twice some --sample-pages 1/64 >some
is "$(lines some)" 100 "pages of the sample"
is "$(awk -F, '$1 % 64 || $2 != 2' some | wc -l)" 0 "other pages, or not read twice"
read_twice again --sample-pages 64 >again
cmp -s some again || fail "another recording sampled other pages"

# Reads of 15 pages: kept are all that have a page of the sample among theirs, and no others.
# ranges NAME OPTION...: the reads by first and last page.
ranges() {
	name=$1
	shift
	expect 0 "$TOOL" capture -o "$name.dat" --preset access "$@" -- dd if=file of=/dev/null bs=60k
	"$TOOL" import "$name.dat" -o "$name.db" 2>/dev/null
	"$TOOL" sql --csv "$name.db" "SELECT \"index\", last_index FROM access_read
		WHERE ino = $inode ORDER BY ts" | tail -n +2 | tr -d '\r'
}
ranges every >every
is "$(lines every | awk '{ print ($1 > 420) }')" 1 "reads of 15 pages"
awk -F, '$1 % 64 == 0 || int($1 / 64) != int($2 / 64)' every >wanted
is "$(awk -F, '$1 % 64' wanted | wc -l | awk '{ print ($1 > 80) }')" 1 "that begin elsewhere"
ranges sampled --sample-pages 1/64 >sampled
cmp -s wanted sampled || fail "reads with a page of the sample are not those that were kept"
finish
