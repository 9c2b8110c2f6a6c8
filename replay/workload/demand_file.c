/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "capture/base/array.h"
#include "replay/workload/demand_file.h"

#define HEADER_SIZE 96
#define RECORD_SIZE sizeof(struct demand_record)
#define TASK_SIZE   32
#define FILE_SIZE   24
#define SIZE_LIMIT  4096 /* of header and record, for later additions */
#define FLAG_PLAIN  1u
#define LEVEL	    3
#define CHUNK	    (128u << 10)

/* The header as it lies in the file; integers little-endian. */
struct disk_header {
	char magic[8];
	uint32_t version, header_size, record_size, flags;
	uint64_t nr_records, start, duration;
	uint32_t page_size, cpus, nr_tasks, nr_files, nr_pages, note_bytes;
	uint8_t reserved[24];
};

struct disk_task {
	uint64_t first;
	int32_t tid;
	uint32_t kind;
	char comm[DEMAND_COMM_SIZE];
};

struct disk_file {
	uint64_t dev, ino;
	uint32_t pages, spare;
};

_Static_assert(sizeof(struct disk_header) == HEADER_SIZE, "header of the demand file");
_Static_assert(sizeof(struct disk_task) == TASK_SIZE, "task of the demand file");
_Static_assert(sizeof(struct disk_file) == FILE_SIZE, "file of the demand file");

/* The same swap reads and writes. */
static void record_swap(struct demand_record *rec)
{
	rec->at = le64toh(rec->at);
	rec->think = le64toh(rec->think);
	rec->task = le32toh(rec->task);
	rec->gfp = le32toh(rec->gfp);
	rec->object = le32toh(rec->object);
	rec->index = le32toh(rec->index);
	rec->start = le32toh(rec->start);
	rec->count = le16toh(rec->count);
	rec->memcg = le16toh(rec->memcg);
}

struct writer {
	FILE *file;
	const char *path;
	ZSTD_CCtx *zstd; /* NULL: plain */
	uint8_t *out;	 /* CHUNK bytes */
};

static int writer_compress(struct writer *w, const void *data, size_t size, ZSTD_EndDirective mode,
			   struct rl_msg *msg)
{
	ZSTD_inBuffer in = { data, size, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { w->out, CHUNK, 0 };

		left = ZSTD_compressStream2(w->zstd, &out, &in, mode);
		if (ZSTD_isError(left))
			return rl_fail(msg, EIO, "%s: %s", w->path, ZSTD_getErrorName(left));
		if (fwrite(w->out, 1, out.pos, w->file) != out.pos)
			return rl_fail_errno(msg, errno, "%s", w->path);
	} while (mode == ZSTD_e_end ? left : in.pos < in.size);
	return 0;
}

static int writer_put(struct writer *w, const void *data, size_t size, struct rl_msg *msg)
{
	if (w->zstd)
		return writer_compress(w, data, size, ZSTD_e_continue, msg);
	if (size && fwrite(data, 1, size, w->file) != size)
		return rl_fail_errno(msg, errno, "%s", w->path);
	return 0;
}

static int write_header(struct writer *w, const struct demand *demand, struct rl_msg *msg)
{
	struct disk_header head = {
		.version = htole32(DEMAND_VERSION),
		.header_size = htole32(HEADER_SIZE),
		.record_size = htole32(RECORD_SIZE),
		.flags = htole32(w->zstd ? 0 : FLAG_PLAIN),
		.nr_records = htole64(demand->nr_records),
		.start = htole64(demand->start),
		.duration = htole64(demand->duration),
		.page_size = htole32(demand->page_size),
		.cpus = htole32(demand->cpus),
		.nr_tasks = htole32(demand->nr_tasks),
		.nr_files = htole32(demand->nr_files),
		.nr_pages = htole32(demand->nr_pages),
		.note_bytes = htole32(strlen(demand->notes)),
	};

	memcpy(head.magic, DEMAND_MAGIC, sizeof(head.magic));
	if (fwrite(&head, 1, sizeof(head), w->file) != sizeof(head))
		return rl_fail_errno(msg, errno, "%s", w->path);
	return 0;
}

static int write_tables(struct writer *w, const struct demand *demand, struct rl_msg *msg)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < demand->nr_tasks; i++) {
		const struct demand_task *task = &demand->tasks[i];
		struct disk_task disk = {
			.first = htole64(task->first),
			.tid = (int32_t)htole32((uint32_t)task->tid),
			.kind = htole32(task->kind),
		};

		memcpy(disk.comm, task->comm, sizeof(disk.comm));
		ret = writer_put(w, &disk, sizeof(disk), msg);
	}
	for (uint32_t i = 0; !ret && i < demand->nr_files; i++) {
		const struct demand_file *file = &demand->files[i];
		struct disk_file disk = {
			.dev = htole64(file->dev),
			.ino = htole64(file->ino),
			.pages = htole32(file->pages),
		};

		ret = writer_put(w, &disk, sizeof(disk), msg);
	}
	return ret ? ret : writer_put(w, demand->notes, strlen(demand->notes), msg);
}

static int write_all(struct writer *w, const struct demand *demand, struct rl_msg *msg)
{
	int ret = write_header(w, demand, msg);

	if (!ret)
		ret = write_tables(w, demand, msg);
	for (size_t i = 0; !ret && i < demand->nr_records; i++) {
		struct demand_record rec = demand->records[i];

		record_swap(&rec);
		ret = writer_put(w, &rec, sizeof(rec), msg);
	}
	if (!ret && w->zstd)
		ret = writer_compress(w, NULL, 0, ZSTD_e_end, msg);
	return ret;
}

int demand_save(const struct demand *demand, const char *path, bool plain, struct rl_msg *msg)
{
	struct writer w = { .path = path };
	int ret = 0;

	w.file = fopen(path, "wbe");
	if (!w.file)
		return rl_fail_errno(msg, errno, "%s", path);
	w.out = malloc(CHUNK);
	if (!plain)
		w.zstd = ZSTD_createCCtx();
	if (!w.out || (!plain && !w.zstd))
		ret = rl_fail_errno(msg, ENOMEM, "%s", path);
	if (w.zstd)
		ZSTD_CCtx_setParameter(w.zstd, ZSTD_c_compressionLevel, LEVEL);
	if (!ret)
		ret = write_all(&w, demand, msg);
	if (fclose(w.file) && !ret)
		ret = rl_fail_errno(msg, errno, "%s", path);
	if (ret)
		unlink(path);
	ZSTD_freeCCtx(w.zstd);
	free(w.out);
	return ret;
}

struct demand_reader {
	FILE *file;
	char *path;
	ZSTD_DCtx *zstd; /* NULL: plain */
	uint8_t *in;	 /* CHUNK packed bytes */
	ZSTD_inBuffer packed;
	size_t record_size;
	uint64_t done; /* records handed out */
	uint64_t last_at;
	struct demand *head;
};

/* Exactly @size bytes of the body, or -EBADMSG. */
static int reader_get(struct demand_reader *r, void *data, size_t size, struct rl_msg *msg)
{
	ZSTD_outBuffer out = { data, size, 0 };

	if (!r->zstd) {
		if (fread(data, 1, size, r->file) != size)
			return rl_fail(msg, EBADMSG, "%s: ends too early, at record %llu", r->path,
				       (unsigned long long)r->done);
		return 0;
	}
	while (out.pos < out.size) {
		size_t before = out.pos, ret = ZSTD_decompressStream(r->zstd, &out, &r->packed);

		if (ZSTD_isError(ret))
			return rl_fail(msg, EBADMSG, "%s: damaged at record %llu: %s", r->path,
				       (unsigned long long)r->done, ZSTD_getErrorName(ret));
		if (out.pos > before || r->packed.pos < r->packed.size)
			continue;
		r->packed.pos = 0;
		r->packed.size = fread(r->in, 1, CHUNK, r->file);
		if (!r->packed.size)
			return rl_fail(msg, EBADMSG, "%s: ends too early, at record %llu", r->path,
				       (unsigned long long)r->done);
	}
	return 0;
}

static int skip_bytes(struct demand_reader *r, size_t size, bool header, struct rl_msg *msg)
{
	uint8_t skipped[SIZE_LIMIT];

	if (!header)
		return reader_get(r, skipped, size, msg);
	if (fread(skipped, 1, size, r->file) != size)
		return rl_fail(msg, EBADMSG, "%s: ends in its header", r->path);
	return 0;
}

static int check_header(const struct demand_reader *r, const struct disk_header *head,
			struct rl_msg *msg)
{
	if (memcmp(head->magic, DEMAND_MAGIC, sizeof(head->magic)))
		return rl_fail(msg, EBADMSG, "%s: not a demand file: expected \"" DEMAND_MAGIC "\"",
			       r->path);
	if (le32toh(head->version) != DEMAND_VERSION)
		return rl_fail(msg, EPROTO, "%s: demand format %u, this program reads %u", r->path,
			       le32toh(head->version), DEMAND_VERSION);
	if (le32toh(head->header_size) < HEADER_SIZE || le32toh(head->header_size) > SIZE_LIMIT ||
	    le32toh(head->record_size) < RECORD_SIZE || le32toh(head->record_size) > SIZE_LIMIT)
		return rl_fail(msg, EBADMSG,
			       "%s: sizes of header and record %u and %u, expected "
			       "%u..%u and %zu..%u",
			       r->path, le32toh(head->header_size), le32toh(head->record_size),
			       HEADER_SIZE, SIZE_LIMIT, RECORD_SIZE, SIZE_LIMIT);
	if (le32toh(head->nr_tasks) > DEMAND_MAX_TASKS ||
	    le32toh(head->nr_files) > DEMAND_MAX_FILES ||
	    le32toh(head->note_bytes) > DEMAND_MAX_NOTES ||
	    le64toh(head->nr_records) > DEMAND_MAX_RECORDS)
		return rl_fail(msg, EBADMSG,
			       "%s: a count in the header is beyond the format's limit", r->path);
	if (!le32toh(head->page_size) || !le32toh(head->cpus))
		return rl_fail(msg, EBADMSG, "%s: page size or CPUs are 0", r->path);
	return 0;
}

static int read_header(struct demand_reader *r, struct disk_header *head, struct rl_msg *msg)
{
	struct demand *demand = r->head;
	int ret;

	if (fread(head, 1, sizeof(*head), r->file) != sizeof(*head))
		return rl_fail(msg, EBADMSG, "%s: not a demand file: shorter than a header",
			       r->path);
	ret = check_header(r, head, msg);
	if (ret)
		return ret;
	ret = skip_bytes(r, le32toh(head->header_size) - HEADER_SIZE, true, msg);
	if (ret)
		return ret;
	r->record_size = le32toh(head->record_size);
	demand->start = le64toh(head->start);
	demand->duration = le64toh(head->duration);
	demand->page_size = le32toh(head->page_size);
	demand->cpus = le32toh(head->cpus);
	demand->nr_pages = le32toh(head->nr_pages);
	demand->nr_records = le64toh(head->nr_records);
	if (le32toh(head->flags) & FLAG_PLAIN)
		return 0;
	r->in = malloc(CHUNK);
	r->zstd = ZSTD_createDCtx();
	if (!r->in || !r->zstd)
		return rl_fail_errno(msg, ENOMEM, "%s", r->path);
	r->packed.src = r->in;
	return 0;
}

/* Room for @want entries, growing with what was really read so that a lying count costs nothing. */
static int table_grow(void **table, uint32_t have, uint32_t want, size_t size)
{
	uint32_t room = have ? have * 2 : 64;
	void *grown;

	if (have && have & (have - 1))
		return 0;
	if (have && have < 64)
		return 0;
	grown = realloc(*table, (size_t)(room < want ? room : want) * size);
	if (!grown)
		return -ENOMEM;
	*table = grown;
	return 0;
}

static int read_tasks(struct demand_reader *r, uint32_t nr, struct rl_msg *msg)
{
	struct demand *demand = r->head;

	for (uint32_t i = 0; i < nr; i++) {
		struct disk_task disk;
		int ret = table_grow((void **)&demand->tasks, i, nr, sizeof(*demand->tasks));

		if (ret)
			return rl_fail_errno(msg, -ret, "%s", r->path);
		ret = reader_get(r, &disk, sizeof(disk), msg);
		if (ret)
			return ret;
		demand->tasks[i] = (struct demand_task){
			.first = le64toh(disk.first),
			.tid = (int32_t)le32toh((uint32_t)disk.tid),
			.kind = le32toh(disk.kind),
		};
		memcpy(demand->tasks[i].comm, disk.comm, DEMAND_COMM_SIZE);
		demand->tasks[i].comm[DEMAND_COMM_SIZE - 1] = '\0';
		demand->nr_tasks = i + 1;
		if (demand->tasks[i].first > INT64_MAX)
			return rl_fail(msg, EBADMSG, "%s: task %u: time out of range", r->path, i);
	}
	return 0;
}

static int read_files(struct demand_reader *r, uint32_t nr, struct rl_msg *msg)
{
	struct demand *demand = r->head;

	for (uint32_t i = 0; i < nr; i++) {
		struct disk_file disk;
		int ret = table_grow((void **)&demand->files, i, nr, sizeof(*demand->files));

		if (ret)
			return rl_fail_errno(msg, -ret, "%s", r->path);
		ret = reader_get(r, &disk, sizeof(disk), msg);
		if (ret)
			return ret;
		demand->files[i] = (struct demand_file){
			.dev = le64toh(disk.dev),
			.ino = le64toh(disk.ino),
			.pages = le32toh(disk.pages),
		};
		demand->nr_files = i + 1;
	}
	return 0;
}

static int read_notes(struct demand_reader *r, uint32_t bytes, struct rl_msg *msg)
{
	char *notes = calloc(1, (size_t)bytes + 1);
	int ret;

	if (!notes)
		return rl_fail_errno(msg, ENOMEM, "%s", r->path);
	free(r->head->notes);
	r->head->notes = notes;
	ret = reader_get(r, notes, bytes, msg);
	if (!ret && memchr(notes, '\0', bytes))
		ret = rl_fail(msg, EBADMSG, "%s: a zero byte in the notes", r->path);
	return ret;
}

int demand_reader_open(const char *path, struct demand_reader **out, struct rl_msg *msg)
{
	struct demand_reader *r = calloc(1, sizeof(*r));
	struct disk_header head;
	int ret = -ENOMEM;

	if (!r)
		return rl_fail_errno(msg, ENOMEM, "%s", path);
	r->path = strdup(path);
	r->head = demand_new();
	if (!r->path || !r->head) {
		rl_fail_errno(msg, ENOMEM, "%s", path);
		goto fail;
	}
	r->file = fopen(path, "rbe");
	if (!r->file) {
		ret = rl_fail_errno(msg, errno, "%s", path);
		goto fail;
	}
	ret = read_header(r, &head, msg);
	if (!ret)
		ret = read_tasks(r, le32toh(head.nr_tasks), msg);
	if (!ret)
		ret = read_files(r, le32toh(head.nr_files), msg);
	if (!ret)
		ret = read_notes(r, le32toh(head.note_bytes), msg);
	if (ret)
		goto fail;
	*out = r;
	return 0;
fail:
	demand_reader_close(r);
	return ret;
}

const struct demand *demand_reader_head(const struct demand_reader *reader)
{
	return reader->head;
}

int demand_reader_next(struct demand_reader *reader, struct demand_record *rec, struct rl_msg *msg)
{
	int ret;

	if (reader->done == reader->head->nr_records)
		return 0;
	ret = reader_get(reader, rec, sizeof(*rec), msg);
	if (!ret)
		ret = skip_bytes(reader, reader->record_size - sizeof(*rec), false, msg);
	if (ret)
		return ret;
	record_swap(rec);
	ret = demand_check_record(reader->head, rec, reader->done, msg);
	if (!ret && rec->at < reader->last_at)
		ret = rl_fail(msg, EBADMSG, "demand record %llu: earlier than the one before",
			      (unsigned long long)reader->done);
	if (ret) {
		rl_msg_prefix(msg, "%s", reader->path);
		return ret;
	}
	reader->last_at = rec->at;
	reader->done++;
	return 1;
}

void demand_reader_close(struct demand_reader *reader)
{
	if (!reader)
		return;
	if (reader->file)
		fclose(reader->file);
	ZSTD_freeDCtx(reader->zstd);
	demand_free(reader->head);
	free(reader->in);
	free(reader->path);
	free(reader);
}

/* Records in memory, growing with what was really read. */
static int load_records(struct demand_reader *reader, struct rl_msg *msg)
{
	struct demand *demand = reader->head;
	struct demand_record rec;
	size_t room = 0, nr = 0;
	int ret;

	while ((ret = demand_reader_next(reader, &rec, msg)) > 0) {
		if (rl_array_room(&demand->records, &room, nr, sizeof(rec)))
			return rl_fail_errno(msg, ENOMEM, "%s", reader->path);
		demand->records[nr++] = rec;
	}
	return ret;
}

int demand_load(const char *path, struct demand **out, struct rl_msg *msg)
{
	struct demand_reader *reader;
	int ret = demand_reader_open(path, &reader, msg);

	if (ret)
		return ret;
	ret = load_records(reader, msg);
	if (!ret) {
		*out = reader->head;
		reader->head = NULL;
	}
	demand_reader_close(reader);
	return ret;
}
