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
finish
