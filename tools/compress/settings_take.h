/* SPDX-License-Identifier: MIT */
/* The options of nc3compress, by number, and taking one. */
#ifndef NC3Z_TOOLS_COMPRESS_SETTINGS_TAKE_H
#define NC3Z_TOOLS_COMPRESS_SETTINGS_TAKE_H

enum settings_key {
	KEY_CODEC = 256,
	KEY_RM,
	KEY_VERIFY,
	KEY_SPARSE,
	KEY_JSON,
	KEY_FILES0_FROM,
	KEY_COMPLETION,
	KEY_PORTABLE,
	KEY_CHUNKS,
	KEY_MAX_MEMORY,
	KEY_MAX_SIZE,
	KEY_RECODE,
	KEY_RECHUNK,
	KEY_DRY_RUN,
	KEY_QUICK,
	KEY_MANIFEST,
	KEY_CHECK_MANIFEST,
	KEY_SALVAGE,
	KEY_ARCHIVE,
	KEY_UPDATE,
	KEY_OUTPUT_DIR,
	KEY_EXCLUDE,
	KEY_INCLUDE,
	KEY_OLDER_THAN,
	KEY_JOURNAL,
	KEY_UNTIL,
	KEY_PART,
	KEY_JOIN,
};

/*
 * Takes an option that has no target, as option.h says it; the context is the
 * struct settings.
 */
int settings_take(void *context, int key, const char *argument);

/* Notes an option of the environment, or of the command line. */
void settings_see_default(void *context, int key);
void settings_see(void *context, int key);

#endif
