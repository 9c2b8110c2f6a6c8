# SPDX-License-Identifier: GPL-2.0-or-later
# Makes the packages, asks lintian, installs them, uses them, removes them; nothing may stay behind.
TOOL=reclaimlab
. "$SOURCE/tests/cli/lib.sh"

skip() {
	echo "skipped: $*"
	exit 77
}

[ "$PREFIX" = /usr ] || skip "the prefix is $PREFIX; configure with --preset package"
[ "$(id -u)" -eq 0 ] || skip "packages are installed by root"
for tool in cpack apt-get lintian; do
	command -v $tool >/dev/null || skip "no $tool"
done
packages="reclaimlab libreclaim-dev libreclaim0"
for package in $packages; do
	! dpkg -s "$package" >/dev/null 2>&1 || skip "$package is installed already"
done

expect 0 cpack -G DEB --config "$BUILD/CPackConfig.cmake" -B "$work/packages"
set -- "$work"/packages/*.deb
is $# 3 "packages"
for package in "$@"; do
	dpkg -c "$package" | awk '$1 !~ /^d/ { sub(/^\./, "", $6); print $6 }'
done >"$work/files"
[ -s "$work/files" ] || fail "the packages are empty"

expect 0 lintian --allow-root --fail-on error "$@"
# apt-get waits for others that install something.
apt="apt-get -q -y -o DPkg::Lock::Timeout=300"
chmod 755 "$work"
expect 0 $apt install --no-install-recommends "$@"
[ $failures -eq 0 ] || finish
# shellcheck disable=SC2016 # dpkg's own words
is "$(dpkg-query -W -f '${Status}\n' $packages | grep -c '^install ok installed')" 3 installed
expect 0 reclaimlab analyze --json "$SOURCE/samples/dirty.dat"
is "$(json '$.run.lost_gaps')" 0
expect 0 man -w reclaimlab-replay
# shellcheck disable=SC2046 # a list of options
expect 0 cc -o "$work/embed" "$SOURCE/samples/embed/embed.c" $(pkg-config --cflags --libs reclaim)
expect 0 "$work/embed"

# shellcheck disable=SC2086 # a list
expect 0 $apt purge $packages
while read -r file; do
	[ ! -e "$file" ] || fail "$file stayed behind"
done <"$work/files"
for folder in /usr/share/reclaimlab /usr/include/reclaim /usr/share/doc/reclaimlab; do
	[ ! -e $folder ] || fail "$folder stayed behind"
done
finish
