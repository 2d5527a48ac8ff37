/* SPDX-License-Identifier: MIT */
/* Formats come from files: what is no plain format for the type is refused. */
#include "dump/c_format.h"

#include "check.h"
#include "nc3z.h"

static void check_good(const char *text, int type, enum c_argument argument,
		       const char *expected)
{
	struct c_format format;

	REQUIRE(c_format_parse(&format, text, type));
	CHECK_STR_EQ(format.text, expected);
	CHECK_EQ_U64(format.argument, argument);
}

static void test_good(void)
{
	check_good("%9.3f", NC3Z_FLOAT, C_ARGUMENT_DOUBLE, "%9.3f");
	check_good("%lf m", NC3Z_DOUBLE, C_ARGUMENT_DOUBLE, "%f m");
	check_good("%d", NC3Z_INT, C_ARGUMENT_INT, "%d");
	check_good("%hd", NC3Z_SHORT, C_ARGUMENT_INT, "%hd");
	check_good("%ld", NC3Z_INT, C_ARGUMENT_LONG, "%lld");
	check_good("<%-08.3ld>", NC3Z_INT64, C_ARGUMENT_LONG, "<%-08.3lld>");
	check_good("%c", NC3Z_CHAR, C_ARGUMENT_INT, "%c");
	check_good("F8.2", NC3Z_FLOAT, C_ARGUMENT_NONE, "F8.2");
	check_good("100%%", NC3Z_INT, C_ARGUMENT_NONE, "100%%");
	check_good("%%%5d%%", NC3Z_BYTE, C_ARGUMENT_INT, "%%%5d%%");
	check_good("", NC3Z_INT, C_ARGUMENT_NONE, "");
	check_good("%.f", NC3Z_FLOAT, C_ARGUMENT_DOUBLE, "%.0f");
}

static void test_long(void)
{
	check_good("%99999999999999999999d", NC3Z_INT, C_ARGUMENT_INT,
		   "%2000d");
	check_good("%3000.4000f", NC3Z_FLOAT, C_ARGUMENT_DOUBLE, "%2000.2000f");
}

static void test_bad(void)
{
	static const char *const formats[] = {
		"%s",    "%n",           "%hhn", "%p", "%m", "%*d",     "%.*f",
		"%1$d",  "%d %d",        "%d%n", "%",  "%5", "%l",      "%q",
		"%%%",   "%lc",          "%ls",  "%C", "%S", "%lld %s", "%'d",
		"%hlld", "%-+ #0-+ #0d",
	};
	struct c_format format;

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		CHECK(!c_format_parse(&format, formats[i], NC3Z_INT));
}

static void test_wrong_type(void)
{
	struct c_format format;
	char text[C_FORMAT_NBYTES_MAX + 1];

	CHECK(!c_format_parse(&format, "%f", NC3Z_INT));
	CHECK(!c_format_parse(&format, "%d", NC3Z_FLOAT));
	CHECK(!c_format_parse(&format, "%Lf", NC3Z_DOUBLE));
	CHECK(!c_format_parse(&format, "%s", NC3Z_CHAR));
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	CHECK(!c_format_parse(&format, text, NC3Z_INT));
	text[C_FORMAT_NBYTES_MAX - 1] = '\0';
	CHECK(c_format_parse(&format, text, NC3Z_INT));
	memcpy(text + C_FORMAT_NBYTES_MAX - 4, "%ld", 3);
	CHECK(c_format_parse(&format, text, NC3Z_INT));
}

int main(void)
{
	RUN(test_good);
	RUN(test_long);
	RUN(test_bad);
	RUN(test_wrong_type);
	return check_report();
}
