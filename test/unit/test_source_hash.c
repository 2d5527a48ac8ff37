/* SPDX-License-Identifier: MIT */
/* SHA-256 of a source, by the examples of FIPS 180-4 and the seams of reads. */
#include "base/checksum.h"
#include "check.h"
#include "nc3z_tools.h"

static void check_digest(const void *data, size_t nbytes, const char *expected)
{
	unsigned char sha256[32];
	struct nc3z_source *source;
	char text[65];

	REQUIRE(nc3z_source_open_memory(data, nbytes, &source, NULL) ==
		NC3Z_OK);
	CHECK(nc3z_source_sha256(source, sha256, NULL) == NC3Z_OK);
	for (int i = 0; i < 32; i++)
		snprintf(text + 2 * (size_t)i, 3, "%02x", sha256[i]);
	CHECK_STR_EQ(text, expected);
	nc3z_source_close(source);
}

static void test_known(void)
{
	size_t million = 1000000;
	char *data = malloc(million);

	check_digest("", 0,
		     "e3b0c44298fc1c149afbf4c8996fb924"
		     "27ae41e4649b934ca495991b7852b855");
	check_digest("abc", 3,
		     "ba7816bf8f01cfea414140de5dae2223"
		     "b00361a396177a9cb410ff61f20015ad");
	REQUIRE(data);
	memset(data, 'a', million);
	check_digest(data, million,
		     "cdc76e5c9914fb9281a1c7e284d73e67"
		     "f1809a48a497200e046d39ccc7112cd0");
	free(data);
}

static int fail_at(void *context, uint64_t offset, void *data, size_t nbytes,
		   size_t *nbytes_ret)
{
	(void)context;
	if (offset > 0)
		return 5;
	memset(data, 0, nbytes);
	*nbytes_ret = nbytes;
	return 0;
}

static void test_failure(void)
{
	struct nc3z_callbacks callbacks = {
		.callbacks_nbytes = sizeof(callbacks),
		.size = 1 << 20,
		.read_at = fail_at,
	};
	unsigned char sha256[32];
	struct nc3z_source *source;
	struct nc3z_error err = { 0 };

	REQUIRE(nc3z_source_open_callbacks(&callbacks, &source, NULL) ==
		NC3Z_OK);
	CHECK(nc3z_source_sha256(source, sha256, &err) == NC3Z_EIO);
	CHECK(err.status == NC3Z_EIO);
	nc3z_source_close(source);
}

int main(void)
{
	RUN(test_known);
	RUN(test_failure);
	return check_report();
}
