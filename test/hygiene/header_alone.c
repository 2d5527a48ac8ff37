/* SPDX-License-Identifier: MIT */
/* The installed header must compile in C11 with nothing included before it. */
#include "nc3z.h"

int main(void)
{
	enum nc3z_status status = NC3Z_OK;

	return (int)status;
}
