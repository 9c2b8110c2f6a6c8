/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/read/text_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/base/map.h"

#define BUFFER_SIZE (16 * TEXT_LINE_MAX)

struct text_input {
	struct rl_input *in;
	char *buffer;
	size_t begin; /* of the line that comes next */
	size_t end;   /* of what was read */
	uint64_t number;
	bool at_end;	/* nothing more to read */
	bool in_a_line; /* the rest of a cut line comes next and is passed over */
	char *path;
};

int text_input_open(const char *path, struct text_input **out, struct rl_msg *msg)
{
	struct text_input *in = calloc(1, sizeof(*in));
	int ret = -ENOMEM;

	if (in) {
		in->buffer = malloc(BUFFER_SIZE);
		in->path = strdup(path);
	}
	if (in && in->buffer && in->path)
		ret = rl_input_open(path, &in->in, msg);
	else
		rl_fail_errno(msg, ENOMEM, "%s", path);
	if (ret) {
		text_input_close(in);
		return ret;
	}
	*out = in;
	return 0;
}

void text_input_close(struct text_input *in)
{
	if (!in)
		return;
	rl_input_close(in->in);
	free(in->buffer);
	free(in->path);
	free(in);
}

/* Make room and read on. Returns 1, 0 at the end, or a negative errno. */
static int fill(struct text_input *in, size_t *kept, struct rl_msg *msg)
{
	ssize_t n;

	if (in->at_end)
		return 0;
	memmove(in->buffer, in->buffer + *kept, in->end - *kept);
	in->begin -= *kept;
	in->end -= *kept;
	*kept = 0;
	n = rl_input_read(in->in, in->buffer + in->end, BUFFER_SIZE - in->end, msg);
	if (n < 0)
		return (int)n;
	in->end += (size_t)n;
	in->at_end = n == 0;
	return n > 0;
}

/*
 * Find the line at in->begin + @offset; *@next is the offset behind it. @kept is the first byte of
 * the buffer that must stay. Returns 1, 0 where there is none, or a negative errno.
 */
static int find_line(struct text_input *in, size_t *kept, size_t offset, size_t *len, size_t *next,
		     struct rl_msg *msg)
{
	size_t seen = 0;

	for (;;) {
		char *text = in->buffer + in->begin + offset;
		size_t have = in->end - in->begin - offset;
		size_t search = have < TEXT_LINE_MAX ? have : TEXT_LINE_MAX;
		char *eol = search > seen ? memchr(text + seen, '\n', search - seen) : NULL;
		int ret;

		if (eol || search == TEXT_LINE_MAX) {
			*len = eol ? (size_t)(eol - text) : search;
			*next = offset + *len + (eol != NULL);
			in->in_a_line = !eol;
			return 1;
		}
		seen = have;
		ret = fill(in, kept, msg);
		if (ret < 0)
			return ret;
		if (!ret) {
			*len = have;
			*next = offset + have;
			return have > 0;
		}
	}
}

/* Pass over what is left of a line that was cut. */
static int skip_rest(struct text_input *in, struct rl_msg *msg)
{
	while (in->in_a_line) {
		char *eol = memchr(in->buffer + in->begin, '\n', in->end - in->begin);
		size_t kept;
		int ret;

		if (eol) {
			in->begin = (size_t)(eol - in->buffer) + 1;
			in->in_a_line = false;
			break;
		}
		in->begin = kept = in->end;
		ret = fill(in, &kept, msg);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
	}
	in->in_a_line = false;
	return 0;
}

int text_input_next(struct text_input *in, struct text_piece *line, struct text_piece *following,
		    struct rl_msg *msg)
{
	size_t kept, len, next, len2 = 0, next2;
	bool cut;
	int ret;

	ret = skip_rest(in, msg);
	if (ret)
		return ret;
	kept = in->begin;
	ret = find_line(in, &kept, 0, &len, &next, msg);
	if (ret <= 0)
		return ret;
	cut = in->in_a_line;
	*following = (struct text_piece){ "", 0, 0 };
	if (!cut) {
		ret = find_line(in, &kept, next, &len2, &next2, msg);
		if (ret < 0)
			return ret;
		if (ret)
			*following = (struct text_piece){ in->buffer + in->begin + next, len2,
							  in->number + 2 };
		in->in_a_line = false;
	}
	*line = (struct text_piece){ in->buffer + in->begin, len, ++in->number };
	in->in_a_line = cut;
	in->begin += next;
	return 1;
}

uint64_t text_input_consumed(const struct text_input *in)
{
	return rl_input_consumed(in->in);
}

uint64_t text_input_size(const struct text_input *in)
{
	return rl_input_file_size(in->in);
}
