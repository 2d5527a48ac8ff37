/* SPDX-License-Identifier: MIT */
/* Units such as "days since 1990-01-01", read as ncdump reads them. */
#define _GNU_SOURCE /* strncasecmp() */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dump/cdl_time.h"

#define WORD_NBYTES 64

static bool find_unit(const char *word, enum time_unit *unit_ret)
{
	static const struct {
		const char *prefix;
		const char *word;
		enum time_unit unit;
	} units[] = {
		{ "sec", "s", TIME_SECOND },     { "min", "mn", TIME_MINUTE },
		{ "hour", "hr", TIME_HOUR },     { "day", "dy", TIME_DAY },
		{ "week", "wk", TIME_WEEK },     { "month", "mo", TIME_MONTH },
		{ "season", NULL, TIME_SEASON }, { "year", "yr", TIME_YEAR },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strncasecmp(word, units[i].prefix,
				strlen(units[i].prefix)) == 0 ||
		    (units[i].word && strcasecmp(word, units[i].word) == 0)) {
			*unit_ret = units[i].unit;
			return true;
		}
	return false;
}

/*
 * "HH:MM:SS.S", any part of it missing; what is out of range ends the reading,
 * with what came before it kept.
 */
static double read_time_of_day(int nread, int hour, int minute, double second)
{
	double hours = 0.;

	if (nread >= 1 && hour >= 0 && hour <= 23)
		hours = (double)hour;
	else
		return 0.;
	if (nread >= 2 && minute >= 0 && minute <= 59)
		hours += (double)minute / 60.;
	else
		return hours;
	if (nread >= 3 && !(second < 0.) && !(second > 60.))
		hours += second / 3600.;
	return hours;
}

static void read_origin(enum calendar calendar, const char *text,
			struct time_point *origin)
{
	long year = 0;
	short month = 1, day = 1;
	int hour, minute, nread;
	int ndates = calendar == CALENDAR_NONE ? 2 : 3;
	double second;

	if (calendar == CALENDAR_NONE)
		nread = sscanf(text, "%hd-%hd %d:%d:%lf", &month, &day, &hour,
			       &minute, &second);
	else
		nread = sscanf(text, "%ld-%hd-%hd %d:%d:%lf", &year, &month,
			       &day, &hour, &minute, &second);
	*origin = (struct time_point){
		.year = year,
		.month = month,
		.day = day,
		.hour = read_time_of_day(nread - ndates, hour, minute, second),
	};
}

static void cut_at_blank(char *text)
{
	text[strcspn(text, " \t\n\v\f\r")] = '\0';
}

bool time_axis_parse(struct time_axis *axis, enum calendar calendar,
		     const char *units)
{
	char unit[WORD_NBYTES], date[WORD_NBYTES], clock[WORD_NBYTES];
	char origin[2 * WORD_NBYTES + 1];
	int nread = sscanf(units, "%63s since %63[^T]T%63s", unit, date, clock);
	bool is_valid = nread > 1;

	axis->calendar = calendar;
	nread = sscanf(units, "%63s since %63s %63s", unit, date, clock);
	if (nread < 1 || (nread < 2 && !is_valid) ||
	    !find_unit(unit, &axis->unit) ||
	    (axis->unit == TIME_YEAR && calendar == CALENDAR_NONE))
		return false;
	if (nread >= 2 && strchr(date, 'T'))
		nread = sscanf(units, "%63s since %63[^T]T%63s", unit, date,
			       clock);
	if (nread < 2)
		strcpy(date, calendar == CALENDAR_NONE ? "1" : "1979");
	cut_at_blank(date);
	if (nread < 3)
		strcpy(origin, date);
	else
		sprintf(origin, "%s %s", date, clock);
	read_origin(calendar, origin, &axis->origin);
	return true;
}
