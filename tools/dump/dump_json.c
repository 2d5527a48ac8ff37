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
static void print_number(FILE *to, int type, const void *value)
{
	double number = number_of(type, value);

	if (type == NC3Z_INT64)
		fprintf(to, "%lld", *(const long long *)value);
	else if (type == NC3Z_UINT64)
		fprintf(to, "%llu", *(const unsigned long long *)value);
	else if (isnan(number))
		fprintf(to, "\"NaN\"");
	else if (isinf(number))
		fprintf(to, "\"%sInfinity\"", number < 0 ? "-" : "");
	/* Where -0 would be read as an integer it has no sign. */
	else if (number == 0 && signbit(number))
		fprintf(to, "-0.0");
	else
		fprintf(to, "%.*g", type == NC3Z_FLOAT ? 9 : 17, number);
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
	fprintf(dump->to, "%s\n%s{", attnum > 0 ? "," : "", indent);
	json_put_field(dump->to, "name", a.att.name);
	fprintf(dump->to, ", ");
	json_put_field(dump->to, "type", nc3z_type_name(a.att.type));
	fprintf(dump->to, ", \"value\": ");
	if (a.att.type == NC3Z_CHAR) {
		json_put_bytes(dump->to, value, (size_t)a.att.nelems);
	} else {
		putc('[', dump->to);
		for (uint64_t i = 0; i < a.att.nelems; i++) {
			fprintf(dump->to, "%s", i > 0 ? ", " : "");
			print_number(dump->to, a.att.type, value);
			value += nc3z_type_nbytes(a.att.type);
		}
		putc(']', dump->to);
	}
	putc('}', dump->to);
	attribute_release(&a);
	return EXIT_DONE;
}

static enum exit_status print_attributes(struct dump *dump, int varid,
					 int natts, const char *indent)
{
	enum exit_status status = EXIT_DONE;

	fprintf(dump->to, "\"attributes\": [");
	for (int i = 0; i < natts && status == EXIT_DONE; i++)
		status = print_attribute(dump, varid, i, indent);
	putc(']', dump->to);
	return status;
}

static enum exit_status print_dims(struct dump *dump)
{
	struct nc3z_dim dim;

	fprintf(dump->to, ",\n  \"dimensions\": [");
	for (int i = 0; i < dump->ndims; i++) {
		if (nc3z_inq_dim(dump->file, i, &dim, &dump->err) != NC3Z_OK)
			return dump_fail(dump, NULL);
		fprintf(dump->to, "%s\n    {", i > 0 ? "," : "");
		json_put_field(dump->to, "name", dim.name);
		fprintf(dump->to,
			", \"length\": %" PRIu64 ", \"unlimited\": %s}",
			dim.length, dim.is_record ? "true" : "false");
	}
	putc(']', dump->to);
	return EXIT_DONE;
}

static enum exit_status print_shape(struct dump *dump,
				    const struct nc3z_var *var)
{
	struct nc3z_dim dim;

	fprintf(dump->to, ",\n      \"dimensions\": [");
	for (int i = 0; i < var->ndims; i++) {
		if (nc3z_inq_dim(dump->file, var->dimids[i], &dim,
				 &dump->err) != NC3Z_OK)
			return dump_fail(dump, var->name);
		fprintf(dump->to, "%s", i > 0 ? ", " : "");
		json_put_string(dump->to, dim.name);
	}
	fprintf(dump->to, "], \"shape\": [");
	for (int i = 0; i < var->ndims; i++)
		fprintf(dump->to, "%s%" PRIu64, i > 0 ? ", " : "",
			var->shape[i]);
	fprintf(dump->to, "],\n      ");
	return EXIT_DONE;
}

static enum exit_status print_var(struct dump *dump, int varid)
{
	enum exit_status status;
	struct nc3z_var var;

	if (nc3z_inq_var(dump->file, varid, &var, &dump->err) != NC3Z_OK)
		return dump_fail(dump, NULL);
	fprintf(dump->to, "\n    {");
	json_put_field(dump->to, "name", var.name);
	fprintf(dump->to, ", ");
	json_put_field(dump->to, "type", nc3z_type_name(var.type));
	status = print_shape(dump, &var);
	if (status == EXIT_DONE)
		status = print_attributes(dump, varid, var.natts, "        ");
	if (status == EXIT_DONE && dump->settings->blocks)
		status = block_table_print_json(dump, varid, &var);
	putc('}', dump->to);
	return status;
}

static void print_archive(const struct dump *dump)
{
	struct nc3z_summary s;

	fprintf(dump->to, ",\n  \"archive\": ");
	if (nc3z_inq_summary(dump->file, &s, NULL) != NC3Z_OK) {
		fprintf(dump->to, "null");
		return;
	}
	fprintf(dump->to,
		"{\"bytes\": %" PRIu64 ", \"format\": \"%u.%u\", "
		"\"streams\": %" PRIu32 ", \"blocks\": %" PRIu64
		",\n    \"sha256\": \"",
		s.archive_nbytes, s.format_major, s.format_minor, s.nstreams,
		s.nblocks);
	digest_put(dump->to, s.sha256, sizeof(s.sha256));
	fprintf(dump->to, "\"}");
}

enum exit_status dump_json(struct dump *dump)
{
	enum exit_status status;
	int nprinted = 0;

	fprintf(dump->to, "{");
	json_put_field(dump->to, "file", dump->path);
	fprintf(dump->to, ", ");
	json_put_field(dump->to, "name", dump->name);
	fprintf(dump->to, ",\n  ");
	json_put_field(dump->to, "format", dump_kind(dump));
	fprintf(dump->to, ", \"bytes\": %" PRIu64, nc3z_inq_size(dump->file));
	print_archive(dump);
	status = print_dims(dump);
	fprintf(dump->to, ",\n  \"variables\": [");
	for (int i = 0; i < dump->nvars && status == EXIT_DONE; i++) {
		if (!selections_have(&dump->selections, i))
			continue;
		fprintf(dump->to, "%s", nprinted++ > 0 ? "," : "");
		status = print_var(dump, i);
	}
	fprintf(dump->to, "],\n  ");
	if (status == EXIT_DONE)
		status = print_attributes(dump, NC3Z_GLOBAL, dump->natts,
					  "    ");
	fprintf(dump->to, "}\n");
	return status;
}
