/* SPDX-License-Identifier: MIT */
#include "base/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *nc3z_status_text(int status)
{
	switch (status) {
	case NC3Z_OK:
		return "no error";
	case NC3Z_EINVAL:
		return "invalid argument";
	case NC3Z_EIO:
		return "input/output error";
	case NC3Z_ENOMEM:
		return "out of memory";
	case NC3Z_EEXIST:
		return "output already exists";
	case NC3Z_ENOTCLASSIC:
		return "not a netCDF classic file";
	case NC3Z_ENOTARCHIVE:
		return "not an nc3z archive";
	case NC3Z_EDAMAGED:
		return "archive is damaged";
	case NC3Z_EUNSUPPORTED:
		return "archive needs a newer version";
	case NC3Z_ELIMIT:
		return "limit exceeded";
	case NC3Z_ECHANGED:
		return "input changed while it was read";
	case NC3Z_ETRUNCATED:
		return "values beyond the end of the original";
	case NC3Z_ERANGE:
		return "value out of the range of the type";
	case NC3Z_ECHAR:
		return "text and numbers do not convert into each other";
	case NC3Z_EINVALCOORDS:
		return "index out of bounds";
	case NC3Z_EEDGE:
		return "start and count pass the end of a dimension";
	case NC3Z_ESTRIDE:
		return "stride is not between 1 and 2147483646";
	case NC3Z_EBADDIM:
		return "no such dimension";
	case NC3Z_ENOTVAR:
		return "no such variable";
	case NC3Z_ENOTATT:
		return "no such attribute";
	case NC3Z_EBADTYPE:
		return "no such type";
	case NC3Z_EOLDER:
		return "older archive cannot be used";
	default:
		return "unknown status";
	}
}

static void fill_error(struct nc3z_error *err, int status, const char *format,
		       va_list args) __attribute__((format(printf, 3, 0)));

static void fill_error(struct nc3z_error *err, int status, const char *format,
		       va_list args)
{
	memset(err->reserved, 0, sizeof(err->reserved));
	err->status = status;
	err->sys_errno = 0;
	err->is_output = 0;
	err->offset = NC3Z_NO_OFFSET;
	err->stream = NC3Z_NO_NUMBER;
	err->block = NC3Z_NO_NUMBER;
	vsnprintf(err->text, sizeof(err->text), format, args);
}

static void append_text(struct nc3z_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append_text(struct nc3z_error *err, const char *format, ...)
{
	size_t used = strlen(err->text);
	va_list args;

	va_start(args, format);
	vsnprintf(err->text + used, sizeof(err->text) - used, format, args);
	va_end(args);
}

int error_set(struct nc3z_error *err, int status, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		fill_error(err, status, format, args);
		va_end(args);
	}
	return status;
}

int error_set_at(struct nc3z_error *err, int status, uint64_t offset,
		 const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		fill_error(err, status, format, args);
		va_end(args);
		error_add_offset(err, status, offset);
	}
	return status;
}

int error_add_offset(struct nc3z_error *err, int status, uint64_t offset)
{
	if (err) {
		err->offset = offset;
		append_text(err, " (offset %" PRIu64 ")", offset);
	}
	return status;
}

int error_set_system(struct nc3z_error *err, int sys_errno, const char *what)
{
	error_set(err, NC3Z_EIO, "%s: %s", what, strerror(sys_errno));
	if (err)
		err->sys_errno = sys_errno;
	return NC3Z_EIO;
}

int error_set_output(struct nc3z_error *err, int sys_errno, const char *what)
{
	error_set_system(err, sys_errno, what);
	if (err)
		err->is_output = 1;
	return NC3Z_EIO;
}

int error_set_memory(struct nc3z_error *err)
{
	return error_set(err, NC3Z_ENOMEM, "out of memory");
}

int error_add_block(struct nc3z_error *err, int status, uint32_t stream,
		    uint32_t block)
{
	if (err) {
		err->stream = stream;
		err->block = block;
		append_text(err, " in block %" PRIu32 " of stream %" PRIu32,
			    block, stream);
	}
	return status;
}

int error_add_name(struct nc3z_error *err, int status, const char *what,
		   const char *name)
{
	char text[sizeof(err->text)];

	if (err) {
		memcpy(text, err->text, sizeof(text));
		err->text[0] = '\0';
		append_text(err, "%s %.64s: %s", what, name, text);
	}
	return status;
}
