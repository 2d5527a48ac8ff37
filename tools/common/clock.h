/* SPDX-License-Identifier: MIT */
/* Time that passes, whatever is done to the clock on the wall. */
#ifndef NC3Z_TOOLS_COMMON_CLOCK_H
#define NC3Z_TOOLS_COMMON_CLOCK_H

/* Seconds since some moment before the program began. */
double clock_seconds(void);

/* Seconds that processors have worked for this thread. */
double clock_processor_seconds(void);

#endif
