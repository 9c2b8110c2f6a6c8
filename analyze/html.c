/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "analyze/html_private.h"

/* A text that grows. */
struct buffer {
	FILE *out;
	char *text;
	size_t size;
};

struct html {
	struct buffer body;
	struct buffer data;
	struct json json; /* writes to data */
};

static bool buffer_open(struct buffer *buffer)
{
	buffer->out = open_memstream(&buffer->text, &buffer->size);
	return buffer->out;
}

static void buffer_close(struct buffer *buffer)
{
	if (buffer->out)
		fclose(buffer->out);
	free(buffer->text);
}

struct html *html_new(void)
{
	struct html *html = calloc(1, sizeof(*html));

	if (!html)
		return NULL;
	if (!buffer_open(&html->body) || !buffer_open(&html->data)) {
		html_free(html);
		return NULL;
	}
	html->json.out = html->data.out;
	html->json.compact = true;
	json_open(&html->json, NULL, '[');
	return html;
}

void html_free(struct html *html)
{
	if (!html)
		return;
	buffer_close(&html->body);
	buffer_close(&html->data);
	free(html);
}

int html_add(struct html *html, const char *name, const struct lens *lens, struct rl_msg *msg)
{
	return html_charts(&html->json, name, lens, msg);
}

FILE *html_body(struct html *html)
{
	return html->body.out;
}

static void print_head(FILE *out)
{
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; script-src '%s'; base-uri 'none'; "
		"form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<title>Memory reclaim</title>\n<style>%s</style>\n</head>\n",
		html_script_hash, html_style);
}

int html_print(struct html *html, FILE *out, struct rl_msg *msg)
{
	int ret;

	json_close(&html->json, ']');
	if (fflush(html->body.out) || fflush(html->data.out))
		return rl_fail(msg, ENOMEM, "out of memory");
	print_head(out);
	fputs("<body>\n<main>\n<h1>Memory reclaim</h1>\n", out);
	fwrite(html->body.text, 1, html->body.size, out);
	fputs("</main>\n", out);
	ret = html_glossary(out, msg);
	fputs("<script type=\"application/json\" id=\"runs\">", out);
	fwrite(html->data.text, 1, html->data.size, out);
	fprintf(out, "</script>\n<script>%s</script>\n</body>\n</html>\n", html_script);
	return ret;
}
