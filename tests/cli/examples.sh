# SPDX-License-Identifier: GPL-2.0-or-later
# The examples of the man pages are run, on the samples under the names that the pages use. Recordings
# and the live view are left out: they need root and tracefs.
. "$(dirname "$0")/lib.sh"

mkdir "$work/bin" "$work/here"
ln -s "$TOOL" "$work/bin/reclaimlab"
PATH=$work/bin:$PATH
export PATH
cd "$work/here" || exit 1
ln -s "$SOURCE/samples" samples
cp "$SOURCE"/samples/stream/* "$BUILD/samples/policies/sieve.so" .
for name in old new other old1 old2 new1 new2; do
	ln -s trace.dat $name.dat
done
for side in before after; do
	for name in vmstat old new; do
		cp "$SOURCE/samples/hugepages/vmstat.$side" $name.$side
	done
done
expect 0 "$TOOL" import trace.dat -o run.db

for page in "$SOURCE"/docs/man/*.1; do
	sed -n '/^\.SH EXAMPLES/,/^\.fi/p' "$page" | sed -n 's/\\-/-/g; /^reclaimlab /p' >"$work/examples"
	[ -s "$work/examples" ] || fail "$page: no example"
	# A pipe or a file in the loop would be the standard input of its commands.
	while IFS= read -r example <&3; do
		case $example in
		"reclaimlab capture "* | "reclaimlab top"*) echo "needs root and tracefs: $example" ;;
		*) expect 0 sh -c "$example" ;;
		esac
	done 3<"$work/examples"
done
finish
