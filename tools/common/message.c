/* SPDX-License-Identifier: MIT */
#include "common/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/progress.h"
#include "nc3z.h"

/* Longer ones are cut: room for a path and an error of the library. */
#define TEXT_NBYTES 8192

static const char *program_name = "nc3z";

void message_init(const char *program)
{
	program_name = program;
}

void message_put_text(FILE *to, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		putc(c < 0x20 || c == 0x7f ? '?' : c, to);
	}
}

static void print_message(const char *file, const char *kind,
			  const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

static void print_message(const char *file, const char *kind,
			  const char *format, va_list args)
{
	char text[TEXT_NBYTES], name[TEXT_NBYTES];

	if (file)
		nc3z_url_text(file, name, sizeof(name));
	vsnprintf(text, sizeof(text), format, args);
	flockfile(stderr);
	progress_clear();
	fprintf(stderr, "%s: ", program_name);
	if (file) {
		message_put_text(stderr, name);
		fputs(": ", stderr);
	}
	fputs(kind, stderr);
	message_put_text(stderr, text);
	fputc('\n', stderr);
	funlockfile(stderr);
}

char *message_name(const char *operand)
{
	size_t nbytes = strlen(operand) + 1;
	char *name = malloc(nbytes);

	if (!name)
		message_out_of_memory();
	nc3z_url_text(operand, name, nbytes);
	return name;
}

void message_error(const char *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(file, "", format, args);
	va_end(args);
}

void message_warning(const char *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(file, "warning: ", format, args);
	va_end(args);
}

void message_note(const char *file, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_message(file, "", format, args);
	va_end(args);
}

void message_out_of_memory(void)
{
	message_error(NULL, "out of memory");
	exit(EXIT_FAILED);
}

void message_hint(const char *text)
{
	fprintf(stderr, "%s: %s\n", program_name, text);
}

void message_put_size(FILE *to, double nbytes)
{
	static const char *const units[] = { "kB", "MB", "GB", "TB", "PB" };
	size_t i = 0;

	for (nbytes /= 1e3; nbytes >= 999.95 && i < 4; i++)
		nbytes /= 1e3;
	fprintf(to, "%.1f %s", nbytes, units[i]);
}
