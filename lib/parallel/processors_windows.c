/* SPDX-License-Identifier: MIT */
/* Those of the processor group that the process is in: up to 64. */
#include "parallel/processors.h"

#include <windows.h>

unsigned processors_count(void)
{
	DWORD_PTR own, all;
	unsigned n = 0;

	if (GetProcessAffinityMask(GetCurrentProcess(), &own, &all))
		for (; own != 0; own &= own - 1)
			n++;
	return n > 0 ? n : 1;
}
