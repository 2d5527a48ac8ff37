/*
 * Prints how the structures of nc3z.h lie in memory, for comparison with what
 * the Python package takes them for.
 */
#include <stdio.h>

#include "nc3z.h"

#define SIZE(name) printf("%s %zu\n", #name, sizeof(struct name))
#define FIELD(name, field) \
	printf("%s.%s %zu %zu\n", #name, #field, offsetof(struct name, field), \
	       sizeof(((struct name *)0)->field))

int main(void)
{
	SIZE(nc3z_error);
	FIELD(nc3z_error, status);
	FIELD(nc3z_error, sys_errno);
	FIELD(nc3z_error, offset);
	FIELD(nc3z_error, stream);
	FIELD(nc3z_error, block);
	FIELD(nc3z_error, text);
	SIZE(nc3z_open_options);
	FIELD(nc3z_open_options, options_nbytes);
	FIELD(nc3z_open_options, cache_nbytes);
	FIELD(nc3z_open_options, nthreads);
	FIELD(nc3z_open_options, ignores_truncation);
	FIELD(nc3z_open_options, readahead_nbytes);
	SIZE(nc3z_dim);
	FIELD(nc3z_dim, name);
	FIELD(nc3z_dim, length);
	FIELD(nc3z_dim, is_record);
	SIZE(nc3z_var);
	FIELD(nc3z_var, name);
	FIELD(nc3z_var, type);
	FIELD(nc3z_var, ndims);
	FIELD(nc3z_var, dimids);
	FIELD(nc3z_var, shape);
	FIELD(nc3z_var, natts);
	FIELD(nc3z_var, is_record);
	FIELD(nc3z_var, nelems);
	SIZE(nc3z_att);
	FIELD(nc3z_att, name);
	FIELD(nc3z_att, type);
	FIELD(nc3z_att, nelems);
	FIELD(nc3z_att, attnum);
	SIZE(nc3z_hyperslab);
	FIELD(nc3z_hyperslab, start);
	FIELD(nc3z_hyperslab, count);
	FIELD(nc3z_hyperslab, stride);
	FIELD(nc3z_hyperslab, imap);
	printf("NC3Z_EIO %d\n", NC3Z_EIO);
	printf("NC3Z_ENOMEM %d\n", NC3Z_ENOMEM);
	printf("NC3Z_ETRUNCATED %d\n", NC3Z_ETRUNCATED);
	return 0;
}
