#include "message.h"

#include <stdarg.h>
#include <stdio.h>

static const char *program_name = "nc3z";

void message_init(const char *program)
{
	program_name = program;
}

static void print(const char *file, const char *kind, const char *format,
		  va_list args) __attribute__((format(printf, 3, 0)));

static void print(const char *file, const char *kind, const char *format,
		  va_list args)
{
	fprintf(stderr, "%s: ", program_name);
	if (file)
		fprintf(stderr, "%s: ", file);
	fputs(kind, stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void message_error(const char *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(file, "", format, args);
	va_end(args);
}

void message_warning(const char *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print(file, "warning: ", format, args);
	va_end(args);
}

void message_hint(const char *text)
{
	fprintf(stderr, "%s: %s\n", program_name, text);
}
