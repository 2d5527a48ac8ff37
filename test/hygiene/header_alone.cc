/* SPDX-License-Identifier: MIT */
/* The installed header must compile in C++11 with nothing before it. */
#include "nc3z.h"

int main()
{
	enum nc3z_status status = NC3Z_OK;

	return static_cast<int>(status);
}
