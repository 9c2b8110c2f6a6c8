/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_sample.h - small trace.dat files for the tests of the reader
 *
 * Record n (from 0) of a sample is made by sample_record(): it goes to CPU n % cpus, carries n in
 * its payload, and its stamp is SAMPLE_START + n * SAMPLE_STEP, so that the merged order is 0, 1, 2
 * ...
 */
#ifndef RECLAIMLAB_TRACEDAT_SAMPLE_H
#define RECLAIMLAB_TRACEDAT_SAMPLE_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/read/tracedat.h"
#include "capture/record/tracedat_writer.h"

#define SAMPLE_START 1000000000ull
#define SAMPLE_STEP  1000ull
#define SAMPLE_ID    300
#define SAMPLE_ID_2  301

struct sample {
	int version;
	const char *compression;
	bool big_endian;
	unsigned int long_size; /* of the kernel */
	uint32_t page_size;
	unsigned int cpus;
	unsigned int records;
	bool instance; /* odd records go to a buffer "inst" */
};

#define SAMPLE_DEFAULT                                                                             \
	{                                                                                          \
		.version = 7, .compression = "none", .long_size = 8, .page_size = 4096, .cpus = 2, \
		.records = 100                                                                     \
	}

static const char sample_header_event[] = "# compressed entry header\n"
					  "\ttype_len    :    5 bits\n"
					  "\ttime_delta  :   27 bits\n"
					  "\tarray       :   32 bits\n"
					  "\n"
					  "\tpadding     : type == 29\n"
					  "\ttime_extend : type == 30\n"
					  "\ttime_stamp : type == 31\n"
					  "\tdata max type_len  == 28\n";

static const char sample_common[] =
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:unsigned int number;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"number=%u\", REC->number\n";

static inline void sample_header_page(char *text, size_t size, unsigned int long_size,
				      uint32_t page_size)
{
	snprintf(text, size,
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
		 long_size, 8 + long_size, page_size - 8 - long_size);
}

static inline void sample_format(char *text, size_t size, const char *name, int id)
{
	snprintf(text, size, "name: %s\nID: %d\n%s", name, id, sample_common);
}

static inline void sample_put16(uint8_t *p, uint16_t v, bool big_endian)
{
	v = big_endian ? htobe16(v) : htole16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void sample_put32(uint8_t *p, uint32_t v, bool big_endian)
{
	v = big_endian ? htobe32(v) : htole32(v);
	memcpy(p, &v, sizeof(v));
}

/* The 12 bytes of payload of record @n. */
static inline void sample_payload(uint8_t *payload, uint16_t id, uint32_t n, bool big_endian)
{
	sample_put16(payload, id, big_endian);
	payload[2] = 0;
	payload[3] = 0;
	sample_put32(payload + 4, 100 + n % 3, big_endian);
	sample_put32(payload + 8, n, big_endian);
}

static inline uint32_t sample_number(const struct tracedat_record *rec, bool big_endian)
{
	return ring_load32(rec->data + 8, big_endian);
}

/* Open a writer and give it all metadata; buffers and records are the caller's. */
static inline int sample_open(const char *path, const struct sample *s, struct tracedat_writer **w,
			      struct rl_msg *msg)
{
	struct tracedat_writer_format format = { s->version, s->compression, s->big_endian,
						 s->long_size, s->page_size };
	static const char tasks[] = "100 cat\n101 kswapd0\n102 two words\n";
	static const char printk[] = "0xffffffff81000000 : \"hello\"\n";
	static const char symbols[] = "ffffffff81000000 T start\n";
	char page[512], text[1024];
	int ret = tracedat_writer_open(path, &format, w, msg);

	if (ret)
		return ret;
	sample_header_page(page, sizeof(page), s->long_size, s->page_size);
	ret = tracedat_writer_headers(*w, page, strlen(page), sample_header_event,
				      strlen(sample_header_event), msg);
	sample_format(text, sizeof(text), "print", 5);
	ret = ret ? ret : tracedat_writer_event(*w, "ftrace", text, strlen(text), msg);
	sample_format(text, sizeof(text), "first", SAMPLE_ID);
	ret = ret ? ret : tracedat_writer_event(*w, "lab", text, strlen(text), msg);
	sample_format(text, sizeof(text), "second", SAMPLE_ID_2);
	ret = ret ? ret : tracedat_writer_event(*w, "lab", text, strlen(text), msg);
	ret = ret ? ret : tracedat_writer_kallsyms(*w, symbols, strlen(symbols), msg);
	ret = ret ? ret : tracedat_writer_printk(*w, printk, strlen(printk), msg);
	return ret ? ret : tracedat_writer_cmdlines(*w, tasks, strlen(tasks), msg);
}

static inline int sample_records(struct tracedat_writer *w, const struct sample *s,
				 struct rl_msg *msg)
{
	uint8_t payload[12];

	for (uint32_t n = 0; n < s->records; n++) {
		unsigned int buffer = s->instance ? n % 2 : 0;
		int ret;

		sample_payload(payload, n % 4 ? SAMPLE_ID : SAMPLE_ID_2, n, s->big_endian);
		ret = tracedat_writer_record(w, buffer, n / (s->instance ? 2 : 1) % s->cpus,
					     SAMPLE_START + n * SAMPLE_STEP, payload,
					     sizeof(payload), 0, msg);
		if (ret)
			return ret;
	}
	return 0;
}

static inline int sample_buffers(struct tracedat_writer *w, const struct sample *s,
				 struct rl_msg *msg)
{
	int ret = tracedat_writer_buffer(w, "", "mono", s->page_size, s->cpus, msg);

	if (ret >= 0 && s->instance)
		ret = tracedat_writer_buffer(w, "inst", "mono", s->page_size, s->cpus, msg);
	return ret < 0 ? ret : 0;
}

/* The whole file. */
static inline int sample_write(const char *path, const struct sample *s, struct rl_msg *msg)
{
	struct tracedat_writer *w = NULL;
	int ret = sample_open(path, s, &w, msg);

	if (!ret)
		ret = sample_buffers(w, s, msg);
	if (!ret)
		ret = sample_records(w, s, msg);
	if (!ret)
		ret = tracedat_writer_finish(w, msg);
	tracedat_writer_close(w);
	return ret;
}

#endif
