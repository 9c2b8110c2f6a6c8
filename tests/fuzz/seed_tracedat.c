/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seed_tracedat DIR - small sound files for fuzz_tracedat to start from, one of each kind. */
#include <stdio.h>
#include <sys/stat.h>

#include "tests/unit/tracedat_sample.h"

int main(int argc, char **argv)
{
	static const char *const compressions[] = { "none", "none", "zlib", "zstd" };
	struct rl_msg msg;
	char path[4096];

	if (argc != 2) {
		fprintf(stderr, "usage: seed_tracedat DIR\n");
		return 2;
	}
	mkdir(argv[1], 0777);
	for (unsigned int i = 0; i < 16; i++) {
		struct sample s = {
			.version = i % 4 ? 7 : 6,
			.compression = compressions[i % 4],
			.big_endian = i / 4 % 2,
			.long_size = i / 4 % 2 ? 4 : 8,
			.page_size = 512,
			.cpus = 2,
			.records = 50,
			.instance = i / 8,
		};

		snprintf(path, sizeof(path), "%s/sample%u", argv[1], i);
		if (sample_write(path, &s, &msg)) {
			fprintf(stderr, "%s\n", msg.text);
			return 1;
		}
	}
	return 0;
}
