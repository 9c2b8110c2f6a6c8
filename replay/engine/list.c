/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "internal.h"

void rc_list_add(struct reclaim_engine *e, struct rc_list *l, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	p->prev = RC_NONE;
	p->next = l->head;
	if (l->head != RC_NONE)
		e->pages[l->head].prev = page;
	else
		l->tail = page;
	l->head = page;
	l->len++;
}

void rc_list_add_tail(struct reclaim_engine *e, struct rc_list *l, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	p->next = RC_NONE;
	p->prev = l->tail;
	if (l->tail != RC_NONE)
		e->pages[l->tail].next = page;
	else
		l->head = page;
	l->tail = page;
	l->len++;
}

void rc_list_del(struct reclaim_engine *e, struct rc_list *l, uint32_t page)
{
	struct rc_page *p = &e->pages[page];

	if (p->prev != RC_NONE)
		e->pages[p->prev].next = p->next;
	else
		l->head = p->next;
	if (p->next != RC_NONE)
		e->pages[p->next].prev = p->prev;
	else
		l->tail = p->prev;
	p->next = RC_NONE;
	p->prev = RC_NONE;
	l->len--;
}
