/* SPDX-License-Identifier: MIT */
/* The header as JSON: see nc3dump.1 for its members. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "dump/attribute.h"
#include "dump/block_table.h"
#include "dump/cdl_header.h"
#include "common/digest.h"
#include "common/json.h"

/* JSON has no word for what is no number: a string says it. */
static void print_number(int type, const void *value)
{
	double number = number_of(type, value);

	if (type == NC3Z_INT64)
		printf("%lld", *(const long long *)value);
	else if (type == NC3Z_UINT64)
		printf("%llu", *(const unsigned long long *)value);
	else if (isnan(number))
		printf("\"NaN\"");
	else if (isinf(number))
		printf("\"%sInfinity\"", number < 0 ? "-" : "");
	/* Where -0 would be read as an integer it has no sign. */
	else if (number == 0 && signbit(number))
		printf("-0.0");
	else
		printf("%.*g", type == NC3Z_FLOAT ? 9 : 17, number);
}

static enum exit_status print_attribute(struct dump *dump, int varid,
					int attnum, const char *indent)
{
	struct attribute a;
	const char *value;

	if (attribute_read(dump->file, varid, attnum, &a, &dump->err) !=
	    NC3Z_OK)
		return dump_fail(dump, NULL);
	value = a.values;
	printf("%s\n%s{", attnum > 0 ? "," : "", indent);
	json_print_field("name", a.att.name);
	printf(", ");
	json_print_field("type", nc3z_type_name(a.att.type));
	printf(", \"value\": ");
	if (a.att.type == NC3Z_CHAR) {
		json_print_bytes(value, (size_t)a.att.nelems);
	} else {
		putchar('[');
		for (uint64_t i = 0; i < a.att.nelems; i++) {
			printf("%s", i > 0 ? ", " : "");
			print_number(a.att.type, value);
			value += nc3z_type_nbytes(a.att.type);
		}
		putchar(']');
	}
	putchar('}');
	attribute_release(&a);
	return EXIT_DONE;
}

static enum exit_status print_attributes(struct dump *dump, int varid,
					 int natts, const char *indent)
{
	enum exit_status status = EXIT_DONE;

	printf("\"attributes\": [");
	for (int i = 0; i < natts && status == EXIT_DONE; i++)
		status = print_attribute(dump, varid, i, indent);
	putchar(']');
	return status;
}

static enum exit_status print_dims(struct dump *dump)
{
	struct nc3z_dim dim;

	printf(",\n  \"dimensions\": [");
	for (int i = 0; i < dump->ndims; i++) {
		if (nc3z_inq_dim(dump->file, i, &dim, &dump->err) != NC3Z_OK)
			return dump_fail(dump, NULL);
		printf("%s\n    {", i > 0 ? "," : "");
		json_print_field("name", dim.name);
		printf(", \"length\": %" PRIu64 ", \"unlimited\": %s}",
		       dim.length, dim.is_record ? "true" : "false");
	}
	putchar(']');
	return EXIT_DONE;
}

static enum exit_status print_shape(struct dump *dump,
				    const struct nc3z_var *var)
{
	struct nc3z_dim dim;

	printf(",\n      \"dimensions\": [");
	for (int i = 0; i < var->ndims; i++) {
		if (nc3z_inq_dim(dump->file, var->dimids[i], &dim,
				 &dump->err) != NC3Z_OK)
			return dump_fail(dump, var->name);
		printf("%s", i > 0 ? ", " : "");
		json_print_string(dim.name);
	}
	printf("], \"shape\": [");
	for (int i = 0; i < var->ndims; i++)
		printf("%s%" PRIu64, i > 0 ? ", " : "", var->shape[i]);
	printf("],\n      ");
	return EXIT_DONE;
}

static enum exit_status print_var(struct dump *dump, int varid)
{
	enum exit_status status;
	struct nc3z_var var;

	if (nc3z_inq_var(dump->file, varid, &var, &dump->err) != NC3Z_OK)
		return dump_fail(dump, NULL);
	printf("\n    {");
	json_print_field("name", var.name);
	printf(", ");
	json_print_field("type", nc3z_type_name(var.type));
	status = print_shape(dump, &var);
	if (status == EXIT_DONE)
		status = print_attributes(dump, varid, var.natts, "        ");
	if (status == EXIT_DONE && dump->settings->blocks)
		status = block_table_print_json(dump, varid, &var);
	putchar('}');
	return status;
}

static void print_archive(const struct dump *dump)
{
	struct nc3z_summary s;

	printf(",\n  \"archive\": ");
	if (nc3z_inq_summary(dump->file, &s, NULL) != NC3Z_OK) {
		printf("null");
		return;
	}
	printf("{\"bytes\": %" PRIu64 ", \"format\": \"%u.%u\", "
	       "\"streams\": %" PRIu32 ", \"blocks\": %" PRIu64
	       ",\n    \"sha256\": \"",
	       s.archive_nbytes, s.format_major, s.format_minor, s.nstreams,
	       s.nblocks);
	digest_print(s.sha256);
	printf("\"}");
}

enum exit_status dump_json(struct dump *dump)
{
	enum exit_status status;
	int nprinted = 0;

	printf("{");
	json_print_field("file", dump->path);
	printf(", ");
	json_print_field("name", dump->name);
	printf(",\n  ");
	json_print_field("format", dump_kind(dump));
	printf(", \"bytes\": %" PRIu64, nc3z_inq_size(dump->file));
	print_archive(dump);
	status = print_dims(dump);
	printf(",\n  \"variables\": [");
	for (int i = 0; i < dump->nvars && status == EXIT_DONE; i++) {
		if (!selections_have(&dump->selections, i))
			continue;
		printf("%s", nprinted++ > 0 ? "," : "");
		status = print_var(dump, i);
	}
	printf("],\n  ");
	if (status == EXIT_DONE)
		status = print_attributes(dump, NC3Z_GLOBAL, dump->natts,
					  "    ");
	printf("}\n");
	return status;
}
