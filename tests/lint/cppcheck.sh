# SPDX-License-Identifier: GPL-2.0-or-later
command -v cppcheck >/dev/null || exit 77
cd "$SOURCE" || exit 1
exec cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability \
	--inline-suppr -I . -j "$(nproc)" analyze capture cli replay sql
