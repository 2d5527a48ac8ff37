/* SPDX-License-Identifier: MIT */
/* How the values of a variable become text. */
#ifndef NC3Z_TOOLS_DUMP_VALUE_STYLE_H
#define NC3Z_TOOLS_DUMP_VALUE_STYLE_H

#include "dump/c_format.h"
#include "dump/cdl_time.h"
#include "dump/dump.h"

/* Room for the text of one value; longer ones are cut, as by ncdump. */
#define VALUE_NBYTES_MAX 100

/* Reads as: text is made of a value by ... */
enum value_kind {
	VALUE_TEXT,    /* rows of characters in quotes */
	VALUE_PLAIN,   /* the shortest form for its type */
	VALUE_DECIMAL, /* "%.*g" */
	VALUE_PRINTF,  /* a format of the variable's own */
	VALUE_TIME,    /* date and time */
};

union value {
	signed char i8;
	unsigned char u8;
	short i16;
	unsigned short u16;
	int i32;
	unsigned int u32;
	long long i64;
	unsigned long long u64;
	float f32;
	double f64;
};

struct value_style {
	int type;
	enum value_kind kind;
	int ndigits;            /* of VALUE_DECIMAL */
	struct c_format format; /* of VALUE_PRINTF */
	bool has_fill;
	union value fill; /* shown as "_" */
	struct time_axis time;
	char time_separator;
};

/* The style that the attributes of a variable and the settings ask for. */
enum exit_status value_style_init(struct value_style *style, struct dump *dump,
				  int varid, const struct nc3z_var *var);

/* Writes one value, without a NUL; returns the number of bytes. */
size_t value_put(const struct value_style *style, const void *value, char *to);

#endif
