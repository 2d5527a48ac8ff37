/* SPDX-License-Identifier: MIT */
/*
 * The program starts in wmain(), as the names of files that main() would get
 * are in the code page of the system; nc3z has UTF-8 everywhere.
 */
#include <fcntl.h>
#include <io.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

#include "common/standard.h"

int main(int argc, char **argv);
int wmain(int argc, wchar_t **wide);

void standard_streams_hold(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		int flags = fd == 0 ? _O_WRONLY : _O_RDONLY;

		if (_get_osfhandle(fd) == -1 && _open("NUL", flags) != fd)
			_exit(EXIT_FAILED);
		/* Lines end as elsewhere, and bytes are bytes. */
		_setmode(fd, _O_BINARY);
	}
}

const char *standard_last_name(const char *path)
{
	const char *last = path;

	for (; *path != '\0'; path++)
		if (strchr("/\\:", *path))
			last = path + 1;
	return last;
}

static char *utf8_of(const wchar_t *wide)
{
	int n = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
	char *text = n > 0 ? malloc((size_t)n) : NULL;

	if (text)
		WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, n, NULL, NULL);
	return text;
}

int wmain(int argc, wchar_t **wide)
{
	char **argv = calloc((size_t)argc + 1, sizeof(*argv));

	for (int i = 0; argv && i < argc; i++) {
		argv[i] = utf8_of(wide[i]);
		if (!argv[i])
			argv = NULL;
	}
	if (!argv) {
		fputs("out of memory\n", stderr);
		return EXIT_FAILED;
	}
	return main(argc, argv);
}
