/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target without libFuzzer, over the files of directories:
 *
 *	fuzz_NAME DIR...
 *
 * Each file is run as it is, cut off at a few places, and in a few inputs that
 * are made from it; each of these is run changed at random, the same way every
 * time.  An input that ends the program is left in finding.bin.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

#define SEEDS 4      /* inputs made from a file */
#define MUTATIONS 12 /* changes of each input */

static uint64_t random_state;
static unsigned long nruns;

/* Leaves the input that is being run; then the signal does what it does. */
static void on_end(int signal_number)
{
	struct fuzz_bytes left = fuzz_current;
	int fd = open("finding.bin", O_WRONLY | O_CREAT | O_TRUNC, 0666);

	(void)signal_number;
	while (fd >= 0 && left.nbytes > 0) {
		ssize_t n = write(fd, left.data, left.nbytes);

		if (n <= 0)
			break;
		left.data += n;
		left.nbytes -= (size_t)n;
	}
}

/* Sanitizers have handlers of their own, and say more. */
static void watch(int signal_number)
{
	struct sigaction action = {
		.sa_handler = on_end,
		.sa_flags = (int)SA_RESETHAND,
	};
	struct sigaction old;

	if (sigaction(signal_number, NULL, &old) == 0 &&
	    old.sa_handler == SIG_DFL)
		sigaction(signal_number, &action, NULL);
}

static void run(const uint8_t *data, size_t nbytes)
{
	uint8_t *exact = fuzz_copy(data, nbytes);

	LLVMFuzzerTestOneInput(exact, nbytes);
	free(exact);
	nruns++;
}

static void run_changed(struct fuzz_room room, const uint8_t *data,
			size_t nbytes)
{
	for (unsigned i = 0; i < MUTATIONS; i++) {
		size_t n = nbytes;

		memcpy(room.data, data, nbytes);
		for (unsigned j = 0; j <= i % 3; j++)
			n = LLVMFuzzerCustomMutator(
				room.data, n, room.nbytes,
				(unsigned)fuzz_random(&random_state));
		run(room.data, n);
	}
}

static void run_made(struct fuzz_room room, const uint8_t *file,
		     size_t file_nbytes)
{
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		size_t n =
			fuzz_target.from_classic(file, file_nbytes, seed, room);
		uint8_t *made = fuzz_copy(room.data, n);

		run(made, n);
		if (n > 0)
			run_changed(room, made, n);
		free(made);
	}
}

static void run_bytes(const uint8_t *data, size_t nbytes)
{
	struct fuzz_room room = {
		.data = malloc(FUZZ_NBYTES_MAX),
		.nbytes = FUZZ_NBYTES_MAX,
	};

	FUZZ_CHECK(room.data);
	run(data, nbytes);
	run(data, nbytes / 2);
	run(data, nbytes - nbytes / 8);
	run_changed(room, data, nbytes);
	if (fuzz_target.from_classic && fuzz_is_classic(data, nbytes))
		run_made(room, data, nbytes);
	free(room.data);
}

static _Noreturn void fail(const char *path)
{
	perror(path);
	exit(EXIT_FAILURE);
}

static void take_file(const char *path)
{
	uint8_t *data = malloc(FUZZ_NBYTES_MAX);
	FILE *file = fopen(path, "rb");
	size_t n;

	if (!data || !file)
		fail(path);
	n = fread(data, 1, FUZZ_NBYTES_MAX, file);
	fclose(file);
	random_state = n;
	fuzz_mutate_seed(n);
	run_bytes(data, n);
	free(data);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void take_dir(const char *dir)
{
	struct dirent **entries;
	int count = scandir(dir, &entries, is_shown, alphasort);

	if (count < 0)
		fail(dir);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", dir, name);
		take_file(path);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
				       SIGSEGV };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		watch(signals[i]);
	LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		take_dir(argv[i]);
	printf("%lu runs, no finding\n", nruns);
	return nruns > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
