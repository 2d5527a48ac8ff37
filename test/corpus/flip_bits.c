/*
 * Every bit of small archives turned over, and every beginning of them: always
 * found out, and never as anything but damage.
 *
 *	flip_bits FILE...
 */
#include "check.h"
#include "load.h"
#include "nc3z.h"

static int verify(const uint8_t *data, size_t nbytes)
{
	struct nc3z_restore_options options;
	struct nc3z_source *source = NULL;
	int status;

	nc3z_restore_options_init(&options);
	options.nthreads = 1;
	CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) == NC3Z_OK);
	status = nc3z_verify(source, &options, NULL, NULL);
	nc3z_source_close(source);
	return status;
}

static void flip_all(const uint8_t *archive, size_t nbytes)
{
	uint8_t *copy = malloc(nbytes);

	REQUIRE(copy);
	memcpy(copy, archive, nbytes);
	CHECK(verify(copy, nbytes) == NC3Z_OK);
	for (size_t bit = 0; bit < 8 * nbytes; bit++) {
		uint8_t mask = (uint8_t)(1u << bit % 8);

		copy[bit / 8] ^= mask;
		if (!CHECK(verify(copy, nbytes) == NC3Z_EDAMAGED))
			printf("bit %zu of byte %zu\n", bit % 8, bit / 8);
		copy[bit / 8] ^= mask;
	}
	free(copy);
}

/* In memory of that length, so that sanitizers see what is read beyond. */
static void cut_all(const uint8_t *archive, size_t nbytes)
{
	for (size_t n = 0; n < nbytes; n++) {
		uint8_t *copy = malloc(n + !n);
		/* Nobody knows an archive by less than the magic. */
		int expected = n < 8 ? NC3Z_ENOTARCHIVE : NC3Z_EDAMAGED;

		REQUIRE(copy);
		memcpy(copy, archive, n);
		if (!CHECK(verify(copy, n) == expected))
			printf("after %zu bytes\n", n);
		free(copy);
	}
}

static void run_file(const char *path, int codec)
{
	struct nc3z_pack_options options;
	struct nc3z_source *source = NULL;
	struct nc3z_sink *sink = NULL;
	struct bytes file;
	const void *archive;
	size_t nbytes;

	check_state.test = path;
	REQUIRE(load_file(path, &file));
	nc3z_pack_options_init(&options);
	options.codec = codec;
	options.block_nbytes = NC3Z_BLOCK_NBYTES_MIN;
	CHECK(nc3z_source_open_memory(file.data, file.nbytes, &source, NULL) ==
	      NC3Z_OK);
	CHECK(nc3z_sink_open_memory(SIZE_MAX, &sink, NULL) == NC3Z_OK);
	CHECK(nc3z_pack(source, sink, &options, NULL, NULL) == NC3Z_OK);
	nc3z_source_close(source);
	archive = nc3z_sink_memory(sink, &nbytes);
	flip_all(archive, nbytes);
	cut_all(archive, nbytes);
	nc3z_sink_close(sink);
	free(file.data);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		for (int codec = NC3Z_CODEC_STORE; codec <= NC3Z_CODEC_ZSTD;
		     codec++)
			run_file(argv[i], codec);
	return check_report();
}
