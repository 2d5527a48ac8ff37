#include "common/digest.h"

#include <stdio.h>

void digest_print(const unsigned char sha256[32])
{
	for (int i = 0; i < 32; i++)
		printf("%02x", sha256[i]);
}
