/* SPDX-License-Identifier: MIT */
/* What is said, how often, and that it stays one line. */
#include <unistd.h>

#include "check.h"
#include "mount/log.h"
#include "common/message.h"

/* Standard error goes to a file; its contents. */
static FILE *file;

static void begin(void)
{
	file = tmpfile();
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
}

static unsigned count_lines(char *text, size_t nbytes)
{
	unsigned n = 0;
	size_t got;

	fflush(stderr);
	rewind(file);
	got = fread(text, 1, nbytes - 1, file);
	text[got] = '\0';
	for (size_t i = 0; i < got; i++)
		n += text[i] == '\n';
	return n;
}

static void test_said_once(void)
{
	char text[8000];

	begin();
	log_init(false);
	for (int i = 0; i < 10; i++) {
		log_file("a/new\nline", "block %d is damaged", i / 5);
		log_file("b", "block %d is damaged", 0);
	}
	CHECK_EQ_U64(count_lines(text, sizeof(text)), 3);
	CHECK_STR_EQ(text, "nc3mount: a/new?line: block 0 is damaged\n"
			   "nc3mount: b: block 0 is damaged\n"
			   "nc3mount: a/new?line: block 1 is damaged\n");
	fclose(file);
}

static void test_limit(void)
{
	char text[8000];

	begin();
	for (int i = 0; i < 1000; i++)
		log_file("c", "block %d is damaged", i);
	CHECK(count_lines(text, sizeof(text)) <= 60);
	CHECK(count_lines(text, sizeof(text)) >= 50);
	fclose(file);
}

int main(void)
{
	message_init("nc3mount");
	RUN(test_said_once);
	RUN(test_limit);
	return check_report();
}
