/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture/base/message.h"

#include <stdio.h>
#include <string.h>

static void msg_clean(struct rl_msg *msg)
{
	for (char *p = msg->text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
}

static void msg_format(struct rl_msg *msg, const char *fmt, va_list ap)
{
	vsnprintf(msg->text, sizeof(msg->text), fmt, ap);
	msg_clean(msg);
}

int rl_fail(struct rl_msg *msg, int err, const char *fmt, ...)
{
	va_list ap;

	if (msg) {
		va_start(ap, fmt);
		msg_format(msg, fmt, ap);
		va_end(ap);
	}
	return -err;
}

int rl_fail_errno(struct rl_msg *msg, int err, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	if (!msg)
		return -err;
	va_start(ap, fmt);
	msg_format(msg, fmt, ap);
	va_end(ap);
	len = strlen(msg->text);
	snprintf(msg->text + len, sizeof(msg->text) - len, ": %s", strerror(err));
	return -err;
}

void rl_msg_prefix(struct rl_msg *msg, const char *fmt, ...)
{
	struct rl_msg old;
	va_list ap;
	size_t len;

	if (!msg)
		return;
	old = *msg;
	va_start(ap, fmt);
	msg_format(msg, fmt, ap);
	va_end(ap);
	len = strlen(msg->text);
	snprintf(msg->text + len, sizeof(msg->text) - len, ": %s", old.text);
}
