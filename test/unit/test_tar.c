/* SPDX-License-Identifier: MIT */
#include "blob.h"
#include "check.h"
#include "io/source.h"
#include "tar/tar_header.h"
#include "tar/tar_index.h"
#include "tar/tar_reader.h"

static uint8_t block[TAR_BLOCK_NBYTES];

static void set_checksum(void)
{
	unsigned sum = 0;

	memset(block + 148, ' ', 8);
	for (size_t i = 0; i < sizeof(block); i++)
		sum += block[i];
	snprintf((char *)block + 148, 8, "%06o", sum);
}

static void make(char type, const char *name, const char *size)
{
	memset(block, 0, sizeof(block));
	memcpy(block, name, strnlen(name, 100));
	memcpy(block + 124, size, strlen(size));
	block[156] = (uint8_t)type;
	memcpy(block + 257, "ustar\0", 6);
	memcpy(block + 263, "00", 2);
	set_checksum();
}

static struct tar_header header;

static int parse(void)
{
	return tar_header_parse(block, &header, NULL);
}

static void test_kinds(void)
{
	static const struct {
		char type;
		enum tar_kind kind;
		uint64_t nbytes;
	} rows[] = {
		{ '0', TAR_FILE, 64 },         { '\0', TAR_FILE, 64 },
		{ '7', TAR_FILE, 64 },         { '1', TAR_HARD_LINK, 0 },
		{ '2', TAR_SYMBOLIC_LINK, 0 }, { '5', TAR_DIRECTORY, 0 },
		{ 'V', TAR_DIRECTORY, 64 },    { 'S', TAR_SPARSE, 64 },
		{ '6', TAR_OTHER, 0 },         { 'M', TAR_OTHER, 64 },
		{ 'L', TAR_LONG_NAME, 64 },    { 'K', TAR_LONG_LINK, 64 },
		{ 'x', TAR_RECORDS, 64 },      { 'g', TAR_GLOBAL_RECORDS, 64 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make(rows[i].type, "name", "00000000100");
		CHECK(parse() == NC3Z_OK);
		CHECK_EQ_U64(header.kind, rows[i].kind);
		CHECK_EQ_U64(header.nbytes, rows[i].nbytes);
		CHECK_STR_EQ(header.name, "name");
	}
	memset(block, 0, sizeof(block));
	CHECK(parse() == NC3Z_OK);
	CHECK_EQ_U64(header.kind, TAR_END);
	/* A directory of old. */
	make('\0', "name/", "00000000000");
	CHECK(parse() == NC3Z_OK);
	CHECK_EQ_U64(header.kind, TAR_DIRECTORY);
	make('1', "name", "00000000000");
	memset(block + 157, 'l', 100);
	set_checksum();
	CHECK(parse() == NC3Z_OK);
	CHECK_EQ_U64(strspn(header.link, "l"), 100);
}

static void test_sizes(void)
{
	make('0', "x", "77777777777");
	CHECK(parse() == NC3Z_OK);
	CHECK_EQ_U64(header.nbytes, UINT64_C(077777777777));
	make('0', "x", "   17 ");
	CHECK(parse() == NC3Z_OK);
	CHECK_EQ_U64(header.nbytes, 15);
	make('0', "x", "1 7");
	CHECK(parse() == NC3Z_EDAMAGED);
	make('0', "x", "8");
	CHECK(parse() == NC3Z_EDAMAGED);
	/* Base 256. */
	make('0', "x", "");
	memcpy(block + 124, "\x80\0\0\0\1\2\3\4\5\6\7\10", 12);
	set_checksum();
	CHECK(parse() == NC3Z_OK);
	CHECK_EQ_U64(header.nbytes, UINT64_C(0x0102030405060708));
	block[127] = 1; /* more than 64 bits */
	set_checksum();
	CHECK(parse() == NC3Z_EDAMAGED);
	memset(block + 124, 0xff, 12); /* negative */
	set_checksum();
	CHECK(parse() == NC3Z_EDAMAGED);
}

static void test_checksum(void)
{
	int64_t sum = 0;

	make('0', "\xe4\xf6\xfc", "0");
	CHECK(parse() == NC3Z_OK);
	/* Of signed bytes, as some old programs have it. */
	memset(block + 148, ' ', 8);
	for (size_t i = 0; i < sizeof(block); i++)
		sum += (int8_t)block[i];
	snprintf((char *)block + 148, 8, "%06o", (unsigned)sum);
	CHECK(parse() == NC3Z_OK);
	block[0] ^= 1;
	CHECK(parse() == NC3Z_EDAMAGED);
}

static void test_names(void)
{
	char name[101], prefix[156], both[257];

	memset(name, 'n', 100);
	memset(prefix, 'p', 155);
	name[100] = prefix[155] = '\0';
	make('0', name, "0");
	memcpy(block + 345, prefix, 155);
	set_checksum();
	CHECK(parse() == NC3Z_OK);
	snprintf(both, sizeof(both), "%s/%s", prefix, name);
	CHECK_STR_EQ(header.name, both);
	/* GNU tar has other things in place of the prefix. */
	memcpy(block + 257, "ustar  ", 7);
	set_checksum();
	CHECK(parse() == NC3Z_OK);
	CHECK_STR_EQ(header.name, name);
	CHECK_STR_EQ(tar_plain_name("././/a/./b"), "a/./b");
	CHECK_STR_EQ(tar_plain_name(".a"), ".a");
}

static int records(const char *text, size_t nbytes, struct tar_extension *e)
{
	memset(e, 0, sizeof(*e));
	return tar_records_parse((const uint8_t *)text, nbytes, e, NULL);
}

static void test_records(void)
{
	static const char *const bad[] = {
		"x",
		"12 path=a/b",
		"13 path=a/b\n",
		"11 path=a/b\n",
		"0 path=\n",
		"9 path=\n",
		"6 =ab\n",
		"6 abc\n",
		"9 size=\n",
		"11 size=1x\n",
		"12 size= 12\n",
		"path=a\n",
		"99999999999999999999999999 path=a\n",
		"29 size=99999999999999999999\n",
	};
	struct tar_extension e;
	static const char good[] = "19 mtime=123456.78\n12 path=a/b\n"
				   "10 size=9\n12 path=c\nd\n";

	CHECK(records(good, strlen(good), &e) == NC3Z_OK);
	CHECK_STR_EQ(e.name, "c\nd");
	CHECK(e.has_nbytes && e.nbytes == 9 && !e.is_sparse);
	tar_extension_release(&e);
	CHECK(records("22 GNU.sparse.major=1\n21 GNU.sparse.name=n\n"
		      "16 linkpath=l/m\n",
		      59, &e) == NC3Z_OK);
	CHECK(e.is_sparse && !e.name);
	CHECK_STR_EQ(e.sparse_name, "n");
	CHECK_STR_EQ(e.link, "l/m");
	tar_extension_release(&e);
	CHECK(records("12 path=a\0b\n", 12, &e) == NC3Z_EDAMAGED);
	tar_extension_release(&e);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK(records(bad[i], strlen(bad[i]), &e) == NC3Z_EDAMAGED);
		tar_extension_release(&e);
	}
}

static struct tar_members members;

static int parse_index(const char *text)
{
	uint64_t end;

	tar_members_release(&members);
	return tar_index_parse((const uint8_t *)text, strlen(text), 1024,
			       &members, &end, NULL);
}

static void test_index(void)
{
	static const char *const bad[] = {
		"",
		"nc3z-tar-index 1",
		"nc3z-tar-index 2 0\n",
		"nc3z-tar-index 1 100\n",
		"nc3z-tar-index 1 1024\n512 10 a",
		"nc3z-tar-index 1 1024\n512 10 \n",
		"nc3z-tar-index 1 1024\n512 10\n",
		"nc3z-tar-index 1 1024\n512 513 a\n",
		"nc3z-tar-index 1 1024\n512 0 a\n",
		"nc3z-tar-index 1 1024\n1 10 a\n",
		"nc3z-tar-index 1 512\n0 10 a\n",
		"nc3z-tar-index 1 1024\n-512 10 a\n",
		"nc3z-tar-index 1 1023\n512 511 a\n",
		"nc3z-tar-index 1 18446744073709551104\n",
		"nc3z-tar-index 1 1024\n512 18446744073709551615 a\n",
		"nc3z-tar-index 1 0\n512 18446744073709551104 a\n",
		"nc3z-tar-index 1 0\n512 18446744073709550080 a\n",
		"nc3z-tar-index 1 1024\n18446744073709551104 1536 a\n",
	};

	CHECK(parse_index("nc3z-tar-index 1 0\n") == NC3Z_OK);
	CHECK_EQ_U64(members.count, 0);
	CHECK(parse_index("nc3z-tar-index 1 4608\n512 512 ./a\n"
			  "1024 0 b c \n1536 1000 d\n") == NC3Z_OK);
	REQUIRE(members.count == 3);
	CHECK_STR_EQ(members.list[0].name, "a");
	CHECK_EQ_U64(members.list[0].region_nbytes, 1024);
	CHECK_STR_EQ(members.list[1].name, "b c ");
	CHECK_EQ_U64(members.list[2].header_offset, 3072);
	CHECK_EQ_U64(members.list[2].region_nbytes, 1536 + 1000);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(parse_index(bad[i]) == NC3Z_EDAMAGED);
	CHECK_EQ_U64(members.count, 0);
}

/* A member that has as many bytes as its number. */
static void add(const char *name, const char *file_name)
{
	const struct tar_member member = {
		.name = strdup(name),
		.file_name = file_name ? strdup(file_name) : NULL,
		.nbytes = file_name ? 0 : members.count,
	};

	REQUIRE(tar_members_add(&members, &member, NULL) == NC3Z_OK);
}

static void test_links(void)
{
	struct tar_member **sorted, *m;

	tar_members_release(&members);
	add("l", "l");
	add("a", NULL);
	add("l", "a");
	add("a", NULL);
	add("m", "l");
	add("n", "a");
	add("l", "n");
	add("b", "late");
	add("late", NULL);
	REQUIRE(tar_members_sort(&members, &sorted, NULL) == NC3Z_OK);
	CHECK_EQ_U64(members.count, 6);
	CHECK_EQ_U64(members.nhidden, 3);
	m = tar_members_find(sorted, members.count, "a");
	CHECK(m && m == &members.list[0] && m->nbytes == 3 && !m->left_out);
	m = tar_members_find(sorted, members.count, "m");
	CHECK(m && m->number == 1 && m->nbytes == 1 && !m->left_out);
	CHECK_STR_EQ(m->file_name, "a");
	m = tar_members_find(sorted, members.count, "l");
	CHECK(m && m->nbytes == 3 && strcmp(m->file_name, "a") == 0);
	m = tar_members_find(sorted, members.count, "b");
	CHECK(m && m->left_out);
	CHECK(!tar_members_find(sorted, members.count, "c"));
	free((void *)sorted);
	tar_members_release(&members);
}

static void split(const char *name, const char *tar, const char *member)
{
	char *got_member, *got = nc3z_tar_split(name, &got_member);

	CHECK((got != NULL) == (tar != NULL));
	CHECK((got_member != NULL) == (tar != NULL));
	if (got && tar) {
		CHECK_STR_EQ(got, tar);
		CHECK_STR_EQ(got_member, member);
	}
	free(got);
	free(got_member);
}

static void test_split(void)
{
	split("x.tar//m", "x.tar", "m");
	split("/a/x.tar//m//n.tar//o", "/a/x.tar", "m//n.tar//o");
	split("a//x.tar//m", "a//x.tar", "m");
	split("x.tgz//m", "x.tgz", "m");
	split("x.tar.zst//m", "x.tar.zst", "m");
	split("x.tar/m", NULL, NULL);
	split("x.tar//", NULL, NULL);
	split("x.tar", NULL, NULL);
	split(".tar//m", NULL, NULL);
	split("/.tar//m", NULL, NULL);
	split("x.nc//m", NULL, NULL);
	split("http://h/x.tar//a%20b%2f%zz%00?q=x.tar//y#f",
	      "http://h/x.tar?q=x.tar//y#f", "a b/%zz%00");
	split("http://h/x.nc?q=x.tar//y", NULL, NULL);
	split("s3://b/x.tar//a%20?b", "s3://b/x.tar", "a%20?b");
}

int main(void)
{
	RUN(test_kinds);
	RUN(test_sizes);
	RUN(test_checksum);
	RUN(test_names);
	RUN(test_records);
	RUN(test_index);
	RUN(test_links);
	RUN(test_split);
	return check_report();
}
