# SPDX-License-Identifier: GPL-2.0-or-later
# An installation has the program, the views, the extension, the man pages, the completion, and all
# that a program needs to be built with libreclaim.
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
for page in "$SOURCE"/docs/man/*.[15]; do
	has "share/man/man${page##*.}/$(basename "$page")"
done
has share/bash-completion/completions/reclaimlab
expect 0 "$(find "$work/root" -path '*/bin/reclaimlab' -type f)" --version

# A program of its own, with what pkg-config says and nothing from the sources.
pc=$(find "$work/root" -name reclaim.pc)
[ -n "$pc" ] || fail "no reclaim.pc was installed"
if command -v pkg-config >/dev/null; then
	lib=$(find "$work/root" -name libreclaim.so.0)
	PKG_CONFIG_SYSROOT_DIR=$work/root PKG_CONFIG_LIBDIR=$(dirname "$pc")
	export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
	cp "$SOURCE/samples/embed/embed.c" "$work/embed.c"
	# shellcheck disable=SC2046 # a list of options
	expect 0 "${CC:-cc}" -o "$work/embed" "$work/embed.c" $(pkg-config --cflags --libs reclaim)
	expect 0 env LD_LIBRARY_PATH="$(dirname "$lib")" "$work/embed"
	says out '^linear:wsf=120 '

	# So is a policy, which the program and reclaimlab load.
	# shellcheck disable=SC2046 # a list of options
	expect 0 "${CC:-cc}" -shared -fPIC $(pkg-config --cflags reclaim) -o "$work/fifo.so" \
		"$SOURCE/samples/policies/fifo.c"
	expect 0 env LD_LIBRARY_PATH="$(dirname "$lib")" "$work/embed" "$work/fifo.so"
	says out '^fifo '
	expect 0 "$(find "$work/root" -path '*/bin/reclaimlab' -type f)" replay --watermarks \
		--memory 512M --policy "$work/fifo.so"
fi
finish
