/* SPDX-License-Identifier: MIT */
#include "dump/value_style.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/attribute.h"
#include "dump/number.h"
#include "dump/time_attributes.h"

/*
 * The value that stands for "none": the variable's own, or that of its type;
 * bytes have none of their own, as too many values would be taken for it.
 */
static bool default_fill(int type, union value *fill)
{
	size_t nbytes = nc3z_type_nbytes(type);

	if (nbytes < 2 && type != NC3Z_CHAR)
		return false;
	memcpy(fill, nc3z_type_fill(type), nbytes);
	return true;
}

static int find_fill(struct value_style *style, struct dump *dump, int varid)
{
	struct attribute a;
	int status =
		attribute_find(dump->file, varid, "_FillValue", &a, &dump->err);

	style->has_fill = default_fill(style->type, &style->fill);
	if (status != NC3Z_OK)
		return status == NC3Z_ENOTATT ? NC3Z_OK : status;
	if (a.att.type == style->type && a.att.nelems == 1) {
		memcpy(&style->fill, a.values, nc3z_type_nbytes(style->type));
		style->has_fill = true;
	}
	attribute_release(&a);
	return NC3Z_OK;
}

/* Takes the attribute C_format if there is one that can be used. */
static int find_format(struct value_style *style, struct dump *dump, int varid)
{
	struct attribute a;
	int status =
		attribute_find(dump->file, varid, "C_format", &a, &dump->err);
	const char *text;

	if (status != NC3Z_OK)
		return status == NC3Z_ENOTATT ? NC3Z_OK : status;
	text = a.values;
	if (a.att.type == NC3Z_CHAR && a.att.nelems > 0 &&
	    a.att.nelems < C_FORMAT_NBYTES_MAX &&
	    !(style->type == NC3Z_CHAR && text[0] == '\0') &&
	    c_format_parse(&style->format, text, style->type))
		style->kind = VALUE_PRINTF;
	attribute_release(&a);
	return NC3Z_OK;
}

enum exit_status value_style_init(struct value_style *style, struct dump *dump,
				  int varid, const struct nc3z_var *var)
{
	const struct dump_settings *s = dump->settings;
	bool is_float = var->type == NC3Z_FLOAT;
	bool is_double = var->type == NC3Z_DOUBLE;
	int status;

	*style = (struct value_style){
		.type = var->type,
		.kind = var->type == NC3Z_CHAR ? VALUE_TEXT :
			is_float || is_double  ? VALUE_DECIMAL :
						 VALUE_PLAIN,
		.ndigits = is_double ? s->double_digits : s->float_digits,
		.time_separator = s->time_separator,
	};
	status = find_fill(style, dump, varid);
	if (status == NC3Z_OK && !(is_float && s->overrides_float) &&
	    !(is_double && s->overrides_double))
		status = find_format(style, dump, varid);
	if (status != NC3Z_OK)
		return dump_fail(dump, var->name);
	if (s->times && style->type != NC3Z_CHAR &&
	    time_axis_find(dump, varid, var->name, &style->time))
		style->kind = VALUE_TIME;
	return EXIT_DONE;
}

/*
 * Floating-point values need only be near the fill value; not so near that
 * their signs differ.
 */
static bool is_near_float(float a, float b)
{
	if ((a > 0.f) != (b > 0.f))
		return false;
	if (isfinite(a) && isfinite(b))
		return fabsf(a - b) <= fabsf(FLT_EPSILON * b);
	return (isnan(a) && isnan(b)) || (isinf(a) && isinf(b));
}

static bool is_near_double(double a, double b)
{
	if ((a > 0.) != (b > 0.))
		return false;
	if (isfinite(a) && isfinite(b))
		return fabs(a - b) <= fabs(DBL_EPSILON * b);
	return (isnan(a) && isnan(b)) || (isinf(a) && isinf(b));
}

static bool is_fill(const struct value_style *style, const void *value)
{
	if (!style->has_fill)
		return false;
	if (style->type == NC3Z_FLOAT)
		return is_near_float(style->fill.f32, *(const float *)value);
	if (style->type == NC3Z_DOUBLE)
		return is_near_double(style->fill.f64, *(const double *)value);
	return memcmp(&style->fill, value, nc3z_type_nbytes(style->type)) == 0;
}

static size_t put_word(char *to, const char *word)
{
	size_t n = strlen(word);

	memcpy(to, word, n);
	return n;
}

/* The name of NaN or an infinity; NULL for finite values and integers. */
static const char *special_word(int type, double number)
{
	bool is_float = type == NC3Z_FLOAT;

	if (isfinite(number))
		return NULL;
	if (isnan(number))
		return is_float ? "NaNf" : "NaN";
	if (number < 0)
		return is_float ? "-Infinityf" : "-Infinity";
	return is_float ? "Infinityf" : "Infinity";
}

static size_t put_plain(int type, const void *value, char *to)
{
	switch (type) {
	case NC3Z_BYTE:
		return number_put_int(to, *(const signed char *)value);
	case NC3Z_SHORT:
		return number_put_int(to, *(const short *)value);
	case NC3Z_INT:
		return number_put_int(to, *(const int *)value);
	case NC3Z_INT64:
		return number_put_int(to, *(const long long *)value);
	case NC3Z_USHORT:
		return number_put_uint(to, *(const unsigned short *)value);
	case NC3Z_UINT:
		return number_put_uint(to, *(const unsigned int *)value);
	case NC3Z_UINT64:
		return number_put_uint(to, *(const unsigned long long *)value);
	default:
		return number_put_uint(to, *(const unsigned char *)value);
	}
}

/* An integer as an argument of printf(): as an int, zeros above it. */
static long long integer_of(int type, const void *value)
{
	int narrow;

	switch (type) {
	case NC3Z_INT64:
		return *(const long long *)value;
	case NC3Z_UINT64:
		return (long long)*(const unsigned long long *)value;
	case NC3Z_UINT:
		return *(const unsigned int *)value;
	case NC3Z_CHAR:
		narrow = *(const char *)value;
		break;
	default:
		narrow = (int)number_of(type, value);
	}
	return (long long)(unsigned int)narrow;
}

/* The format has been checked by c_format_parse(). */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static size_t put_formatted(const struct value_style *style, const void *value,
			    char *to)
{
	const struct c_format *f = &style->format;
	char text[VALUE_NBYTES_MAX] = "";
	size_t n;

	switch (f->argument) {
	case C_ARGUMENT_DOUBLE:
		snprintf(text, sizeof(text), f->text,
			 number_of(style->type, value));
		break;
	case C_ARGUMENT_LONG:
		snprintf(text, sizeof(text), f->text,
			 integer_of(style->type, value));
		break;
	case C_ARGUMENT_INT:
		snprintf(text, sizeof(text), f->text,
			 (int)integer_of(style->type, value));
		break;
	default:
		/* There may be a "%%". */
		snprintf(text, sizeof(text), f->text, 0);
		break;
	}
	n = strlen(text);
	memcpy(to, text, n);
	return n;
}
#pragma GCC diagnostic pop

static size_t put_decimal(const struct value_style *style, double number,
			  char *to)
{
	const char *word = special_word(style->type, number);

	return word ? put_word(to, word) :
		      number_put_double(to, number, style->ndigits);
}

size_t value_put(const struct value_style *style, const void *value, char *to)
{
	if (is_fill(style, value)) {
		*to = '_';
		return 1;
	}
	switch (style->kind) {
	case VALUE_DECIMAL:
		return put_decimal(style, number_of(style->type, value), to);
	case VALUE_PRINTF:
		if (special_word(style->type, number_of(style->type, value)))
			return put_decimal(style, number_of(style->type, value),
					   to);
		return put_formatted(style, value, to);
	case VALUE_TIME:
		return time_put(&style->time, number_of(style->type, value),
				style->time_separator, to);
	default:
		return put_plain(style->type, value, to);
	}
}
