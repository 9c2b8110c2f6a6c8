/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbols.h - addresses of the recorded kernel to names
 *
 * Inside the vocabulary only. Most recordings ask for the addresses of a few functions and have a
 * text of some megabytes that is sorted as far as the kernel itself goes, so an address is first
 * looked for in the text by bisection. What begins no symbol there makes the table of all symbols.
 */
#ifndef RECLAIMLAB_SYMBOLS_H
#define RECLAIMLAB_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

/*
 * "address type name [module]" lines, which must outlive the result. Lines of other shapes are left
 * out. NULL: no memory.
 */
struct symbols *vocab_symbols_new(const char *text, size_t len);
void vocab_symbols_free(struct symbols *symbols);

/* The symbol that @address lies in. *@name belongs to @symbols. @symbols may be NULL. */
bool vocab_symbols_find(struct symbols *symbols, uint64_t address, const char **name, size_t *len);

#endif
