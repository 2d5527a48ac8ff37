/* SPDX-License-Identifier: MIT */
#include "classic/header.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

void classic_header_release(struct classic_header *header)
{
	for (size_t i = 0; i < header->nvars; i++) {
		free(header->vars[i].dimids);
		free(header->vars[i].atts.list);
	}
	free(header->vars);
	free(header->dims);
	free(header->atts.list);
	*header = (struct classic_header){ 0 };
}

char *classic_name_copy(const struct classic_name *name)
{
	char *copy = malloc(name->nbytes + 1);

	if (copy) {
		memcpy(copy, name->bytes, name->nbytes);
		copy[name->nbytes] = '\0';
	}
	return copy;
}

bool classic_var_is_record(const struct classic_header *header,
			   const struct classic_var *var)
{
	return var->ndims > 0 && header->dims[var->dimids[0]].length == 0;
}

bool classic_var_nelems(const struct classic_header *header,
			const struct classic_var *var, uint64_t *nelems_ret)
{
	uint64_t nelems = 1;
	bool fits = true;

	for (size_t i = classic_var_is_record(header, var); i < var->ndims;
	     i++) {
		uint64_t length = header->dims[var->dimids[i]].length;

		/* One empty dimension empties the variable. */
		if (length == 0) {
			*nelems_ret = 0;
			return true;
		}
		fits = fits && size_mul(nelems, length, &nelems);
	}
	*nelems_ret = nelems;
	return fits;
}
