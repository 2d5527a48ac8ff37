/* SPDX-License-Identifier: MIT */
/* The settings from the command line of nc3mount. */
#ifndef NC3Z_TOOLS_MOUNT_MOUNT_SETTINGS_H
#define NC3Z_TOOLS_MOUNT_MOUNT_SETTINGS_H

#include <stdbool.h>

#include "mount/archives.h"
#include "mount/naming.h"

enum mount_action {
	MOUNT_RUN,
	MOUNT_HELP,
	MOUNT_VERSION,
	MOUNT_COMPLETION,
};

struct mount_settings {
	enum mount_action action;
	const char *shell; /* of MOUNT_COMPLETION */
	bool foreground;
	bool nonempty; /* what is at the mount point may be hidden */
	unsigned nthreads;
	struct naming naming;
	struct archives_limits limits;
	char *options;   /* for libfuse: "a,b=c", "" */
	char *suffix;    /* what 'naming' points to, if it was given */
	const char *dir; /* or a tar; NULL: URLs */
	char **urls;     /* operands */
	int nurls;
	const char *urls_file; /* NULL: none */
	const char *mount_point;
};

/* 0, or -1 after a message. */
int mount_settings_parse(struct mount_settings *s, int argc, char **argv);

void mount_settings_release(struct mount_settings *s);

void mount_settings_print_help(void);

/* Prints a completion script; -1 after a message. */
int mount_settings_print_completion(const char *shell);

#endif
