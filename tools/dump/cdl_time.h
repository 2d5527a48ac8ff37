/* SPDX-License-Identifier: MIT */
/*
 * Times as date and time, from units such as "days since 1990-01-01" in the
 * calendars of the CF conventions, digit for digit as ncdump -t prints them.
 */
#ifndef NC3Z_TOOLS_DUMP_CDL_TIME_H
#define NC3Z_TOOLS_DUMP_CDL_TIME_H

#include <stdbool.h>
#include <stddef.h>

/* Room for what time_put() writes. */
#define TIME_NBYTES_MAX 100

enum calendar {
	CALENDAR_MIXED, /* Julian before 1582-10-15, Gregorian from then on */
	CALENDAR_GREGORIAN,
	CALENDAR_JULIAN,
	CALENDAR_NO_LEAP,
	CALENDAR_ALL_LEAP,
	CALENDAR_360_DAY,
	CALENDAR_NONE, /* one year, without a number */
};

enum time_unit {
	TIME_SECOND,
	TIME_MINUTE,
	TIME_HOUR,
	TIME_DAY,
	TIME_WEEK,
	TIME_MONTH,
	TIME_SEASON,
	TIME_YEAR,
};

struct time_point {
	long year;
	short month;
	short day;
	double hour;
};

struct time_axis {
	enum calendar calendar;
	enum time_unit unit;
	struct time_point origin;
};

/*
 * The calendar that ncdump takes for one of that name, of 'nbytes' bytes: mixed
 * if it knows none.
 */
enum calendar calendar_find(const char *name, size_t nbytes);

/* The calendar of that name, mixed if it is empty; false if there is none. */
bool calendar_find_known(const char *name, size_t nbytes,
			 enum calendar *calendar_ret);

/* time_units.c: false if 'units' are no units of time since a date. */
bool time_axis_parse(struct time_axis *axis, enum calendar calendar,
		     const char *units);

/*
 * Writes a time in quotes, without a NUL, and returns the number of bytes; as a
 * plain number if it is none that the calendar can tell.
 */
size_t time_put(const struct time_axis *axis, double value, char separator,
		char *to);

/* The same for people, rounded to milliseconds: 06, not 05:59:59.999998. */
size_t time_put_rounded(const struct time_axis *axis, double value,
			char separator, char *to);

#endif
