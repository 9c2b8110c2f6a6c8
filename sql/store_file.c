/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/base/output.h"
#include "sql/store_internal.h"

#define HEADER_SIZE	   100 /* of an SQLite database */
#define HEADER_VERSION	   60  /* user_version, big-endian */
#define HEADER_APPLICATION 68  /* application_id, big-endian */

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool looks_like_text(const unsigned char *head, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (head[i] < '\t' || (head[i] > '\r' && head[i] < ' ' && head[i] != 033))
			return false;
	return true;
}

/* What a file that is no database of ours is, in words. */
static const char *file_kind(const unsigned char *head, size_t len)
{
	static const struct {
		const char *magic;
		size_t len;
		const char *kind;
	} known[] = {
		{ "SQLite format 3", 16, "an SQLite database that another program made" },
		{ "\x17\x08\x44tracing", 10, "a trace.dat" },
		{ "\x1f\x8b", 2, "gzip data" },
		{ "\xfd"
		  "7zXZ",
		  5, "xz data" },
		{ "\x28\xb5\x2f\xfd", 4, "zstd data" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (len >= known[i].len && !memcmp(head, known[i].magic, known[i].len))
			return known[i].kind;
	return looks_like_text(head, len) ? "text" : "data of an unknown kind";
}

static int read_head(const char *path, unsigned char *head, size_t *len, struct rl_msg *msg)
{
	struct stat st;
	ssize_t got;
	int err = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return rl_fail_errno(msg, errno, "%s", path);
	if (fstat(fd, &st)) {
		err = rl_fail_errno(msg, errno, "%s", path);
	} else if (S_ISDIR(st.st_mode)) {
		err = rl_fail(msg, EISDIR, "%s: is a directory, expected a database", path);
	} else if (!S_ISREG(st.st_mode)) {
		err = rl_fail(msg, EINVAL, "%s: is no regular file, expected a database", path);
	} else {
		got = read(fd, head, HEADER_SIZE);
		if (got < 0)
			err = rl_fail_errno(msg, errno, "%s", path);
		*len = got < 0 ? 0 : (size_t)got;
	}
	close(fd);
	return err;
}

static bool is_ours(const unsigned char *head, size_t len)
{
	return len == HEADER_SIZE && !memcmp(head, "SQLite format 3", 16) &&
	       be32(head + HEADER_APPLICATION) == STORE_APPLICATION;
}

int store_file_probe(const char *path, struct rl_msg *msg)
{
	unsigned char head[HEADER_SIZE];
	uint32_t version;
	size_t len = 0;
	int err = read_head(path, head, &len, msg);

	if (err)
		return err;
	if (!len)
		return 0;
	if (!is_ours(head, len)) {
		const char *kind = file_kind(head, len);

		return rl_fail(msg, EINVAL, "%s: not a database of reclaimlab but %s%s", path, kind,
			       strcmp(kind, "a trace.dat") ? "" : ", import it first");
	}
	version = be32(head + HEADER_VERSION);
	if (version != STORE_USER_VERSION)
		return rl_fail(msg, EPROTO,
			       "%s: database of version %u, this program reads version %u; %s",
			       path, version, STORE_USER_VERSION,
			       version > STORE_USER_VERSION ? "use a newer reclaimlab"
							    : "import its recordings again");
	return 1;
}

int store_file_replaceable(const char *path, struct rl_msg *msg)
{
	unsigned char head[HEADER_SIZE];
	size_t len = 0;
	int err = read_head(path, head, &len, msg);

	if (err == -ENOENT)
		return 0;
	if (err)
		return err;
	if (len && !is_ours(head, len))
		return rl_fail(msg, EINVAL, "%s: is %s and will not be replaced by a database",
			       path, file_kind(head, len));
	return 0;
}

/* Remove the partial file @name in @dir unless a living process holds its lock. */
static void remove_if_stale(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		unlinkat(dir, name, 0);
	close(fd);
}

static void remove_stale(const char *directory, const char *base)
{
	size_t len = strlen(base);
	DIR *dir = opendir(directory);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, base, len) &&
		    !strncmp(entry->d_name + len, PARTIAL_MARK, strlen(PARTIAL_MARK)))
			remove_if_stale(dirfd(dir), entry->d_name);
	closedir(dir);
}

/* Let a link stay a link: what is replaced is what it points to. */
static int resolve_target(struct store *store, struct rl_msg *msg)
{
	char *real;
	int ret = rl_output_resolve(store->target, &real, msg);

	if (ret)
		return ret;
	free(store->target);
	store->target = real;
	return 0;
}

static int clean_folder(struct store *store)
{
	char *first = strdup(store->target);
	char *second = strdup(store->target);

	if (first && second)
		remove_stale(dirname(first), basename(second));
	free(first);
	free(second);
	return first && second ? 0 : -ENOMEM;
}

/* A lock taken just after another process swept the file away is worth nothing: 1, try again. */
static int make_partial(struct store *store, struct rl_msg *msg)
{
	mode_t mask = umask(0);
	struct stat st;

	umask(mask);
	if (asprintf(&store->partial, "%s" PARTIAL_MARK "XXXXXX", store->target) < 0) {
		store->partial = NULL;
		return -ENOMEM;
	}
	store->partial_fd = mkostemp(store->partial, O_CLOEXEC);
	if (store->partial_fd < 0) {
		int err = errno;

		free(store->partial);
		store->partial = NULL;
		return rl_fail_errno(msg, err, "%s", store->target);
	}
	if (flock(store->partial_fd, LOCK_EX | LOCK_NB) || fstat(store->partial_fd, &st) ||
	    !st.st_nlink)
		return 1;
	if (fchmod(store->partial_fd, 0666 & ~mask))
		return rl_fail_errno(msg, errno, "%s", store->target);
	return 0;
}

int store_file_begin(struct store *store, struct rl_msg *msg)
{
	int err = resolve_target(store, msg);

	if (!err)
		err = clean_folder(store);
	if (err)
		return err;
	do {
		store_file_end(store);
		err = make_partial(store, msg);
	} while (err == 1);
	return err;
}

static int sync_folder(const char *target)
{
	char *copy = strdup(target);
	int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int err = 0;

	free(copy);
	if (fd < 0)
		return -errno;
	/* Some file systems cannot sync a folder; the file itself is safe already. */
	if (fsync(fd) && errno != EINVAL)
		err = -errno;
	close(fd);
	return err;
}

/* Has a database come to be at the target meanwhile? An append must keep its runs. */
static bool has_come(const struct store *store)
{
	struct stat st;

	return !stat(store->target, &st) && st.st_size > 0;
}

static int take_name(const struct store *store)
{
	bool appends = (store->flags & ~(unsigned int)STORE_NO_VIEWS) == STORE_APPEND;

	if (appends && !link(store->partial, store->target))
		return unlink(store->partial);
	if (appends && errno == EEXIST && has_come(store)) {
		errno = EEXIST;
		return -1;
	}
	/* Also where a file system knows no second name. */
	return rename(store->partial, store->target);
}

int store_file_commit(struct store *store, struct rl_msg *msg)
{
	int err;

	if (fsync(store->partial_fd))
		return rl_fail_errno(msg, errno, "%s", store->target);
	if (take_name(store)) {
		if (errno == EEXIST)
			return rl_fail(msg, EEXIST,
				       "%s: another program has made it meanwhile, append again",
				       store->target);
		return rl_fail_errno(msg, errno, "%s", store->target);
	}
	free(store->partial);
	store->partial = NULL;
	store_file_end(store);
	err = sync_folder(store->target);
	return err ? rl_fail_errno(msg, -err, "%s", store->target) : 0;
}

void store_file_end(struct store *store)
{
	if (store->partial)
		unlink(store->partial);
	free(store->partial);
	store->partial = NULL;
	if (store->partial_fd >= 0)
		close(store->partial_fd);
	store->partial_fd = -1;
}
