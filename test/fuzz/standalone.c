/*
 * Runs a fuzz target without libFuzzer, over the files of folders:
 *
 *	fuzz_NAME FOLDER...
 *
 * Each file is run as it is, cut off at a few places, and in a few inputs that
 * are made from it; each of these is run changed at random, the same way every
 * time.  An input that makes the target abort is left in finding.bin.
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

/* The input that is being run. */
static const uint8_t *current;
static size_t current_nbytes;

static void on_abort(int signal_number)
{
	int fd = open("finding.bin", O_WRONLY | O_CREAT | O_TRUNC, 0666);

	(void)signal_number;
	while (fd >= 0 && current_nbytes > 0) {
		ssize_t n = write(fd, current, current_nbytes);

		if (n <= 0)
			break;
		current += n;
		current_nbytes -= (size_t)n;
	}
}

static void change_bytes(uint8_t *data, size_t nbytes)
{
	static const uint8_t telling[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	uint64_t r = fuzz_random(&random_state);
	size_t at = (size_t)fuzz_random_below(&random_state, nbytes);

	if (r % 2)
		data[at] ^= (uint8_t)(1u << (r >> 8) % 8);
	else
		data[at] = telling[(r >> 8) % sizeof(telling)];
}

/* A few bytes taken out, or put in twice. */
static size_t change_length(uint8_t *data, size_t nbytes, size_t max_nbytes)
{
	size_t at = (size_t)fuzz_random_below(&random_state, nbytes);
	size_t n = 1 + (size_t)fuzz_random_below(&random_state, 8);

	if (n > nbytes - at)
		n = nbytes - at;
	if (fuzz_random(&random_state) % 2) {
		memmove(data + at, data + at + n, nbytes - at - n);
		return nbytes - n;
	}
	if (n > max_nbytes - nbytes)
		n = max_nbytes - nbytes;
	memmove(data + at + n, data + at, nbytes - at);
	return nbytes + n;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t nbytes, size_t max_nbytes)
{
	if (nbytes > 0 && fuzz_random(&random_state) % 4 == 0)
		nbytes = change_length(data, nbytes, max_nbytes);
	if (nbytes == 0 && max_nbytes > 0)
		data[nbytes++] = (uint8_t)fuzz_random(&random_state);
	for (unsigned i = 0; i < 3 && nbytes > 0; i++)
		change_bytes(data, nbytes);
	return nbytes;
}

static void run(const uint8_t *data, size_t nbytes)
{
	uint8_t *exact = fuzz_copy(data, nbytes);

	current = exact;
	current_nbytes = nbytes;
	LLVMFuzzerTestOneInput(exact, nbytes);
	current_nbytes = 0;
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

static void run_file(const char *path)
{
	uint8_t *data = malloc(FUZZ_NBYTES_MAX);
	FILE *file = fopen(path, "rb");
	size_t n;

	if (!data || !file) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	n = fread(data, 1, FUZZ_NBYTES_MAX, file);
	fclose(file);
	random_state = n;
	run_bytes(data, n);
	free(data);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void run_folder(const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_shown, alphasort);

	if (count < 0) {
		perror(folder);
		exit(EXIT_FAILURE);
	}
	for (int i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", folder,
			 entries[i]->d_name);
		run_file(path);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	signal(SIGABRT, on_abort);
	LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		run_folder(argv[i]);
	printf("%lu runs, no finding\n", nruns);
	return nruns > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
