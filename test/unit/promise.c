/* SPDX-License-Identifier: MIT */
#include "promises/promise.h"

#include "check.h"

bool promise(bool held, const char *text, const char *file, int line)
{
	return check_true(held, text, file, line);
}
