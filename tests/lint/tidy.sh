# SPDX-License-Identifier: GPL-2.0-or-later
# clang-tidy, with the checks of .clang-tidy, on every file that is built.
command -v clang-tidy >/dev/null || exit 77
cd "$SOURCE" || exit 1
sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$BUILD/compile_commands.json" |
	grep -v "^$BUILD/" | sort -u |
	xargs -n 4 -P "$(nproc)" clang-tidy -p "$BUILD" --quiet
