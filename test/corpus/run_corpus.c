/*
 * Packs and restores all files of a directory or package:
 *
 *	run_corpus table README DIR   as the tables in README say
 *	run_corpus corpus NAME           $NC3Z_CORPUS/NAME, all packed
 *	run_corpus any NAME              $NC3Z_CORPUS/NAME, whatever happens
 *	run_corpus package NAME          .nc and .cdf files of a Debian package,
 *	                                 all packed
 *
 * "Packed" is without a warning.  Status 77 if there are no such files.
 */
#define _GNU_SOURCE /* popen() */
#include <dirent.h>

#include "check.h"
#include "round_trip.h"

struct names {
	char **list;
	size_t count;
};

static void add_name(struct names *names, const char *name)
{
	char *copy = strdup(name);

	/* Powers of two are enough of a capacity. */
	if ((names->count & (names->count - 1)) == 0)
		names->list = realloc(names->list,
				      2 * (names->count + 1) * sizeof(copy));
	if (!copy || !names->list)
		abort();
	names->list[names->count++] = copy;
}

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_dir(const char *path, struct names *names)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char file[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		add_name(names, file);
	}
	if (dir)
		closedir(dir);
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n >= m && strcmp(name + n - m, suffix) == 0;
}

static void list_package(const char *package, struct names *names)
{
	char command[256], line[4096];
	FILE *pipe;

	snprintf(command, sizeof(command), "dpkg -L %s 2>/dev/null", package);
	pipe = popen(command, "r");
	while (pipe && fgets(line, sizeof(line), pipe)) {
		line[strcspn(line, "\n")] = '\0';
		if (ends_in(line, ".nc") || ends_in(line, ".cdf"))
			add_name(names, line);
	}
	if (pipe)
		pclose(pipe);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What a row of the table says of a file, "" if there is none. */
static void find_row(const char *table, const char *path, char must[16])
{
	const char *name = base_name(path);
	char row[512];
	FILE *file = fopen(table, "r");

	strcpy(must, "");
	while (file && fgets(row, sizeof(row), file)) {
		size_t n = strlen(name);

		if (strncmp(row, "| ", 2) == 0 &&
		    strncmp(row + 2, name, n) == 0 &&
		    strncmp(row + 2 + n, " | ", 3) == 0 &&
		    sscanf(row + 2 + n + 3, "%15[a-z]", must) == 1)
			break;
	}
	if (file)
		fclose(file);
}

static bool is_as_it_must_be(const char *must, enum outcome outcome)
{
	if (strcmp(must, "packed") == 0)
		return outcome == OUTCOME_PACKED;
	if (strcmp(must, "warned") == 0)
		return outcome == OUTCOME_WARNED;
	if (strcmp(must, "either") == 0)
		return outcome != OUTCOME_PACKED;
	if (strcmp(must, "refused") == 0)
		return outcome == OUTCOME_REFUSED;
	return strcmp(must, "any") == 0;
}

struct totals {
	unsigned long nchecks;
	size_t noutcomes[3];
	uint64_t nbytes;
};

static void run_file(const char *path, const char *must, struct totals *totals)
{
	static const char *const words[] = { "packed", "warned", "refused" };
	const char *name = base_name(path);
	struct bytes file;
	struct verdict verdict;

	check_state.test = name;
	REQUIRE(load_file(path, &file));
	verdict = round_trip(name, &file);
	CHECK(verdict.nchecks > 0 && verdict.nfailed == 0);
	if (!CHECK(is_as_it_must_be(must, verdict.outcome)))
		printf("%s: was %s, must be %s\n", path, words[verdict.outcome],
		       must);
	totals->noutcomes[verdict.outcome]++;
	totals->nchecks += verdict.nchecks;
	totals->nbytes += file.nbytes;
	free(file.data);
}

static void run_all(const struct names *names, const char *must,
		    const char *table)
{
	struct totals totals = { 0 };
	char row[16];

	qsort(names->list, names->count, sizeof(*names->list), by_name);
	for (size_t i = 0; i < names->count; i++) {
		if (table)
			find_row(table, names->list[i], row);
		run_file(names->list[i], table ? row : must, &totals);
	}
	printf("%zu files, %" PRIu64 " bytes: %zu restored, %zu of them "
	       "warned, %zu refused; %lu checks\n",
	       names->count, totals.nbytes,
	       totals.noutcomes[OUTCOME_PACKED] +
		       totals.noutcomes[OUTCOME_WARNED],
	       totals.noutcomes[OUTCOME_WARNED],
	       totals.noutcomes[OUTCOME_REFUSED], totals.nchecks);
}

static void list_corpus(const char *name, struct names *names)
{
	const char *corpus = getenv("NC3Z_CORPUS");
	char dir[4096];

	if (!corpus || corpus[0] == '\0')
		check_skip("NC3Z_CORPUS is not set");
	snprintf(dir, sizeof(dir), "%s/%s", corpus, name);
	list_dir(dir, names);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "", *must = "packed";
	const char *table = NULL;
	struct names names = { 0 };

	if (strcmp(how, "table") == 0 && argc == 4) {
		table = argv[2];
		list_dir(argv[3], &names);
	} else if (strcmp(how, "corpus") == 0) {
		list_corpus(argv[2], &names);
	} else if (strcmp(how, "any") == 0) {
		must = "any";
		list_corpus(argv[2], &names);
	} else if (strcmp(how, "package") == 0) {
		list_package(argv[2], &names);
	} else {
		fputs("usage: run_corpus table|corpus|any|package NAME...\n",
		      stderr);
		return 2;
	}
	if (names.count == 0)
		check_skip("no files found");
	run_all(&names, must, table);
	free_names(&names);
	return check_report();
}
