/* SPDX-License-Identifier: MIT */
#include "dump/cdl_header.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dump/attribute.h"
#include "dump/cdl_text.h"
#include "common/json.h"
#include "dump/time_attributes.h"

#define PROPERTIES "_NCProperties"

/* Zeros at the end of the digits go; the point, always there, stays. */
static size_t trim_zeros(char *text)
{
	char *end = text + strspn(text, "-0123456789."), *tail = end;
	size_t tail_nbytes = strlen(tail);

	while (end > text && end[-1] == '0')
		end--;
	memmove(end, tail, tail_nbytes + 1);
	return (size_t)(end - text) + tail_nbytes;
}

size_t cdl_put_attribute_number(char *to, int type, double number, int ndigits,
				bool marks_float)
{
	bool is_float = type == NC3Z_FLOAT && marks_float;
	size_t n;

	if (marks_float && !isfinite(number))
		return (size_t)sprintf(to, "%s%s%s", number < 0 ? "-" : "",
				       isnan(number) ? "NaN" : "Infinity",
				       is_float ? "f" : "");
	n = (size_t)sprintf(to, "%#.*g%s", ndigits, number,
			    is_float ? "f" : "");
	return isfinite(number) ? trim_zeros(to) : n;
}

static void print_number(const struct dump *dump, int type, const void *value)
{
	const struct dump_settings *s = dump->settings;
	char text[CDL_ATTRIBUTE_NBYTES_MAX];

	switch (type) {
	case NC3Z_BYTE:
		fprintf(dump->to, "%db", *(const signed char *)value);
		break;
	case NC3Z_SHORT:
		fprintf(dump->to, "%ds", *(const short *)value);
		break;
	case NC3Z_INT:
		fprintf(dump->to, "%d", *(const int *)value);
		break;
	case NC3Z_UBYTE:
		fprintf(dump->to, "%uUB", *(const unsigned char *)value);
		break;
	case NC3Z_USHORT:
		fprintf(dump->to, "%uUS", *(const unsigned short *)value);
		break;
	case NC3Z_UINT:
		fprintf(dump->to, "%uU", *(const unsigned int *)value);
		break;
	case NC3Z_INT64:
		fprintf(dump->to, "%lldLL", *(const long long *)value);
		break;
	case NC3Z_UINT64:
		fprintf(dump->to, "%lluULL",
			*(const unsigned long long *)value);
		break;
	default:
		cdl_put_attribute_number(text, type, number_of(type, value),
					 type == NC3Z_FLOAT ? s->float_digits :
							      s->double_digits,
					 true);
		fputs(text, dump->to);
		break;
	}
}

static void print_values(const struct dump *dump, const struct attribute *a)
{
	size_t nbytes = nc3z_type_nbytes(a->att.type);
	const char *value = a->values;

	if (a->att.type == NC3Z_CHAR || a->att.nelems == 0) {
		cdl_print_string(dump->to, value, (size_t)a->att.nelems);
		return;
	}
	for (uint64_t i = 0; i < a->att.nelems; i++, value += nbytes) {
		if (i > 0)
			fputs(", ", dump->to);
		print_number(dump, a->att.type, value);
	}
}

/*
 * The values of an attribute as times, in a comment: one or two on the same
 * line, more of them on lines of their own.
 */
static void print_times(const struct dump *dump, const struct time_axis *axis,
			const struct attribute *a)
{
	size_t nbytes = nc3z_type_nbytes(a->att.type), column = 0;
	const char *value = a->values;
	char text[TIME_NBYTES_MAX];

	for (uint64_t i = 0; i < a->att.nelems; i++, value += nbytes) {
		size_t n = time_put(axis, number_of(a->att.type, value),
				    dump->settings->time_separator, text);
		bool breaks;

		if (i + 1 < a->att.nelems)
			text[n++] = ',';
		column += 1 + n;
		breaks = a->att.nelems > 2 &&
			 (i == 0 ||
			  column > (size_t)dump->settings->line_length);
		if (breaks)
			column = 18 + n;
		fputs(breaks ? "\n\t\t  " : " ", dump->to);
		if (breaks || i == 0) {
			fputs("// ", dump->to);
			column += 3;
		}
		fwrite(text, 1, n, dump->to);
	}
}

/* The comment that -t adds to an attribute; false if memory runs out. */
static bool explain_times(struct dump *dump, int varid,
			  const struct attribute *a)
{
	bool is_text = a->att.type == NC3Z_CHAR || a->att.nelems == 0;
	struct time_axis axis;

	if (!is_text && varid != NC3Z_GLOBAL &&
	    time_axis_find(dump, varid, "", &axis))
		print_times(dump, &axis, a);
	if (is_text && strcmp(a->att.name, "bounds") == 0)
		return time_bounds_add(dump, varid, a->values);
	return true;
}

static void print_owner(FILE *to, const char *owner)
{
	static const char *const keywords[] = {
		"variables", "dimensions", "data", "group", "types",
	};

	fputs("\t\t", to);
	cdl_print_name(to, owner);
	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++)
		if (strcmp(owner, keywords[i]) == 0)
			putc(' ', to);
	putc(':', to);
}

/* 'owner' is the name of the variable, "" for the file. */
static enum exit_status print_attribute(struct dump *dump, int varid,
					const char *owner, int attnum)
{
	struct attribute a;
	bool is_good = true;

	if (attribute_read(dump->file, varid, attnum, &a, &dump->err) !=
	    NC3Z_OK)
		return dump_fail(dump, owner);
	if (varid != NC3Z_GLOBAL || strcmp(a.att.name, PROPERTIES) != 0) {
		print_owner(dump->to, owner);
		cdl_print_name(dump->to, a.att.name);
		fputs(" = ", dump->to);
		print_values(dump, &a);
		fputs(" ;", dump->to);
		if (dump->settings->times)
			is_good = explain_times(dump, varid, &a);
		putc('\n', dump->to);
	}
	attribute_release(&a);
	return is_good ? EXIT_DONE : dump_no_memory(dump);
}

static enum exit_status print_dims(struct dump *dump)
{
	struct nc3z_dim dim;

	if (dump->ndims > 0)
		fputs("dimensions:\n", dump->to);
	for (int i = 0; i < dump->ndims; i++) {
		if (nc3z_inq_dim(dump->file, i, &dim, &dump->err) != NC3Z_OK)
			return dump_fail(dump, NULL);
		putc('\t', dump->to);
		cdl_print_name(dump->to, dim.name);
		if (i == dump->unlimdimid)
			fprintf(dump->to,
				" = UNLIMITED ; // (%" PRIu64 " currently)\n",
				dim.length);
		else
			fprintf(dump->to, " = %" PRIu64 " ;\n", dim.length);
	}
	return EXIT_DONE;
}

/*
 * A dimension is found by its name unless a later one has the same, or the name
 * is none for libnetcdf; then ncdump says where it is: in the root group.
 */
static bool needs_path(const struct dump *dump, int dimid, const char *name)
{
	size_t nbytes = strlen(name), n;
	int last;

	if (nc3z_inq_dimid(dump->file, name, &last, NULL) == NC3Z_OK &&
	    last != dimid)
		return true;
	for (size_t at = 0; at < nbytes; at += n) {
		n = utf8_nbytes(name + at, nbytes - at);
		if (n == 0)
			return true;
	}
	return nbytes == 0;
}

static enum exit_status print_shape(struct dump *dump,
				    const struct nc3z_var *var)
{
	struct nc3z_dim dim;

	for (int i = 0; i < var->ndims; i++) {
		if (nc3z_inq_dim(dump->file, var->dimids[i], &dim,
				 &dump->err) != NC3Z_OK)
			return dump_fail(dump, var->name);
		fputs(i == 0 ? "(" : ", ", dump->to);
		if (needs_path(dump, var->dimids[i], dim.name))
			putc('/', dump->to);
		cdl_print_name(dump->to, dim.name);
	}
	if (var->ndims > 0)
		putc(')', dump->to);
	fputs(" ;\n", dump->to);
	return EXIT_DONE;
}

static void print_special_name(FILE *to, const char *variable,
			       const char *attribute)
{
	fputs("\t\t", to);
	cdl_print_name(to, variable);
	fprintf(to, ":%s = ", attribute);
}

/*
 * Attributes that are not in the file, of -s: how chunks lie, as ncdump shows
 * chunks; of other variables what it shows for the original, in CDF-5 only.
 */
static void print_special(const struct dump *dump, int varid, const char *name)
{
	struct nc3z_storage s;

	if (!dump->settings->special_attributes)
		return;
	if (nc3z_inq_storage(dump->file, varid, &s, NULL) != NC3Z_OK)
		s.nchunk_dims = 0;
	if (s.nchunk_dims > 0) {
		print_special_name(dump->to, name, "_Storage");
		fputs("\"chunked\" ;\n", dump->to);
		print_special_name(dump->to, name, "_ChunkSizes");
		for (uint32_t i = 0; i < s.nchunk_dims; i++)
			fprintf(dump->to, "%s%" PRIu32, i > 0 ? ", " : "",
				s.chunk_lengths[i]);
		fputs(" ;\n", dump->to);
	} else if (nc3z_inq_format(dump->file) == 5) {
		print_special_name(dump->to, name, "_Storage");
		fputs("\"contiguous\" ;\n", dump->to);
	}
}

static enum exit_status print_var(struct dump *dump, int varid)
{
	enum exit_status status;
	struct nc3z_var var;

	if (nc3z_inq_var(dump->file, varid, &var, &dump->err) != NC3Z_OK)
		return dump_fail(dump, NULL);
	fprintf(dump->to, "\t%s ", nc3z_type_name(var.type));
	cdl_print_name(dump->to, var.name);
	status = print_shape(dump, &var);
	for (int i = 0; i < var.natts && status == EXIT_DONE; i++)
		status = print_attribute(dump, varid, var.name, i);
	print_special(dump, varid, var.name);
	return status;
}

/* An attribute that -s shows once more, with a name that netCDF-4 reserves. */
static void print_reserved(const struct dump *dump, const char *name,
			   bool is_flag)
{
	struct attribute a;

	if (attribute_find(dump->file, NC3Z_GLOBAL, name, &a, NULL) != NC3Z_OK)
		return;
	if (a.att.type != NC3Z_CHAR && a.att.nelems == 1) {
		int number = (int)number_of(a.att.type, a.values);

		fprintf(dump->to, "\t\t:%s = %d ;\n", name,
			is_flag ? number != 0 : number);
	}
	attribute_release(&a);
}

static enum exit_status print_file_attributes(struct dump *dump)
{
	bool special = dump->settings->special_attributes;
	enum exit_status status = EXIT_DONE;
	struct attribute a;

	if (dump->natts > 0 || special)
		fputs("\n// global attributes:\n", dump->to);
	for (int i = 0; i < dump->natts && status == EXIT_DONE; i++)
		status = print_attribute(dump, NC3Z_GLOBAL, "", i);
	if (!special || status != EXIT_DONE)
		return status;
	if (attribute_find(dump->file, NC3Z_GLOBAL, PROPERTIES, &a, NULL) ==
	    NC3Z_OK) {
		if (a.att.type == NC3Z_CHAR)
			fprintf(dump->to, "\t\t:" PROPERTIES " = \"%s\" ;\n",
				(const char *)a.values);
		attribute_release(&a);
	}
	print_reserved(dump, "_SuperblockVersion", false);
	print_reserved(dump, "_IsNetcdf4", true);
	fprintf(dump->to, "\t\t:_Format = \"%s\" ;\n", dump_kind(dump));
	return EXIT_DONE;
}

enum exit_status cdl_print_header(struct dump *dump)
{
	enum exit_status status;

	fputs("netcdf ", dump->to);
	cdl_print_name(dump->to, dump->name);
	fputs(" {\n", dump->to);
	status = print_dims(dump);
	if (status == EXIT_DONE && dump->nvars > 0)
		fputs("variables:\n", dump->to);
	for (int i = 0; i < dump->nvars && status == EXIT_DONE; i++)
		status = print_var(dump, i);
	return status == EXIT_DONE ? print_file_attributes(dump) : status;
}
