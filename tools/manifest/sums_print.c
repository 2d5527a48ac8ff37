/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "manifest/sums_print.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/json.h"
#include "common/message.h"

static const struct {
	const char *title; /* of a column of the table */
	int width;
	bool is_size;
	const char *key; /* of CSV and JSON */
} columns[SUM_END] = {
	[SUM_ARCHIVES] = { "archives", 9, false, "archives" },
	[SUM_ORIGINAL_BYTES] = { "original", 9, true, "original_bytes" },
	[SUM_ARCHIVE_BYTES] = { "archive", 9, true, "archive_bytes" },
	[SUM_FAILED] = { "failed", 7, false, "failed" },
	[SUM_LEFT] = { "left", 9, false, "left" },
	[SUM_LEFT_BYTES] = { "size left", 9, true, "left_bytes" },
};

/* 0 where there is nothing. */
static double ratio(const struct sums_group *group)
{
	uint64_t nbytes = group->sums[SUM_ARCHIVE_BYTES];

	return nbytes > 0 ? (double)group->sums[SUM_ORIGINAL_BYTES] /
				    (double)nbytes :
			    0;
}

/* What archives save, in bytes; less than nothing where they are larger. */
static double saved(const struct sums_group *group)
{
	return (double)group->sums[SUM_ORIGINAL_BYTES] -
	       (double)group->sums[SUM_ARCHIVE_BYTES];
}

static void print_size(double nbytes, int width)
{
	char text[32] = "";
	FILE *to = fmemopen(text, sizeof(text), "w");

	if (to) {
		message_put_size(to, nbytes);
		fclose(to);
	}
	printf("%*s ", width, text);
}

static void print_row(const struct sums_group *group)
{
	for (int k = 0; k < SUM_END; k++) {
		if (columns[k].is_size)
			print_size((double)group->sums[k], columns[k].width);
		else
			printf("%*" PRIu64 " ", columns[k].width,
			       group->sums[k]);
		if (k == SUM_ARCHIVE_BYTES) {
			print_size(saved(group), 9);
			printf("%7.2f ", ratio(group));
		}
	}
	putchar(' ');
	message_put_text(stdout, group->name ? group->name : "(totals)");
	putchar('\n');
}

static void print_table(const struct sums_group *groups, size_t ngroups,
			const struct sums_group *total)
{
	for (int k = 0; k < SUM_END; k++) {
		printf("%*s ", columns[k].width, columns[k].title);
		if (k == SUM_ARCHIVE_BYTES)
			printf("%9s %7s ", "saved", "ratio");
	}
	printf(" name\n");
	/* One without a name is all there is. */
	for (size_t i = 0; i < ngroups && groups[i].name[0]; i++)
		print_row(&groups[i]);
	print_row(total);
}

/* RFC 4180. */
static void print_csv(const struct sums_group *groups, size_t ngroups)
{
	printf("name");
	for (int k = 0; k < SUM_END; k++)
		printf(",%s", columns[k].key);
	printf("\r\n");
	for (size_t i = 0; i < ngroups; i++) {
		putchar('"');
		for (const char *c = groups[i].name; *c; c++)
			printf(*c == '"' ? "\"\"" : "%c", *c);
		putchar('"');
		for (int k = 0; k < SUM_END; k++)
			printf(",%" PRIu64, groups[i].sums[k]);
		printf("\r\n");
	}
}

static void print_json_sums(const struct sums_group *group)
{
	for (int k = 0; k < SUM_END; k++)
		printf("\"%s\": %" PRIu64 ", ", columns[k].key, group->sums[k]);
	printf("\"ratio\": %.4f}", ratio(group));
}

static void print_json(const struct sums_group *groups, size_t ngroups,
		       const struct sums_group *total)
{
	printf("{\"groups\": [");
	for (size_t i = 0; i < ngroups; i++) {
		printf("%s\n    {", i > 0 ? "," : "");
		json_put_name(stdout, "name", groups[i].name);
		printf(", ");
		print_json_sums(&groups[i]);
	}
	printf("%s],\n \"totals\": {", ngroups > 0 ? "\n " : "");
	print_json_sums(total);
	printf("}\n");
}

void sums_print(enum report_form form, const struct sums_group *groups,
		size_t ngroups, const struct sums_group *total)
{
	switch (form) {
	case REPORT_CSV:
		print_csv(groups, ngroups);
		break;
	case REPORT_JSON:
		print_json(groups, ngroups, total);
		break;
	default:
		print_table(groups, ngroups, total);
	}
}
