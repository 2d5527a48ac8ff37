/* SPDX-License-Identifier: MIT */
/*
 * A point in time is turned into hours since 1970 in a calendar with one rule
 * (time_hours()), the value is added, and the sum is turned back.  The order of
 * the floating-point operations is that of ncdump's cdtime: there a sum is
 * formed relative to 1979, from which the last bits of the seconds come.
 *
 * The mixed calendar is the Julian one up to 1582-10-04 and the Gregorian one
 * from the day after, 1582-10-15: a step over that day is made in two.
 */
#define _GNU_SOURCE /* strncasecmp() */
#include "dump/cdl_time.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dump/number.h"

#define EPOCH_YEAR 1970

static const struct time_point julian_end = { 1582, 10, 5, 0.0 };
static const struct time_point gregorian_begin = { 1582, 10, 15, 0.0 };
static const struct time_point reference = { 1979, 1, 1, 0.0 };

static const short days_before_month[] = { 0,   31,  59,  90,  120, 151, 181,
					   212, 243, 273, 304, 334, 365 };

static const struct calendar_name {
	const char *name;
	enum calendar calendar;
	bool is_unknown_to_ncdump;
} calendars[] = {
	{ "gregorian", CALENDAR_MIXED, false },
	{ "standard", CALENDAR_MIXED, false },
	{ "proleptic_gregorian", CALENDAR_GREGORIAN, false },
	{ "noleap", CALENDAR_NO_LEAP, false },
	{ "no_leap", CALENDAR_NO_LEAP, false },
	{ "365_day", CALENDAR_NO_LEAP, false },
	{ "allleap", CALENDAR_ALL_LEAP, false },
	{ "all_leap", CALENDAR_ALL_LEAP, false },
	{ "366_day", CALENDAR_ALL_LEAP, false },
	{ "360_day", CALENDAR_360_DAY, false },
	{ "thirty_day_months", CALENDAR_360_DAY, true }, /* of GFDL's models */
	{ "julian", CALENDAR_JULIAN, false },
	{ "none", CALENDAR_NONE, false },
};

#define NCALENDARS (sizeof(calendars) / sizeof(*calendars))

enum calendar calendar_find(const char *name, size_t nbytes)
{
	for (const struct calendar_name *c = calendars;
	     c < calendars + NCALENDARS; c++)
		if (nbytes > 0 && !c->is_unknown_to_ncdump &&
		    strncasecmp(name, c->name, nbytes) == 0)
			return c->calendar;
	return CALENDAR_MIXED;
}

bool calendar_find_known(const char *name, size_t nbytes,
			 enum calendar *calendar_ret)
{
	while (nbytes > 0 &&
	       (name[nbytes - 1] == ' ' || name[nbytes - 1] == '\0'))
		nbytes--;
	*calendar_ret = CALENDAR_MIXED;
	if (nbytes == 0)
		return true;
	for (const struct calendar_name *c = calendars;
	     c < calendars + NCALENDARS; c++)
		if (strlen(c->name) == nbytes &&
		    strncasecmp(name, c->name, nbytes) == 0) {
			*calendar_ret = c->calendar;
			return true;
		}
	return false;
}

static bool is_leap(enum calendar calendar, long year)
{
	switch (calendar) {
	case CALENDAR_MIXED:
	case CALENDAR_GREGORIAN:
		return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	case CALENDAR_JULIAN:
		return year % 4 == 0;
	case CALENDAR_ALL_LEAP:
		return true;
	default:
		return false;
	}
}

static int64_t floor_div(int64_t n, int64_t divisor)
{
	return n / divisor - (n % divisor < 0);
}

/* Days of the years before 'year', from some year on. */
static int64_t days_before_year(enum calendar calendar, int64_t year)
{
	int64_t last = year - 1;

	switch (calendar) {
	case CALENDAR_MIXED:
	case CALENDAR_GREGORIAN:
		return 365 * year + floor_div(last, 4) - floor_div(last, 100) +
		       floor_div(last, 400);
	case CALENDAR_JULIAN:
		return 365 * year + floor_div(last, 4);
	case CALENDAR_ALL_LEAP:
		return 366 * year;
	case CALENDAR_360_DAY:
		return 360 * year;
	default:
		return 365 * year;
	}
}

/* The day of the year, from 1; months out of range count as the first. */
static int64_t day_of_year(enum calendar calendar, const struct time_point *t)
{
	int month = t->month < 1 || t->month > 12 ? 1 : t->month;
	long year = calendar == CALENDAR_NONE ? 0 : t->year;

	if (calendar == CALENDAR_360_DAY)
		return 30 * (month - 1) + t->day;
	return days_before_month[month - 1] + t->day +
	       (month > 2 && is_leap(calendar, year));
}

/* Years further off are cut: they would not be numbers of 64-bit days. */
static int64_t clamp_year(long year)
{
	const int64_t max = INT64_C(1) << 48;

	return year > max ? max : year < -max ? -max : year;
}

/* Hours since 1970; in the calendar without years since its beginning. */
static double time_hours(enum calendar calendar, const struct time_point *t)
{
	int64_t days = 0;

	if (calendar != CALENDAR_NONE)
		days = days_before_year(calendar, clamp_year(t->year)) -
		       days_before_year(calendar, EPOCH_YEAR);
	days += day_of_year(calendar, t) - 1;
	return (double)days * 24. + t->hour;
}

static void find_month(enum calendar calendar, int64_t day,
		       struct time_point *t)
{
	bool leap = is_leap(calendar, t->year);
	int month = 1;

	if (calendar == CALENDAR_360_DAY) {
		t->month = (short)((day - 1) / 30 + 1);
		t->day = (short)((day - 1) % 30 + 1);
		return;
	}
	while (month < 12 &&
	       day > days_before_month[month] + (leap && month >= 2))
		month++;
	t->month = (short)month;
	t->day = (short)(day - days_before_month[month - 1] -
			 (leap && month > 2));
}

/* The reverse of time_hours(); false if the day is no int. */
static bool time_from_hours(enum calendar calendar, double hours,
			    struct time_point *t)
{
	double whole_days = floor(hours / 24.);
	int64_t day, year = calendar == CALENDAR_NONE ? 0 : EPOCH_YEAR;

	if (!(whole_days > INT_MIN + 2. && whole_days < INT_MAX - 2.))
		return false;
	day = (int64_t)whole_days + 1;
	t->hour = hours - (double)(day - 1) * 24.;
	/* The quotient may have been rounded over a midnight. */
	if (t->hour >= 24.) {
		day++;
		t->hour -= 24.;
	}
	/* Near the year; a step or two are left. */
	day += days_before_year(calendar, year);
	year += floor_div(day - days_before_year(calendar, year), 366);
	while (day > days_before_year(calendar, year + 1))
		year++;
	while (day <= days_before_year(calendar, year))
		year--;
	day -= days_before_year(calendar, year);
	t->year = calendar == CALENDAR_NONE ? 0 : (long)year;
	find_month(calendar, day, t);
	return true;
}

static int compare_times(const struct time_point *a, const struct time_point *b)
{
	if (a->year != b->year)
		return a->year < b->year ? -1 : 1;
	if (a->month != b->month)
		return a->month < b->month ? -1 : 1;
	if (a->day != b->day)
		return a->day < b->day ? -1 : 1;
	return a->hour < b->hour ? -1 : a->hour > b->hour;
}

/* Hours since 1979 in the same calendar. */
static double reference_hours(enum calendar calendar,
			      const struct time_point *t)
{
	return time_hours(calendar, t) - time_hours(calendar, &reference);
}

static double difference(enum calendar calendar, const struct time_point *a,
			 const struct time_point *b)
{
	return reference_hours(calendar, a) - reference_hours(calendar, b);
}

static bool add_hours(enum calendar calendar, const struct time_point *t,
		      double hours, struct time_point *sum_ret)
{
	hours = reference_hours(calendar, t) + hours;
	return time_from_hours(
		calendar, time_hours(calendar, &reference) + hours, sum_ret);
}

static bool add_mixed(const struct time_point *t, double hours,
		      struct time_point *sum_ret)
{
	double limit;

	if (compare_times(t, &gregorian_begin) < 0) {
		limit = difference(CALENDAR_JULIAN, &julian_end, t);
		return hours <= limit ?
			       add_hours(CALENDAR_JULIAN, t, hours, sum_ret) :
			       add_hours(CALENDAR_GREGORIAN, &gregorian_begin,
					 hours - limit, sum_ret);
	}
	limit = difference(CALENDAR_GREGORIAN, &gregorian_begin, t);
	return hours > limit ?
		       add_hours(CALENDAR_GREGORIAN, t, hours, sum_ret) :
		       add_hours(CALENDAR_JULIAN, &julian_end, hours - limit,
				 sum_ret);
}

/* Whole months on, to the beginning of one; none: nothing changes. */
static bool add_months(const struct time_axis *axis, double value,
		       struct time_point *sum_ret)
{
	enum calendar calendar = axis->calendar == CALENDAR_MIXED ?
					 CALENDAR_GREGORIAN :
					 axis->calendar;
	double factor = axis->unit == TIME_YEAR   ? 12. :
			axis->unit == TIME_SEASON ? 3. :
						    1.;
	double steps = factor * value + (value < 0 ? -1.e-10 : 1.e-10);
	struct time_point t;
	int64_t months;

	*sum_ret = axis->origin;
	if (value == 0.)
		return true;
	if (!(fabs(steps) < 1e12) ||
	    !time_from_hours(calendar, time_hours(calendar, &axis->origin), &t))
		return false;
	months = (int64_t)steps + t.month - 1;
	t.year += (long)floor_div(months, 12);
	t.month = (short)(months - 12 * floor_div(months, 12) + 1);
	t.day = 1;
	t.hour = 0.;
	return time_from_hours(calendar, time_hours(calendar, &t), sum_ret);
}

static double to_hours(enum time_unit unit, double value)
{
	switch (unit) {
	case TIME_SECOND:
		return value / 3600.;
	case TIME_MINUTE:
		return value / 60.;
	case TIME_DAY:
		return 24. * value;
	case TIME_WEEK:
		return 168. * value;
	default:
		return value;
	}
}

static bool find_time(const struct time_axis *axis, double value,
		      struct time_point *t)
{
	double hours = to_hours(axis->unit, value);

	if (axis->unit >= TIME_MONTH)
		return add_months(axis, value, t);
	if (axis->calendar == CALENDAR_MIXED)
		return add_mixed(&axis->origin, hours, t);
	return time_from_hours(
		axis->calendar,
		time_hours(axis->calendar, &axis->origin) + hours, t);
}

static double from_hours(enum time_unit unit, double hours)
{
	switch (unit) {
	case TIME_SECOND:
		return hours * 3600.;
	case TIME_MINUTE:
		return hours * 60.;
	case TIME_DAY:
		return hours / 24.;
	case TIME_WEEK:
		return hours / 168.;
	default:
		return hours;
	}
}

/* Parts of a time that are 0 are left out, from the end. */
static int put_time_of_day(char *to, double hours, char separator)
{
	const double second_slack = 0.5e-6;
	const double minute_slack = second_slack / 60.;
	const double hour_slack = minute_slack / 60.;
	int hour = (int)(hours + hour_slack);
	double rest = 60. * (hours - (double)hour);
	int minute = (int)(rest + minute_slack);
	double seconds = 60. * (rest - (double)minute);
	int second = (int)(seconds + second_slack);

	if (!(seconds - second < second_slack))
		return sprintf(to, "%c%2.2d:%2.2d:%f", separator, hour, minute,
			       seconds);
	if (second != 0)
		return sprintf(to, "%c%2.2d:%2.2d:%2.2d", separator, hour,
			       minute, second);
	if (minute != 0)
		return sprintf(to, "%c%2.2d:%2.2d", separator, hour, minute);
	return hour != 0 ? sprintf(to, "%c%2.2d", separator, hour) : 0;
}

static size_t put_number(char *to, double value)
{
	if (isfinite(value))
		return number_put_double(to, value, 15);
	return (size_t)sprintf(to, "%s%s", value < 0 ? "-" : "",
			       isnan(value) ? "NaN" : "Infinity");
}

static bool is_date(const struct time_point *t)
{
	return t->month >= 1 && t->month <= 12 && t->day >= 1 && t->day <= 31 &&
	       t->hour >= 0. && t->hour <= 24.;
}

static size_t put_date(const struct time_axis *axis, const struct time_point *t,
		       char separator, char *to)
{
	int n = 0;

	to[n++] = '"';
	if (axis->calendar != CALENDAR_NONE)
		n += sprintf(to + n, "%4.4ld-", t->year);
	n += sprintf(to + n, "%2.2hd-%2.2hd", t->month, t->day);
	n += put_time_of_day(to + n, t->hour, separator);
	to[n++] = '"';
	return (size_t)n;
}

size_t time_put(const struct time_axis *axis, double value, char separator,
		char *to)
{
	struct time_point t;

	if (!isfinite(value) || !find_time(axis, value, &t) || !is_date(&t))
		return put_number(to, value);
	return put_date(axis, &t, separator, to);
}

/* Half of the step is added to the value, so that days and months follow. */
size_t time_put_rounded(const struct time_axis *axis, double value,
			char separator, char *to)
{
	const double steps = 3600. * 1000.; /* of an hour */
	bool has_hours = axis->unit < TIME_MONTH;
	double half = has_hours ? from_hours(axis->unit, 0.5 / steps) : 0.;
	struct time_point t;

	if (!isfinite(value) || !find_time(axis, value + half, &t) ||
	    !is_date(&t))
		return put_number(to, value);
	t.hour = floor(t.hour * steps + (has_hours ? 0. : 0.5)) / steps;
	return put_date(axis, &t, separator, to);
}
