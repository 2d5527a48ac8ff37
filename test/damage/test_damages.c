/* SPDX-License-Identifier: MIT */
/*
 * Archives of every kind, damaged in every way: a test of the archive finds all
 * of it, no read gives a wrong value, what was not hit is still read, memory
 * and processor time stay within bounds.
 *
 *	test_damages TESTDATA [TABLE]
 *
 * NC3Z_DAMAGE=all takes every bit and every length, otherwise some of them.
 * TABLE is a file for the figures, in Markdown.
 */
#include <sys/resource.h>
#include <sys/time.h>

#include "check.h"
#include "reading.h"

#define SECTOR_NBYTES 512
#define BURST_NBYTES 4096

/*
 * Memory for all that happens here: what the specification allows a reader in
 * one pass (5.5: four times 2^25 bytes and a block), and the program.
 */
#define MEMORY_NBYTES ((rlim_t)200 << 20)

/* No case may take more of a processor's time. */
#define CASE_SECONDS 10

enum way {
	FLIP,
	CUT,
	ZEROS,
	GARBAGE,
	BURST,
	SWAP,
	SPLICE,
	WAYS
};

static const char *const way_names[WAYS] = {
	"bit flipped",           "cut off",        "sector of zeros",
	"sector of noise",       "4 KiB of noise", "blocks swapped",
	"spliced with a sister",
};

/* What is done to one kind. */
struct run {
	const struct subject *subject;
	struct reading reading;
	struct tally *tallies; /* of each way */
	size_t step;           /* of bits and lengths that are tried */
	size_t sector_step;    /* of sectors */
	uint64_t seed;
};

/*
 * SIGPROF after that many seconds of processor time from now on; 0 for none.
 * Other processes do not count, however many there are.
 */
static void limit_time(int seconds)
{
	const struct itimerval limit = { .it_value.tv_sec = seconds };

	REQUIRE(setitimer(ITIMER_PROF, &limit, NULL) == 0);
}

static void run_case(struct run *run, enum way way, const uint8_t *data,
		     size_t nbytes)
{
	limit_time(CASE_SECONDS);
	reading_case(&run->reading, data, nbytes, false, &run->tallies[way]);
}

static void flip_all(struct run *run)
{
	uint8_t *data = run->reading.archive;

	for (size_t bit = run->seed % run->step;
	     bit < 8 * run->subject->archive.nbytes; bit += run->step) {
		uint8_t mask = (uint8_t)(1u << bit % 8);

		data[bit / 8] ^= mask;
		run_case(run, FLIP, data, run->subject->archive.nbytes);
		data[bit / 8] ^= mask;
	}
}

static void cut_all(struct run *run)
{
	for (size_t n = run->seed % run->step; n < run->subject->archive.nbytes;
	     n += run->step) {
		uint8_t *data = copy_exactly(run->subject->archive.data, n);

		run_case(run, CUT, data, n);
		free(data);
	}
}

/* Overwrites so much from each sector on, unless that changes nothing. */
static void overwrite_all(struct run *run, enum way way, size_t nbytes)
{
	const struct blob *archive = &run->subject->archive;
	uint8_t *data = run->reading.archive;

	for (size_t at = 0; at < archive->nbytes; at += run->sector_step) {
		size_t n = archive->nbytes - at;

		if (n > nbytes)
			n = nbytes;
		for (size_t i = 0; i < n; i++)
			data[at + i] =
				way == ZEROS ?
					0 :
					(uint8_t)check_random(&run->seed);
		if (memcmp(data + at, archive->data + at, n) != 0)
			run_case(run, way, data, archive->nbytes);
		memcpy(data + at, archive->data + at, n);
	}
}

static size_t record_nbytes(const struct picture_block *b)
{
	return b->header_nbytes + b->payload_nbytes;
}

/* Swaps two runs of bytes of the archive, unless they are the same. */
static void swap(struct run *run, size_t a, size_t b, size_t nbytes)
{
	const struct blob *archive = &run->subject->archive;
	uint8_t *data = run->reading.archive;

	if (memcmp(archive->data + a, archive->data + b, nbytes) == 0)
		return;
	memcpy(data + a, archive->data + b, nbytes);
	memcpy(data + b, archive->data + a, nbytes);
	run_case(run, SWAP, data, archive->nbytes);
	memcpy(data + a, archive->data + a, nbytes);
	memcpy(data + b, archive->data + b, nbytes);
}

/* Records of the same length, and payloads. */
static void swap_all(struct run *run)
{
	const struct picture *p = &run->subject->picture;

	for (size_t i = 0; i < p->nblocks; i++)
		for (size_t k = i + 1; k < p->nblocks; k++) {
			const struct picture_block *a = &p->blocks[i];
			const struct picture_block *b = &p->blocks[k];

			if (record_nbytes(a) == record_nbytes(b))
				swap(run, a->offset, b->offset,
				     record_nbytes(a));
			if (a->payload_nbytes == b->payload_nbytes)
				swap(run, a->offset + a->header_nbytes,
				     b->offset + b->header_nbytes,
				     a->payload_nbytes);
		}
}

/*
 * The sister's bytes from 'from' to 'to' in place of the archive's from 'at' to
 * 'end'; what was there stays if both are the same.
 */
struct splice {
	size_t at, end;
	size_t from, to;
};

static void splice(struct run *run, const struct splice *p)
{
	const struct blob *a = &run->subject->archive;
	const struct blob *b = &run->subject->sister_archive;
	/* Whose catalogue is there, tells what is right. */
	bool is_sister = p->end > run->subject->picture.catalogue_offset;
	struct blob made = { 0 };
	uint8_t *data;

	blob_put(&made, a->data, p->at);
	blob_put(&made, b->data + p->from, p->to - p->from);
	blob_put(&made, a->data + p->end, a->nbytes - p->end);
	data = copy_exactly(made.data, made.nbytes);
	limit_time(CASE_SECONDS);
	if ((made.nbytes != a->nbytes || memcmp(data, a->data, a->nbytes)) &&
	    (made.nbytes != b->nbytes || memcmp(data, b->data, b->nbytes)))
		reading_case(&run->reading, data, made.nbytes, is_sister,
			     &run->tallies[SPLICE]);
	free(data);
	blob_release(&made);
}

/* Each record alone, and everything before each record. */
static void splice_all(struct run *run)
{
	const struct picture *p = &run->subject->picture;
	const struct picture *q = &run->subject->sister;
	const struct splice tails[] = {
		{ 0, p->index_offset, 0, q->index_offset },
		{ 0, p->header_copy_offset, 0, q->header_copy_offset },
		{ 0, p->catalogue_offset, 0, q->catalogue_offset },
		{ 0, p->trailer_offset, 0, q->trailer_offset },
		{ p->index_offset, p->header_copy_offset, q->index_offset,
		  q->header_copy_offset },
	};

	for (size_t i = 0; i < p->nblocks && i < q->nblocks; i++) {
		size_t at = p->blocks[i].offset, from = q->blocks[i].offset;
		const struct splice record = {
			at, at + record_nbytes(&p->blocks[i]), from,
			from + record_nbytes(&q->blocks[i])
		};
		const struct splice before = { 0, at, 0, from };

		splice(run, &record);
		splice(run, &before);
	}
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++)
		splice(run, &tails[i]);
}

/* Of what is not small, there is a sample. */
static void set_steps(struct run *run)
{
	size_t nsmall = run->subject->archive.nbytes / 20000;

	run->step *= 1 + 200 * nsmall;
	run->sector_step = SECTOR_NBYTES * (1 + nsmall);
}

static void run_kind(unsigned kind, const char *testdata, size_t step,
		     struct tally *tallies, char *name, size_t name_nbytes)
{
	struct subject subject;
	struct run run = {
		.subject = &subject,
		.tallies = tallies,
		.step = step,
		.seed = kind + 1,
	};

	REQUIRE(kind_make(kind, testdata, &subject));
	check_state.test = subject.name;
	snprintf(name, name_nbytes, "%s | %zu | %zu", subject.name,
		 subject.archive.nbytes, subject.picture.nblocks);
	set_steps(&run);
	if (reading_init(&run.reading, &subject)) {
		flip_all(&run);
		cut_all(&run);
		overwrite_all(&run, ZEROS, SECTOR_NBYTES);
		overwrite_all(&run, GARBAGE, SECTOR_NBYTES);
		overwrite_all(&run, BURST, BURST_NBYTES);
		swap_all(&run);
		splice_all(&run);
	}
	limit_time(0);
	reading_release(&run.reading);
	kind_release(&subject);
}

static void add(struct tally *sum, const struct tally *t)
{
	sum->ncases += t->ncases;
	sum->nfound += t->nfound;
	sum->nwrong += t->nwrong;
	sum->nright += t->nright;
	sum->nrefused += t->nrefused;
	if (t->seconds > sum->seconds)
		sum->seconds = t->seconds;
}

static void print_row(FILE *out, const char *name, const struct tally *t)
{
	fprintf(out, "| %s | %lu | %lu | %lu | %lu | %lu |\n", name, t->ncases,
		t->nfound, t->nwrong, t->nright, t->nrefused);
}

static void print_tables(FILE *out, unsigned nkinds,
			 struct tally (*tallies)[WAYS], char (*names)[80])
{
	struct tally all = { 0 };
	struct rusage usage;

	fprintf(out, "| archive | bytes | blocks | cases | found | wrong | "
		     "read | refused |\n|---|---|---|---|---|---|---|---|\n");
	for (unsigned k = 0; k < nkinds; k++) {
		struct tally sum = { 0 };

		for (int w = 0; w < WAYS; w++)
			add(&sum, &tallies[k][w]);
		print_row(out, names[k], &sum);
	}
	fprintf(out, "\n| damage | cases | found | wrong | read | refused |\n"
		     "|---|---|---|---|---|---|\n");
	for (int w = 0; w < WAYS; w++) {
		struct tally sum = { 0 };

		for (unsigned k = 0; k < nkinds; k++)
			add(&sum, &tallies[k][w]);
		print_row(out, way_names[w], &sum);
		add(&all, &sum);
	}
	print_row(out, "all", &all);
	getrusage(RUSAGE_SELF, &usage);
	fprintf(out,
		"\nThe slowest case took %.1f ms, the program never had more "
		"than %ld MiB.\n",
		all.seconds * 1e3, usage.ru_maxrss >> 10);
}

static void limit_memory(void)
{
	const struct rlimit limit = { MEMORY_NBYTES, MEMORY_NBYTES };
	const char *sanitizers = getenv("NC3Z_SANITIZE");

	/* Sanitizers map terabytes. */
	if (!sanitizers || !*sanitizers)
		CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

int main(int argc, char **argv)
{
	static struct tally tallies[64][WAYS];
	static char names[64][80];
	const char *how = getenv("NC3Z_DAMAGE");
	bool takes_all = how && strcmp(how, "all") == 0;
	unsigned nkinds = kinds_count();
	FILE *table = NULL;

	if (argc < 2 || nkinds > 64)
		return 2;
	limit_memory();
	for (unsigned k = 0; k < nkinds; k++)
		run_kind(k, argv[1], takes_all ? 1 : 61, tallies[k], names[k],
			 sizeof(names[k]));
	print_tables(stdout, nkinds, tallies, names);
	if (argc > 2 && takes_all)
		table = fopen(argv[2], "w");
	if (table) {
		print_tables(table, nkinds, tallies, names);
		CHECK(fclose(table) == 0);
	}
	return check_report();
}
