/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "base/status.h"
#include "check.h"

/* Whether there is such a status.  The compiler warns if one is left out. */
static bool is_status(enum nc3z_status status)
{
	switch (status) {
	case NC3Z_OK:
	case NC3Z_EINVAL:
	case NC3Z_EIO:
	case NC3Z_ENOMEM:
	case NC3Z_EEXIST:
	case NC3Z_ENOTCLASSIC:
	case NC3Z_ENOTARCHIVE:
	case NC3Z_EDAMAGED:
	case NC3Z_EUNSUPPORTED:
	case NC3Z_ELIMIT:
	case NC3Z_ECHANGED:
	case NC3Z_ETRUNCATED:
	case NC3Z_ERANGE:
	case NC3Z_ECHAR:
	case NC3Z_EINVALCOORDS:
	case NC3Z_EEDGE:
	case NC3Z_ESTRIDE:
	case NC3Z_EBADDIM:
	case NC3Z_ENOTVAR:
	case NC3Z_ENOTATT:
	case NC3Z_EBADTYPE:
	case NC3Z_EOLDER:
		return true;
	}
	return false;
}

static void test_texts(void)
{
	const char *unknown = nc3z_status_text(-1);

	CHECK_STR_EQ(unknown, nc3z_status_text(9999));
	CHECK(is_status(NC3Z_OK) && is_status(NC3Z_EBADTYPE));
	for (int i = NC3Z_OK; i <= 256; i++) {
		const char *text = nc3z_status_text(i);

		REQUIRE(text);
		CHECK(strlen(text) > 0 && !strchr(text, '\n'));
		if (!is_status((enum nc3z_status)i)) {
			CHECK_STR_EQ(text, unknown);
			continue;
		}
		CHECK(strcmp(text, unknown) != 0);
		for (int j = NC3Z_OK; j < i; j++)
			CHECK(strcmp(text, nc3z_status_text(j)) != 0);
	}
}

static void test_set(void)
{
	struct nc3z_error err;

	memset(&err, 0xaa, sizeof(err));
	CHECK(error_set(&err, NC3Z_EINVAL, "%s %d", "seven", 7) == NC3Z_EINVAL);
	CHECK(err.status == NC3Z_EINVAL);
	CHECK(err.sys_errno == 0);
	CHECK_EQ_U64(err.offset, NC3Z_NO_OFFSET);
	CHECK_EQ_U64(err.stream, NC3Z_NO_NUMBER);
	CHECK_EQ_U64(err.block, NC3Z_NO_NUMBER);
	CHECK_STR_EQ(err.text, "seven 7");
}

static void test_set_at(void)
{
	struct nc3z_error err;

	memset(&err, 0xaa, sizeof(err));
	CHECK(error_set_at(&err, NC3Z_EDAMAGED, UINT64_C(12345678901), "bad") ==
	      NC3Z_EDAMAGED);
	CHECK(err.status == NC3Z_EDAMAGED);
	CHECK_EQ_U64(err.offset, UINT64_C(12345678901));
	CHECK_EQ_U64(err.stream, NC3Z_NO_NUMBER);
	CHECK_STR_EQ(err.text, "bad (offset 12345678901)");
}

static void test_set_system(void)
{
	struct nc3z_error err;
	char expected[200];

	memset(&err, 0xaa, sizeof(err));
	snprintf(expected, sizeof(expected), "cannot x: %s", strerror(ENOSPC));
	CHECK(error_set_system(&err, ENOSPC, "cannot x") == NC3Z_EIO);
	CHECK(err.status == NC3Z_EIO);
	CHECK(err.sys_errno == ENOSPC);
	CHECK(err.is_output == 0);
	CHECK(error_set_output(&err, ENOSPC, "cannot x") == NC3Z_EIO);
	CHECK_STR_EQ(err.text, expected);
	CHECK(err.sys_errno == ENOSPC && err.is_output == 1);
	CHECK(error_set_output(NULL, ENOSPC, "cannot x") == NC3Z_EIO);
	CHECK_STR_EQ(err.text, expected);
	CHECK(error_set_memory(&err) == NC3Z_ENOMEM);
	CHECK(err.status == NC3Z_ENOMEM && err.sys_errno == 0 &&
	      err.is_output == 0);
}

static void test_add_block(void)
{
	struct nc3z_error err;

	error_set_at(&err, NC3Z_EDAMAGED, 5, "bad");
	CHECK(error_add_block(&err, NC3Z_EDAMAGED, 3, 4000000000u) ==
	      NC3Z_EDAMAGED);
	CHECK(err.status == NC3Z_EDAMAGED);
	CHECK_EQ_U64(err.offset, 5);
	CHECK_EQ_U64(err.stream, 3);
	CHECK_EQ_U64(err.block, 4000000000u);
	CHECK_STR_EQ(err.text,
		     "bad (offset 5) in block 4000000000 of stream 3");
}

static void test_null_is_allowed(void)
{
	CHECK(error_set(NULL, NC3Z_EINVAL, "x") == NC3Z_EINVAL);
	CHECK(error_set_at(NULL, NC3Z_EDAMAGED, 1, "x") == NC3Z_EDAMAGED);
	CHECK(error_set_system(NULL, EIO, "x") == NC3Z_EIO);
	CHECK(error_set_memory(NULL) == NC3Z_ENOMEM);
	CHECK(error_add_block(NULL, NC3Z_EDAMAGED, 1, 1) == NC3Z_EDAMAGED);
}

/* Texts of every length around the room there is. */
static void test_truncation(void)
{
	struct {
		struct nc3z_error err;
		char guard[8];
	} at;
	char text[301] = { 0 };

	for (size_t n = 200; n <= 300; n++) {
		memset(text, 'x', n);
		memset(&at, 0x55, sizeof(at));
		error_set_at(&at.err, NC3Z_EDAMAGED, 123456, "%s", text);
		error_add_block(&at.err, NC3Z_EDAMAGED, 1, 2);
		CHECK(memchr(at.err.text, 0, sizeof(at.err.text)) != NULL);
		CHECK(strlen(at.err.text) >= (n < 255 ? n : 255));
		CHECK_MEM_EQ(at.err.text, text, n < 255 ? n : 255);
		CHECK_MEM_EQ(at.guard, "UUUUUUUU", 8);
		CHECK_EQ_U64(at.err.offset, 123456);
	}
}

static int fails_with(int status, int *ncalls)
{
	++*ncalls;
	return status;
}

static int tries(int first, int second, int *ncalls)
{
	NC3Z_TRY(fails_with(first, ncalls));
	NC3Z_TRY(fails_with(second, ncalls));
	return NC3Z_OK;
}

static void test_try(void)
{
	int ncalls = 0;

	CHECK(tries(NC3Z_OK, NC3Z_OK, &ncalls) == NC3Z_OK && ncalls == 2);
	ncalls = 0;
	CHECK(tries(NC3Z_EIO, NC3Z_OK, &ncalls) == NC3Z_EIO && ncalls == 1);
	ncalls = 0;
	CHECK(tries(NC3Z_OK, NC3Z_EIO, &ncalls) == NC3Z_EIO && ncalls == 2);
}

int main(void)
{
	RUN(test_texts);
	RUN(test_set);
	RUN(test_set_at);
	RUN(test_set_system);
	RUN(test_add_block);
	RUN(test_null_is_allowed);
	RUN(test_truncation);
	RUN(test_try);
	return check_report();
}
