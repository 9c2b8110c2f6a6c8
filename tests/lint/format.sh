# SPDX-License-Identifier: GPL-2.0-or-later
# Every C file is as clang-format leaves it.
command -v clang-format >/dev/null || exit 77
cd "$SOURCE" || exit 1
git ls-files -z '*.c' '*.h' | xargs -0 clang-format --dry-run -Werror
