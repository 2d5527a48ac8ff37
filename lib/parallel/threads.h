/* How many threads to use. */
#ifndef NC3Z_PARALLEL_THREADS_H
#define NC3Z_PARALLEL_THREADS_H

/* 'wanted', or the number of processors if that is 0, within the limits. */
unsigned threads_wanted(unsigned wanted);

#endif
