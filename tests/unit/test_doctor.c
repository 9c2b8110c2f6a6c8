/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two machines, as copies of their files: one with everything, one locked and bare. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "capture/record/doctor.h"

struct copy {
	const char *path, *text;
};

static char root[64];

/* Make the file and the folders above it. */
static void make_file(const struct copy *file)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, file->path);
	for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(file->text, f);
	fclose(f);
}

static const struct copy full[] = {
	{ "/proc/mounts", "sys /sys sysfs rw 0 0\n"
			  "debug /sys/kernel/debug debugfs rw 0 0\n"
			  "trace /sys/kernel/tracing tracefs rw 0 0\n"
			  "cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n" },
	{ "/proc/sys/kernel/osrelease", "6.12.38+deb13\n" },
	{ "/proc/meminfo",
	  "MemTotal:       2097152 kB\nMemFree: 1 kB\nMemAvailable:   1048576 kB\n" },
	{ "/proc/self/status", "Name:\tx\nCapPrm:\t0\nCapEff:\t000001ffffffffff\n" },
	{ "/proc/kallsyms", "ffffffff81000000 T _text\n" },
	{ "/proc/swaps", "Filename Type Size Used Priority\n"
			 "/dev/vda2 partition 1048576 524288 -2\n"
			 "/dev/zram0 partition 1048576 0 100\n" },
	{ "/proc/sys/vm/swappiness", "60\n" },
	{ "/proc/sys/vm/min_free_kbytes", "45056\n" },
	{ "/proc/sys/vm/watermark_scale_factor", "120\n" },
	{ "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n" },
	{ "/sys/kernel/tracing/trace_clock", "local global [mono] boot\n" },
	{ "/sys/kernel/tracing/buffer_size_kb", "1408\n" },
	{ "/sys/kernel/mm/lru_gen/enabled", "0x0007\n" },
	{ "/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n" },
	{ "/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n" },
	{ "/proc/zoneinfo", "Node 0, zone      DMA\n"
			    "  per-node stats\n"
			    "      nr_inactive_anon 7\n"
			    "  pages free     3840\n"
			    "        boost    0\n"
			    "        min      32\n"
			    "        low      40\n"
			    "        high     48\n"
			    "        managed  3840\n"
			    "  pagesets\n"
			    "    cpu: 0\n"
			    "              count:    5\n"
			    "              high:     14\n"
			    "              batch:    1\n"
			    "Node 0, zone   Normal\n"
			    "  pages free     20000\n"
			    "        boost    1024\n"
			    "        min      500\n"
			    "        low      1254\n"
			    "        high     2008\n"
			    "        managed  62464\n"
			    "Node 0, zone  Movable\n"
			    "  pages free     0\n"
			    "        min      0\n"
			    "        low      0\n"
			    "        high     0\n"
			    "        managed  0\n" },
};

static const struct copy bare[] = {
	{ "/proc/mounts", "cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0\n" },
	{ "/proc/sys/kernel/osrelease", "4.9.0\n" },
	{ "/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n" },
	{ "/proc/kallsyms", "0000000000000000 T _text\n" },
	{ "/proc/sys/kernel/kptr_restrict", "2\n" },
	{ "/proc/swaps", "Filename Type Size Used Priority\n" },
	{ "/sys/kernel/security/lockdown", "none integrity [confidentiality]\n" },
	{ "/sys/kernel/mm/lru_gen/enabled", "0x0000\n" },
};

static void make_machine(const struct copy *files, size_t nr)
{
	snprintf(root, sizeof(root), "/tmp/reclaimlab-doctor-XXXXXX");
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < nr; i++)
		make_file(&files[i]);
}

static void remove_machine(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static struct doctor_row find_row(const struct doctor_place *place, const char *key)
{
	struct doctor_row row;

	for (unsigned int i = 0; doctor_row_at(place, i, &row); i++)
		if (!strcmp(row.key, key))
			return row;
	fail_msg("no row %s", key);
	return row;
}

static void assert_row(const struct doctor_place *place, const char *key, enum doctor_state state,
		       const char *detail)
{
	struct doctor_row row = find_row(place, key);

	assert_int_equal(row.state, state);
	assert_string_equal(row.detail, detail);
	assert_true(state != DOCTOR_NO || *row.cost);
}

static void machine_with_everything(void **state)
{
	char tracing[128], wanted[128];
	struct doctor_place place = { root, tracing };

	make_machine(full, sizeof(full) / sizeof(full[0]));
	assert_true(doctor_find_tracing(root, tracing, sizeof(tracing)));
	snprintf(wanted, sizeof(wanted), "%s/sys/kernel/tracing", root);
	assert_string_equal(tracing, wanted);
	assert_int_equal(strncmp(find_row(&place, "kernel").detail, "6.12.38+deb13 ", 14), 0);
	assert_int_equal(
		strncmp(find_row(&place, "memory").detail, "2.0 GiB, 1.0 GiB available", 26), 0);
	assert_row(&place, "rights", DOCTOR_YES, "CAP_SYS_ADMIN");
	assert_row(&place, "lockdown", DOCTOR_YES, "integrity");
	assert_row(&place, "clocks", DOCTOR_YES, "local global mono boot");
	assert_row(&place, "buffers", DOCTOR_YES,
		   "kernel's own 1408 KiB a CPU; a recording takes its own");
	assert_row(&place, "symbols", DOCTOR_YES, "/proc/kallsyms");
	assert_row(&place, "dynamic_probes", DOCTOR_NO, "no kprobe_events in this kernel");
	assert_row(&place, "marks", DOCTOR_FACT,
		   "min_free_kbytes 45056, watermark_scale_factor 120");
	assert_row(&place, "swap", DOCTOR_FACT, "2 devices, 2.0 GiB, 0.5 GiB used, swappiness 60");
	assert_row(&place, "thp", DOCTOR_FACT, "always");
	assert_row(&place, "mglru", DOCTOR_FACT, "on (0x0007)");
	assert_row(&place, "cgroup", DOCTOR_FACT, "version 2, memory limits at /sys/fs/cgroup");
	remove_machine();
}

static void machine_that_is_locked(void **state)
{
	struct doctor_place place = { root, NULL };
	char tracing[128];

	make_machine(bare, sizeof(bare) / sizeof(bare[0]));
	assert_false(doctor_find_tracing(root, tracing, sizeof(tracing)));
	assert_int_equal(find_row(&place, "tracefs").state, DOCTOR_NO);
	assert_int_equal(find_row(&place, "rights").state, DOCTOR_NO);
	assert_row(&place, "lockdown", DOCTOR_NO, "confidentiality");
	assert_row(&place, "clocks", DOCTOR_NO, "trace_clock cannot be read");
	assert_row(&place, "symbols", DOCTOR_NO,
		   "/proc/kallsyms: addresses are hidden, kernel.kptr_restrict 2");
	assert_row(&place, "swap", DOCTOR_FACT,
		   "none: reclaim has only file pages and slab to take");
	assert_row(&place, "thp", DOCTOR_FACT, "not in this kernel");
	assert_row(&place, "mglru", DOCTOR_FACT, "off (0x0000): active and inactive lists");
	assert_row(&place, "cgroup", DOCTOR_FACT,
		   "version 1, memory limits at /sys/fs/cgroup/memory");
	remove_machine();
}

static void watermarks_of_zones_that_have_pages(void **state)
{
	const struct doctor_place place = { root, NULL };
	struct doctor_zone zones[DOCTOR_ZONES];

	make_machine(full, sizeof(full) / sizeof(full[0]));
	assert_int_equal(doctor_zones(&place, zones), 2);
	assert_string_equal(zones[0].name, "node 0 DMA");
	assert_int_equal(zones[0].high, 48);
	assert_string_equal(zones[1].name, "node 0 Normal");
	assert_int_equal(zones[1].managed, 62464);
	assert_int_equal(zones[1].free, 20000);
	assert_int_equal(zones[1].min, 500);
	assert_int_equal(zones[1].low, 1254);
	assert_int_equal(zones[1].high, 2008);
	assert_int_equal(zones[1].boost, 1024);
	remove_machine();
	make_machine(bare, sizeof(bare) / sizeof(bare[0]));
	assert_int_equal(doctor_zones(&place, zones), 0);
	remove_machine();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machine_with_everything),
		cmocka_unit_test(machine_that_is_locked),
		cmocka_unit_test(watermarks_of_zones_that_have_pages),
	};

	return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
