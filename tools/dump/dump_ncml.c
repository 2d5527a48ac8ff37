/* SPDX-License-Identifier: MIT */
/*
 * The header as NcML, as ncdump -x prints it: names are not escaped there, and
 * lengths are 32-bit integers.
 *
 * XML 1.0 has no control characters, not even as references, and a text that is
 * declared as UTF-8 must be UTF-8: bytes that are no such character become
 * U+FFFD, and a warning gives their number.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "dump/attribute.h"
#include "dump/cdl_header.h"
#include "common/json.h"

/* The length of the character of XML that a text begins with; 0: none. */
static size_t xml_nbytes(const char *text, size_t nbytes)
{
	unsigned char c = (unsigned char)*text;
	size_t n = utf8_nbytes(text, nbytes);

	if (c < 0x20 && c != '\n' && c != '\r' && c != '\t')
		return 0;
	/* U+FFFE and U+FFFF */
	if (n == 3 && memcmp(text, "\xef\xbf", 2) == 0 &&
	    (unsigned char)text[2] >= 0xbe)
		return 0;
	return n;
}

static void print_character(const char *text, size_t nbytes)
{
	char c = *text;

	if (c == '"')
		fputs("&quot;", stdout);
	else if (c == '<')
		fputs("&lt;", stdout);
	else if (c == '>')
		fputs("&gt;", stdout);
	else if (c == '&')
		fputs("&amp;", stdout);
	else if (c == '\n' || c == '\r' || c == '\t')
		printf("&#x%X;", (unsigned)c);
	else if (c == 0x7f)
		printf("&#127;");
	else
		fwrite(text, 1, nbytes, stdout);
}

static void print_text(struct dump *dump, const char *text, size_t nbytes)
{
	while (nbytes > 0 && text[nbytes - 1] == '\0')
		nbytes--;
	while (nbytes > 0) {
		size_t n = xml_nbytes(text, nbytes);

		if (n > 0) {
			print_character(text, n);
		} else {
			fputs("\xef\xbf\xbd", stdout);
			dump->nreplaced++;
			n = 1;
		}
		text += n;
		nbytes -= n;
	}
}

/* As if each number had been a double. */
static void print_number(const struct dump *dump, int type, const void *value)
{
	char text[CDL_ATTRIBUTE_NBYTES_MAX];
	double number = number_of(type, value);

	switch (type) {
	case NC3Z_INT64:
		printf("%" PRId64,
		       number < 0x1p63 ? (int64_t)number : INT64_MIN);
		break;
	case NC3Z_UINT64:
		printf("%" PRIu64, number < 0x1p64 ? (uint64_t)number : 0);
		break;
	case NC3Z_FLOAT:
	case NC3Z_DOUBLE:
		cdl_put_attribute_number(text, type, number,
					 type == NC3Z_FLOAT ?
						 dump->settings->float_digits :
						 dump->settings->double_digits,
					 false);
		fputs(text, stdout);
		break;
	default:
		printf("%.0f", number);
		break;
	}
}

static enum exit_status print_attribute(struct dump *dump, int varid,
					int attnum)
{
	struct attribute a;
	const char *value;

	if (attribute_read(dump->file, varid, attnum, &a, &dump->err) !=
	    NC3Z_OK)
		return dump_fail(dump, NULL);
	value = a.values;
	if (varid != NC3Z_GLOBAL || dump->settings->shows_properties ||
	    strcmp(a.att.name, "_NCProperties") != 0) {
		printf("%s  <attribute name=\"%s\"",
		       varid == NC3Z_GLOBAL ? "" : "  ", a.att.name);
		if (a.att.type != NC3Z_CHAR)
			printf(" type=\"%s\"", nc3z_type_name(a.att.type));
		fputs(" value=\"", stdout);
		if (a.att.type == NC3Z_CHAR)
			print_text(dump, value, (size_t)a.att.nelems);
		else
			for (uint64_t i = 0; i < a.att.nelems; i++) {
				fputs(i > 0 ? " " : "", stdout);
				print_number(dump, a.att.type, value);
				value += nc3z_type_nbytes(a.att.type);
			}
		puts("\" />");
	}
	attribute_release(&a);
	return EXIT_DONE;
}

static enum exit_status print_dims(struct dump *dump)
{
	struct nc3z_dim dim;

	for (int i = 0; i < dump->ndims; i++) {
		if (nc3z_inq_dim(dump->file, i, &dim, &dump->err) != NC3Z_OK)
			return dump_fail(dump, NULL);
		printf("  <dimension name=\"%s\" length=\"%" PRId32 "\"%s />\n",
		       dim.name, (int32_t)(uint32_t)dim.length,
		       i == dump->unlimdimid ? " isUnlimited=\"true\"" : "");
	}
	return EXIT_DONE;
}

/* Whether ncdump would not show data of the variable, if NcML had any. */
static bool is_without_data(const struct dump *dump, int varid,
			    const struct nc3z_var *var)
{
	const struct dump_settings *s = dump->settings;

	return s->header_only || !selections_have(&dump->selections, varid) ||
	       (s->coordinates_only && !dump_is_coordinate(dump, var)) ||
	       (var->is_record && var->shape[0] == 0);
}

static enum exit_status print_var(struct dump *dump, int varid)
{
	enum exit_status status = EXIT_DONE;
	struct nc3z_var var;
	struct nc3z_dim dim;

	if (nc3z_inq_var(dump->file, varid, &var, &dump->err) != NC3Z_OK)
		return dump_fail(dump, NULL);
	printf("  <variable name=\"%s\"", var.name);
	for (int i = 0; i < var.ndims; i++) {
		if (nc3z_inq_dim(dump->file, var.dimids[i], &dim, &dump->err) !=
		    NC3Z_OK)
			return dump_fail(dump, var.name);
		printf("%s%s", i == 0 ? " shape=\"" : " ", dim.name);
	}
	printf("%s type=\"%s\"", var.ndims > 0 ? "\"" : "",
	       nc3z_type_name(var.type));
	if (var.natts == 0 && is_without_data(dump, varid, &var)) {
		puts(" />");
		return EXIT_DONE;
	}
	puts(">");
	for (int i = 0; i < var.natts && status == EXIT_DONE; i++)
		status = print_attribute(dump, varid, i);
	puts("  </variable>");
	return status;
}

enum exit_status dump_ncml(struct dump *dump)
{
	enum exit_status status;

	printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	       "<netcdf xmlns=\"https://www.unidata.ucar.edu/namespaces/netcdf/"
	       "ncml-2.2\" location=\"%s\">\n",
	       dump->original_path);
	status = print_dims(dump);
	for (int i = 0; i < dump->natts && status == EXIT_DONE; i++)
		status = print_attribute(dump, NC3Z_GLOBAL, i);
	for (int i = 0; i < dump->nvars && status == EXIT_DONE; i++)
		status = print_var(dump, i);
	if (status != EXIT_DONE)
		return status;
	puts("</netcdf>");
	if (dump->nreplaced == 0)
		return EXIT_DONE;
	message_warning(dump->path,
			"%zu byte%s of attributes cannot be in XML; each is "
			"replaced by U+FFFD",
			dump->nreplaced, dump->nreplaced == 1 ? "" : "s");
	return EXIT_WARNED;
}
