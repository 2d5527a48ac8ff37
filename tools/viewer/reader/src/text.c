/* SPDX-License-Identifier: MIT */
/* What nc3dump prints, as text in memory; and times as dates. */
#include <emscripten.h>
#include <stdlib.h>
#include <string.h>

#include "dump/cdl_header.h"
#include "dump/dump.h"
#include "dump/time_attributes.h"
#include "viewer/reader/src/face.h"

static char *text;
static size_t text_nbytes;
static struct time_axis axis;

/* Reads as: the text is ... */
enum text_kind {
	TEXT_HEADER, /* nc3dump -h */
	TEXT_JSON,   /* nc3dump --json */
};

static bool set_up(struct dump *dump, struct dump_settings *settings,
		   struct nc3z_file *file)
{
	char name[] = "nc3dump", option[] = "-h", operand[] = "file";
	char *arguments[] = { name, option, operand, NULL };

	*dump = (struct dump){ .settings = settings, .file = file };
	dump->err.status = NC3Z_OK;
	nc3z_inq(file, &dump->ndims, &dump->nvars, &dump->natts,
		 &dump->unlimdimid);
	return dump_settings_parse(settings, 3, arguments) >= 0;
}

static enum exit_status print_text(struct dump *dump, enum text_kind kind)
{
	enum exit_status status;

	if (kind == TEXT_JSON)
		return dump_json(dump);
	status = cdl_print_header(dump);
	if (status == EXIT_DONE)
		fputs("}\n", dump->to);
	return status;
}

/*
 * The text, of face_text_nbytes() bytes, or NULL; valid until the next one.
 * 'name' is the name of the data set.
 */
EMSCRIPTEN_KEEPALIVE const char *face_text(struct nc3z_file *file, char *name,
					   int kind)
{
	struct dump_settings settings;
	enum exit_status status;
	struct dump dump;

	free(text);
	text = NULL;
	if (!set_up(&dump, &settings, file) ||
	    !(dump.to = open_memstream(&text, &text_nbytes))) {
		face_error.status = NC3Z_ENOMEM;
		strcpy(face_error.text, nc3z_status_text(NC3Z_ENOMEM));
		return NULL;
	}
	dump.path = name;
	dump.name = name;
	status = print_text(&dump, (enum text_kind)kind);
	if (fclose(dump.to) != 0 && status == EXIT_DONE)
		status = dump_no_memory(&dump);
	if (status != EXIT_DONE)
		face_error = dump.err;
	return status == EXIT_DONE ? text : NULL;
}

EMSCRIPTEN_KEEPALIVE size_t face_text_nbytes(void)
{
	return text_nbytes;
}

/*
 * Whether a variable holds times, in a calendar that is known; face_time() is
 * about the last that did.
 */
EMSCRIPTEN_KEEPALIVE int face_time_axis(struct nc3z_file *file, int varid)
{
	struct dump_settings settings;
	struct dump dump;
	struct nc3z_var var;

	if (!set_up(&dump, &settings, file) ||
	    nc3z_inq_var(file, varid, &var, &face_error) != NC3Z_OK ||
	    var.type == NC3Z_CHAR)
		return 0;
	return time_axis_find_known(&dump, varid, var.name, &axis);
}

/* A time, without quotes; room for TIME_NBYTES_MAX bytes. */
EMSCRIPTEN_KEEPALIVE void face_time(double value, char *to)
{
	char quoted[TIME_NBYTES_MAX + 1];
	size_t n = time_put_rounded(&axis, value, ' ', quoted);

	if (n >= 2 && quoted[0] == '"' && quoted[n - 1] == '"') {
		memcpy(to, quoted + 1, n - 2);
		to[n - 2] = '\0';
		return;
	}
	memcpy(to, quoted, n);
	to[n] = '\0';
}

EMSCRIPTEN_KEEPALIVE int face_time_nbytes(void)
{
	return TIME_NBYTES_MAX + 1;
}
