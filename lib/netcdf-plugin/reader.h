/* SPDX-License-Identifier: MIT */
/*
 * The library that reads archives, loaded when the first one is opened.
 *
 * The plug-in is preloaded into programs that may never see an archive, and
 * that may bring compression libraries of their own, of other versions than
 * those libnc3z is linked with.  So it is linked with nothing.
 */
#ifndef NC3Z_NETCDF_PLUGIN_READER_H
#define NC3Z_NETCDF_PLUGIN_READER_H

#include <stdbool.h>

#include "nc3z.h"

/* Those functions of nc3z.h that are used here. */
#define READER_FUNCTIONS(use) \
	use(open) use(open_source) use(close) use(open_options_init_sized) \
		use(inq) use(inq_format) use(inq_refusal) use(inq_dim) use( \
			inq_dimid) use(inq_var) use(inq_varid) use(inq_att) \
			use(inq_attnum) use(get_att) use(get_form) \
				use(type_name) use(type_nbytes) use(type_fill) \
					use(netcdf_status) \
						use(source_open_memory) \
							use(source_close) \
								use(url_text)

struct plugin_reader {
#define READER_MEMBER(name) __typeof__(nc3z_##name) *name;
	READER_FUNCTIONS(READER_MEMBER)
#undef READER_MEMBER
};

/* Filled once, before the first dataset is there. */
extern struct plugin_reader reader;

/* False, after a line on standard error, if the library cannot be loaded. */
bool reader_load(void);

#endif
