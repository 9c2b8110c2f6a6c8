# SPDX-License-Identifier: GPL-2.0-or-later
# An installation has the program, the views, the extension and the man pages.
. "$(dirname "$0")/lib.sh"

expect 0 env DESTDIR="$work/root" cmake --install "$BUILD"

has() {
	[ -n "$(find "$work/root" -path "*/$1" -type f)" ] || fail "no $1 was installed"
}

has bin/reclaimlab
has lib*/reclaimlab/reclaimlab.so
has share/man/man1/reclaimlab.1
for view in "$SOURCE"/sql/views/*.sql; do
	has "share/reclaimlab/views/$(basename "$view")"
done
for page in "$SOURCE"/docs/man/*.1; do
	has "share/man/man1/$(basename "$page")"
done
expect 0 "$(find "$work/root" -path '*/bin/reclaimlab' -type f)" --version
finish
