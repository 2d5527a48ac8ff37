/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "mount/log.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#include "common/message.h"

#define LINES_PER_MINUTE 60
#define REMEMBERED 256
#define REMEMBERED_SECONDS 3600

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* All under the lock. */
static bool goes_to_system;
static struct {
	uint64_t hash; /* of a line */
	time_t time;
} remembered[REMEMBERED];
static size_t next_remembered;
static time_t minute;
static unsigned nlines, nunsaid;

void log_init(bool to_system)
{
	pthread_mutex_lock(&lock);
	goes_to_system = to_system;
	if (to_system)
		openlog("nc3mount", LOG_PID, LOG_DAEMON);
	pthread_mutex_unlock(&lock);
}

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1; /* never 0 */
}

static uint64_t hash_of(const char *line)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *line; line++)
		hash = (hash ^ (unsigned char)*line) * UINT64_C(0x100000001b3);
	return hash;
}

/* Whether a line was logged lately; from now on it was. */
static bool was_logged(const char *line, time_t time)
{
	uint64_t hash = hash_of(line);

	for (size_t i = 0; i < REMEMBERED; i++)
		if (remembered[i].hash == hash && remembered[i].time > 0 &&
		    time - remembered[i].time < REMEMBERED_SECONDS)
			return true;
	remembered[next_remembered].hash = hash;
	remembered[next_remembered].time = time;
	next_remembered = (next_remembered + 1) % REMEMBERED;
	return false;
}

static void say(const char *line)
{
	if (goes_to_system)
		syslog(LOG_ERR, "%s", line);
	else
		message_error(NULL, "%s", line);
}

static void say_limited(const char *line, time_t time)
{
	char more[80];

	if (time - minute >= 60) {
		if (nunsaid > 0) {
			snprintf(more, sizeof(more), "%u more messages",
				 nunsaid);
			say(more);
		}
		minute = time;
		nlines = 0;
		nunsaid = 0;
	}
	if (nlines >= LINES_PER_MINUTE) {
		nunsaid++;
		return;
	}
	nlines++;
	say(line);
}

/* Takes out what could end a line or command a terminal. */
static void clean(char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < 0x20 || *line == 0x7f)
			*line = '?';
}

static void take_line(char *line)
{
	time_t time = now();

	clean(line);
	pthread_mutex_lock(&lock);
	if (!was_logged(line, time))
		say_limited(line, time);
	pthread_mutex_unlock(&lock);
}

void log_file(const char *file, const char *format, ...)
{
	char line[2048];
	int n = snprintf(line, sizeof(line) / 2, "%s: ", file);
	va_list args;

	if (n >= (int)sizeof(line) / 2)
		n = (int)sizeof(line) / 2 - 1;
	va_start(args, format);
	vsnprintf(line + n, sizeof(line) - (size_t)n, format, args);
	va_end(args);
	take_line(line);
}

void log_other(const char *format, va_list args)
{
	char line[1024];

	vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = '\0';
	take_line(line);
}
