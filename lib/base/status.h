/* SPDX-License-Identifier: MIT */
/* Filling a struct nc3z_error once, where the failure is known. */
#ifndef NC3Z_BASE_STATUS_H
#define NC3Z_BASE_STATUS_H

#include "nc3z.h"

/* Returns from the enclosing function when 'expr' is not NC3Z_OK. */
#define NC3Z_TRY(expr) \
	do { \
		int nc3z_try_status_ = (expr); \
		if (nc3z_try_status_ != NC3Z_OK) \
			return nc3z_try_status_; \
	} while (0)

/*
 * Pointers that a public function needs.  It stands before all else there, as
 * the first values of variables may come from what they point to.
 */
#define NC3Z_NEED(err, given) \
	NC3Z_TRY((given) ? NC3Z_OK : \
			   error_set(err, NC3Z_EINVAL, "a pointer is NULL"))

/*
 * Fills 'err' (unless NULL) with a status and one line of text, no offset, no
 * block.  Returns 'status', so that a failure is reported and returned in one
 * statement.
 */
int error_set(struct nc3z_error *err, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with a place in the file; the text gets " (offset N)" appended. */
int error_set_at(struct nc3z_error *err, int status, uint64_t offset,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* NC3Z_EIO with the system's reason: "what: strerror(sys_errno)". */
int error_set_system(struct nc3z_error *err, int sys_errno, const char *what);

/* The same where bytes of the output cannot be written. */
int error_set_output(struct nc3z_error *err, int sys_errno, const char *what);

/* NC3Z_ENOMEM. */
int error_set_memory(struct nc3z_error *err);

/* Adds to a failure below at which offset it is. */
int error_add_offset(struct nc3z_error *err, int status, uint64_t offset);

/* Puts "what name: " before the text of a failure below. */
int error_add_name(struct nc3z_error *err, int status, const char *what,
		   const char *name);

/* Adds to a failure below which block of which stream it belongs to. */
int error_add_block(struct nc3z_error *err, int status, uint32_t stream,
		    uint32_t block);

#endif
