/* SPDX-License-Identifier: MIT */
/*
 * One thread for the process talks to all servers, by libcurl's multi
 * interface, for all objects.  It starts with the first piece that is wanted,
 * sleeps when there is none, and ends with the process.  After fork() the child
 * has none, and starts its own; what was on its way is asked for again.
 */
#ifndef NC3Z_REMOTE_LOOP_H
#define NC3Z_REMOTE_LOOP_H

struct nc3z_error;

/* With the lock of the engine held: there is work.  NC3Z_ENOMEM, NC3Z_EIO. */
int loop_wake(struct nc3z_error *err);

#endif
