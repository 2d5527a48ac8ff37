/* SPDX-License-Identifier: MIT */
#include "dump/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MS_MAX 1000

struct terminal_size terminal_size(void)
{
	struct winsize w = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0)
		return (struct terminal_size){ 0 };
	return (struct terminal_size){
		.columns = w.ws_col,
		.lines = w.ws_row,
		.width = w.ws_xpixel,
		.height = w.ws_ypixel,
	};
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

bool terminal_shows_sixels(void)
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
