#include "dump/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS_MIN 24
#define COLUMNS_MAX 400
#define LINES_MIN 12
#define LINES_MAX 200
#define ANSWER_MS_MAX 1000
/* Pixels of a character if unknown, and the most that are believed. */
#define CELL_WIDTH 8
#define CELL_HEIGHT 16
#define CELL_MAX 64

static int clamp(long n, int least, int most)
{
	return n < least ? least : n > most ? most : (int)n;
}

/* A number of 1 or more in the environment, else what the terminal says. */
static long size_of(const char *name, long of_terminal, long otherwise)
{
	const char *text = getenv(name);
	char *end;
	long n;

	errno = 0;
	n = text ? strtol(text, &end, 10) : 0;
	if (text && end != text && *end == '\0' && errno == 0 && n > 0)
		return n;
	return of_terminal > 0 ? of_terminal : otherwise;
}

/* False if nobody says how many pixels a character has. */
static bool find_size(struct screen *s)
{
	struct winsize w = { 0 };
	bool has_pixels;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0)
		w = (struct winsize){ 0 };
	has_pixels = w.ws_col > 0 && w.ws_row > 0 && w.ws_xpixel >= w.ws_col &&
		     w.ws_ypixel >= w.ws_row;
	s->columns = clamp(size_of("COLUMNS", w.ws_col, 80), COLUMNS_MIN,
			   COLUMNS_MAX);
	s->lines = clamp(size_of("LINES", w.ws_row, 24), LINES_MIN, LINES_MAX);
	s->cell_width = has_pixels ?
				clamp(w.ws_xpixel / w.ws_col, 1, CELL_MAX) :
				CELL_WIDTH;
	s->cell_height = has_pixels ?
				 clamp(w.ws_ypixel / w.ws_row, 1, CELL_MAX) :
				 CELL_HEIGHT;
	return has_pixels;
}

static const char *environment(const char *name)
{
	const char *text = getenv(name);

	return text && text[0] != '\0' ? text : NULL;
}

/* As the C library chooses the locale for characters. */
static bool is_utf8_locale(void)
{
	const char *locale = environment("LC_ALL");

	if (!locale)
		locale = environment("LC_CTYPE");
	if (!locale)
		locale = environment("LANG");
	for (; locale && *locale != '\0'; locale++)
		if (strncasecmp(locale, "UTF-8", 5) == 0 ||
		    strncasecmp(locale, "UTF8", 4) == 0)
			return true;
	return false;
}

static bool has_colours(void)
{
	const char *term = environment("TERM");

	return term && strcmp(term, "dumb") != 0 && !environment("NO_COLOR");
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000L;
}

/* Whether there is input, now or in the time that is left. */
static bool is_readable(int fd, long ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms > 0 ? (int)ms : 0) == 1 && (p.revents & POLLIN);
}

/* Whether "ESC [ ? 62 ; 4 ; 22 c" has a 4, which stands for sixels. */
static bool names_sixel(const char *answer)
{
	const char *at = strstr(answer, "\033[?");

	for (at = at ? at + 3 : ""; *at >= '0' && *at <= '9';) {
		char *end;

		if (strtol(at, &end, 10) == 4)
			return true;
		at = *end == ';' ? end + 1 : end;
	}
	return false;
}

/* Up to the "c" that ends an answer, the time, or more than fits. */
static bool read_answer(int fd)
{
	long end = now_ms() + ANSWER_MS_MAX;
	char answer[128] = "";

	for (size_t n = 0; n < sizeof(answer) - 1;) {
		if (!is_readable(fd, end - now_ms()) ||
		    read(fd, answer + n, 1) != 1)
			return false;
		if (answer[n++] == 'c')
			return names_sixel(answer);
	}
	return false;
}

/*
 * Asks for the terminal's primary device attributes.  What somebody has typed
 * already stays where it is: then it is not asked.
 */
static bool ask(int fd)
{
	static const char question[] = "\033[c";
	struct termios kept, raw;
	bool is_sixel;

	if (tcgetattr(fd, &kept) != 0)
		return false;
	raw = kept;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (tcsetattr(fd, TCSANOW, &raw) != 0)
		return false;
	is_sixel = !is_readable(fd, 0) &&
		   write(fd, question, sizeof(question) - 1) ==
			   (ssize_t)sizeof(question) - 1 &&
		   read_answer(fd);
	tcsetattr(fd, TCSANOW, &kept);
	return is_sixel;
}

/* Only of a terminal that is ours at the moment, and that can be read. */
static bool shows_sixels(void)
{
	int flags = fcntl(STDOUT_FILENO, F_GETFL);
	sigset_t all, kept;
	bool is_sixel;

	if (flags < 0 || (flags & O_ACCMODE) != O_RDWR ||
	    tcgetpgrp(STDOUT_FILENO) != getpgrp())
		return false;
	/* A signal must not leave the terminal without echo. */
	sigfillset(&all);
	if (sigprocmask(SIG_BLOCK, &all, &kept) != 0)
		return false;
	is_sixel = ask(STDOUT_FILENO);
	sigprocmask(SIG_SETMASK, &kept, NULL);
	return is_sixel;
}

void screen_init(struct screen *screen, enum screen_form wanted)
{
	bool has_pixels;

	*screen = (struct screen){ .form = wanted };
	has_pixels = find_size(screen);
	screen->is_unicode = is_utf8_locale();
	if (wanted != SCREEN_AUTO)
		return;
	if (!isatty(STDOUT_FILENO) || !has_colours())
		screen->form = SCREEN_TEXT;
	else
		screen->form = has_pixels && shows_sixels() ? SCREEN_SIXEL :
							      SCREEN_COLOUR;
}
