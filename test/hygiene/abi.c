/* SPDX-License-Identifier: MIT */
/*
 * usage: abi [FROZEN]
 *
 * Prints how the structs of nc3z.h lie in memory and the values of its
 * constants, or compares them with the file that freezes them.  A program that
 * was compiled with an older header relies on every line of it.  A line may
 * only be added, or be a reserved word that became a field.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nc3z.h"

enum kind {
	KIND_STRUCT,
	KIND_FIELD,
	KIND_NUMBER
};

struct row {
	enum kind kind;
	const char *name;
	const char *field;
	unsigned long long a;
	unsigned long long b;
};

#define STRUCT(name) { KIND_STRUCT, #name, "", sizeof(struct name), 0 },
#define FIELD(name, field) \
	{ KIND_FIELD, #name, "." #field, offsetof(struct name, field), \
	  sizeof(((struct name *)0)->field) },
#define NUMBER(name) { KIND_NUMBER, #name, "", (unsigned long long)(name), 0 },

static const struct row rows[] = {
#include "abi_rows.inc"
};

#define NROWS (sizeof(rows) / sizeof(rows[0]))

static void format(const struct row *row, char *line, size_t nbytes)
{
	if (row->kind == KIND_NUMBER)
		snprintf(line, nbytes, "%s %lld\n", row->name,
			 (long long)row->a);
	else if (row->kind == KIND_STRUCT)
		snprintf(line, nbytes, "%s %llu\n", row->name, row->a);
	else
		snprintf(line, nbytes, "%s%s %llu %llu\n", row->name,
			 row->field, row->a, row->b);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), nend = strlen(end);

	return n >= nend && strcmp(text + n - nend, end) == 0;
}

/* Structs that never change, and one that the library allocates. */
static bool is_excused(const char *name)
{
	static const char *const names[] = {
		"nc3z_coding", "nc3z_hyperslab",      "nc3z_iterator_var",
		"nc3z_range",  "nc3z_salvage_report",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/*
 * Structs of options end without padding, which a field that is added could
 * come to lie in; others end with reserved words.
 */
static bool can_grow(size_t first, size_t last)
{
	const char *name = rows[first].name;
	bool is_options = ends_with(name, "_options") ||
			  strcmp(name, "nc3z_callbacks") == 0;

	if (is_options)
		return ends_with(rows[first + 1].field, "_nbytes") &&
		       rows[first + 1].a == 0 &&
		       rows[last].a + rows[last].b == rows[first].a;
	return is_excused(name) || strcmp(rows[last].field, ".reserved") == 0;
}

static unsigned check_growth(void)
{
	unsigned nwrong = 0;
	size_t i = 0;

	while (i < NROWS && rows[i].kind == KIND_STRUCT) {
		size_t last = i;

		while (last + 1 < NROWS && rows[last + 1].kind == KIND_FIELD)
			last++;
		if (!can_grow(i, last)) {
			printf("%s can grow in no way\n", rows[i].name);
			nwrong++;
		}
		i = last + 1;
	}
	return nwrong;
}

static unsigned check_frozen(FILE *file)
{
	char wanted[256], found[256];
	unsigned nwrong = 0;

	for (size_t i = 0; i < NROWS && nwrong == 0; i++) {
		format(&rows[i], found, sizeof(found));
		if (!fgets(wanted, sizeof(wanted), file))
			strcpy(wanted, "nothing\n");
		if (strcmp(wanted, found) != 0) {
			printf("frozen: %snow:    %s", wanted, found);
			nwrong++;
		}
	}
	if (nwrong == 0 && fgets(wanted, sizeof(wanted), file)) {
		printf("frozen: %snow:    nothing\n", wanted);
		nwrong++;
	}
	return nwrong;
}

int main(int argc, char **argv)
{
	char line[256];
	unsigned nwrong;
	FILE *file;

	if (argc == 1) {
		for (size_t i = 0; i < NROWS; i++) {
			format(&rows[i], line, sizeof(line));
			fputs(line, stdout);
		}
		return 0;
	}
	if (sizeof(void *) != 8) {
		puts("skipped: the frozen layout is that of 64-bit machines");
		return 77;
	}
	file = fopen(argv[1], "r");
	if (!file) {
		perror(argv[1]);
		return 2;
	}
	nwrong = check_growth() + check_frozen(file);
	fclose(file);
	return nwrong > 0;
}
