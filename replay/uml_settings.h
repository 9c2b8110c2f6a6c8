/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * uml_settings.h - a machine and a policy as options of kernel/lab/uml
 */
#ifndef RECLAIMLAB_UML_SETTINGS_H
#define RECLAIMLAB_UML_SETTINGS_H

#include "capture/base/message.h"
#include "replay/machine.h"

#define UML_MAX_SETTINGS 64
#define UML_SETTING_SIZE 96

/* Words of a command line, in their order: "--memory", "524288K", "--knob", "swappiness=60", ... */
struct uml_settings {
	char word[UML_MAX_SETTINGS][UML_SETTING_SIZE];
	unsigned int nr;
};

/* Append what stands for @machine. Returns 0, or -E2BIG; -EOPNOTSUPP: it has memory cgroups. */
int uml_settings_machine(struct uml_settings *settings, const struct machine *machine,
			 struct rl_msg *msg);

/* Append the switches of @policy. -EOPNOTSUPP: the patched kernel has none for it. */
int uml_settings_policy(struct uml_settings *settings, const char *policy, struct rl_msg *msg);

#endif
