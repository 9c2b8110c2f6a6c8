/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/base/map.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define INPUT_BUFFER	(128u << 10)
#define XZ_MEMORY_MAX	(96ull << 20) /* "xz -9" wants 65 MiB to unpack */
#define ZSTD_WINDOW_LOG 27	      /* 128 MiB, what "zstd --ultra -22" wants */
#define GZIP_ANY_WINDOW (15 + 16)

struct codec;

struct rl_input {
	int fd;
	const struct codec *codec;
	const uint8_t *next; /* unread bytes of @buffer */
	size_t avail;
	bool eof;      /* the file has no more bytes */
	bool boundary; /* the packing may end here */
	bool ended;    /* and it does */
	bool regular;
	int error; /* sticky, negative errno */
	struct rl_msg error_msg;
	uint64_t consumed, file_size;
	char *name;
	union {
		z_stream gzip;
		lzma_stream xz;
		ZSTD_DStream *zstd;
	};
	uint8_t buffer[INPUT_BUFFER];
};

/* What a step of a codec found. */
enum step {
	STEP_MORE, /* wants input or room */
	STEP_END,  /* the packing is complete, the rest of the file is not part of it */
	STEP_BAD,
	STEP_MEMORY, /* would need more memory than allowed */
};

struct codec {
	const char *name;
	const char *magic;
	size_t magic_size;
	int (*start)(struct rl_input *in);
	/* Moves @in->next and @in->avail, fills up to *@size bytes of @out and sets *@size to how
	 * many. */
	enum step (*step)(struct rl_input *in, uint8_t *out, size_t *size);
	void (*stop)(struct rl_input *in);
};

static int input_start_plain(struct rl_input *in)
{
	in->boundary = true;
	return 0;
}

static enum step input_step_plain(struct rl_input *in, uint8_t *out, size_t *size)
{
	if (*size > in->avail)
		*size = in->avail;
	memcpy(out, in->next, *size);
	in->next += *size;
	in->avail -= *size;
	return STEP_MORE;
}

static void input_stop_plain(struct rl_input *in)
{
}

static int input_start_gzip(struct rl_input *in)
{
	return inflateInit2(&in->gzip, GZIP_ANY_WINDOW) == Z_OK ? 0 : -ENOMEM;
}

static enum step input_step_gzip(struct rl_input *in, uint8_t *out, size_t *size)
{
	z_stream *z = &in->gzip;
	size_t room = *size > UINT32_MAX ? UINT32_MAX : *size;
	int ret;

	if (in->boundary && in->avail) {
		/* Another member may follow; anything else behind the last one is padding. */
		if (*in->next != 0x1f)
			return STEP_END;
		inflateReset(z);
		in->boundary = false;
	}
	z->next_in = (Bytef *)in->next;
	z->avail_in = (uInt)in->avail;
	z->next_out = out;
	z->avail_out = (uInt)room;
	ret = inflate(z, Z_NO_FLUSH);
	in->next = z->next_in;
	in->avail = z->avail_in;
	*size = room - z->avail_out;
	if (ret == Z_STREAM_END)
		in->boundary = true;
	else if (ret != Z_OK && ret != Z_BUF_ERROR)
		return STEP_BAD;
	return STEP_MORE;
}

static void input_stop_gzip(struct rl_input *in)
{
	inflateEnd(&in->gzip);
}

static int input_start_xz(struct rl_input *in)
{
	lzma_stream init = LZMA_STREAM_INIT;

	in->xz = init;
	return lzma_stream_decoder(&in->xz, XZ_MEMORY_MAX, LZMA_CONCATENATED) == LZMA_OK ? 0
											 : -ENOMEM;
}

static enum step input_step_xz(struct rl_input *in, uint8_t *out, size_t *size)
{
	lzma_stream *xz = &in->xz;
	lzma_ret ret;

	xz->next_in = in->next;
	xz->avail_in = in->avail;
	xz->next_out = out;
	xz->avail_out = *size;
	ret = lzma_code(xz, in->eof && !in->avail ? LZMA_FINISH : LZMA_RUN);
	in->next = xz->next_in;
	in->avail = xz->avail_in;
	*size -= xz->avail_out;
	if (ret == LZMA_STREAM_END)
		return STEP_END;
	if (ret == LZMA_MEMLIMIT_ERROR)
		return STEP_MEMORY;
	return ret == LZMA_OK || ret == LZMA_BUF_ERROR ? STEP_MORE : STEP_BAD;
}

static void input_stop_xz(struct rl_input *in)
{
	lzma_end(&in->xz);
}

static int input_start_zstd(struct rl_input *in)
{
	in->zstd = ZSTD_createDStream();
	if (!in->zstd)
		return -ENOMEM;
	ZSTD_DCtx_setParameter(in->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
	return 0;
}

static enum step input_step_zstd(struct rl_input *in, uint8_t *out, size_t *size)
{
	ZSTD_inBuffer from = { in->next, in->avail, 0 };
	ZSTD_outBuffer to = { out, *size, 0 };
	size_t ret;

	if (in->boundary && !in->avail) {
		*size = 0;
		return STEP_MORE;
	}
	ret = ZSTD_decompressStream(in->zstd, &to, &from);
	in->next += from.pos;
	in->avail -= from.pos;
	*size = to.pos;
	if (ZSTD_isError(ret))
		return ZSTD_getErrorCode(ret) == ZSTD_error_frameParameter_windowTooLarge
			       ? STEP_MEMORY
			       : STEP_BAD;
	in->boundary = ret == 0;
	return STEP_MORE;
}

static void input_stop_zstd(struct rl_input *in)
{
	ZSTD_freeDStream(in->zstd);
}

static const struct codec codecs[] = {
	{ "gzip", "\x1f\x8b", 2, input_start_gzip, input_step_gzip, input_stop_gzip },
	{ "xz",
	  "\xfd"
	  "7zXZ",
	  6, input_start_xz, input_step_xz, input_stop_xz },
	{ "zstd", "\x28\xb5\x2f\xfd", 4, input_start_zstd, input_step_zstd, input_stop_zstd },
	{ "none", "", 0, input_start_plain, input_step_plain, input_stop_plain },
};

static int input_fail(struct rl_input *in, int err, const char *what)
{
	in->error = rl_fail(&in->error_msg, err, "%s: %s data %s at packed offset %llu", in->name,
			    in->codec->name, what, (unsigned long long)(in->consumed - in->avail));
	return in->error;
}

static int input_refill(struct rl_input *in)
{
	ssize_t got;

	do {
		got = read(in->fd, in->buffer, sizeof(in->buffer));
	} while (got < 0 && errno == EINTR);
	if (got < 0) {
		in->error = rl_fail_errno(&in->error_msg, errno, "%s: read at offset %llu",
					  in->name, (unsigned long long)in->consumed);
		return in->error;
	}
	in->next = in->buffer;
	in->avail = (size_t)got;
	in->consumed += (uint64_t)got;
	in->eof = got == 0;
	return 0;
}

static const struct codec *input_codec(const struct rl_input *in)
{
	const struct codec *codec = codecs;

	while (in->avail < codec->magic_size ||
	       memcmp(in->next, codec->magic, codec->magic_size) != 0)
		codec++;
	return codec;
}

static int input_open_file(struct rl_input *in, struct rl_msg *msg)
{
	struct stat st;

	if (strcmp(in->name, "-") == 0)
		in->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		in->fd = open(in->name, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0 || fstat(in->fd, &st) < 0)
		return rl_fail_errno(msg, errno, "%s: open", in->name);
	if (S_ISDIR(st.st_mode))
		return rl_fail(msg, EISDIR, "%s: is a directory, expected a file", in->name);
	in->regular = S_ISREG(st.st_mode);
	if (in->regular)
		in->file_size = (uint64_t)st.st_size;
	return 0;
}

int rl_input_open(const char *path, struct rl_input **out, struct rl_msg *msg)
{
	struct rl_input *in = malloc(sizeof(*in));
	int ret = -ENOMEM;

	if (!in)
		return rl_fail(msg, ENOMEM, "%s: out of memory", path);
	memset(in, 0, offsetof(struct rl_input, buffer));
	in->fd = -1;
	in->name = strdup(path);
	if (!in->name) {
		ret = rl_fail(msg, ENOMEM, "%s: out of memory", path);
		goto error;
	}
	ret = input_open_file(in, msg);
	if (ret)
		goto error;
	ret = input_refill(in);
	if (ret) {
		if (msg)
			*msg = in->error_msg;
		goto error;
	}
	in->codec = input_codec(in);
	ret = in->codec->start(in);
	if (ret) {
		in->codec = NULL;
		rl_fail(msg, -ret, "%s: out of memory", path);
		goto error;
	}
	*out = in;
	return 0;
error:
	rl_input_close(in);
	return ret;
}

/* One turn: *@size bytes to @out, and perhaps the end of the stream or an error behind them. */
static void input_turn(struct rl_input *in, uint8_t *out, size_t *size)
{
	size_t before;

	if (!in->avail && !in->eof && input_refill(in)) {
		*size = 0;
		return;
	}
	before = in->avail;
	switch (in->codec->step(in, out, size)) {
	case STEP_BAD:
		input_fail(in, EBADMSG, "damaged");
		break;
	case STEP_MEMORY:
		input_fail(in, ENOMEM, "needing too much memory to unpack");
		break;
	case STEP_END:
		in->ended = true;
		break;
	case STEP_MORE:
		if (*size || !in->eof || before != in->avail)
			break;
		in->ended = in->boundary;
		if (!in->ended)
			input_fail(in, EBADMSG, "ending too early");
		break;
	}
}

ssize_t rl_input_read(struct rl_input *in, void *buf, size_t size, struct rl_msg *msg)
{
	size_t done = 0;

	while (done < size && !in->error && !in->ended) {
		size_t got = size - done;

		input_turn(in, (uint8_t *)buf + done, &got);
		done += got;
	}
	if (done || !in->error)
		return (ssize_t)done;
	if (msg)
		*msg = in->error_msg;
	return in->error;
}

ssize_t rl_input_head(const char *path, void *head, size_t size, struct rl_msg *msg)
{
	struct rl_input *in;
	ssize_t n;
	int ret;

	ret = rl_input_open(path, &in, msg);
	if (ret)
		return ret;
	n = rl_input_read(in, head, size, msg);
	rl_input_close(in);
	return n;
}

const char *rl_input_packing(const struct rl_input *in)
{
	return in->codec->name;
}

bool rl_input_is_plain_file(const struct rl_input *in)
{
	return in->regular && in->file_size && in->codec->magic_size == 0;
}

uint64_t rl_input_consumed(const struct rl_input *in)
{
	return in->consumed - in->avail;
}

uint64_t rl_input_file_size(const struct rl_input *in)
{
	return in->file_size;
}

void rl_input_close(struct rl_input *in)
{
	if (!in)
		return;
	if (in->codec)
		in->codec->stop(in);
	if (in->fd >= 0)
		close(in->fd);
	free(in->name);
	free(in);
}
