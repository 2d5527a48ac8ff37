/* SPDX-License-Identifier: MIT */
#include "check.h"
int main(void)
{
	CHECK(1);
	return check_report();
}
