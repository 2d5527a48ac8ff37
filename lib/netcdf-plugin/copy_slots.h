/* SPDX-License-Identifier: MIT */
/*
 * The functions of one copy of libnetcdf, COPY, that depend on the file: they
 * find the dataset and pass the question on.  Included once for each copy,
 * hence no guard.
 */
#define SLOT_NAME(copy, name) name##_##copy
#define SLOT_OF(copy, name) SLOT_NAME(copy, name)
#define SLOT(name) SLOT_OF(COPY, name)

static int SLOT(open)(const char *path, int mode, int basepe, size_t *hint,
		      void *parameters, const struct netcdf_table *table,
		      int ncid)
{
	(void)basepe;
	(void)hint;
	(void)table;
	return copies_open_dataset(COPY, ncid, path, mode, parameters);
}

static int SLOT(close)(int ncid, void *parameters)
{
	return copies_close_dataset(COPY, ncid, parameters);
}

static int SLOT(abort)(int ncid)
{
	return copies_close_dataset(COPY, ncid, NULL);
}

static int SLOT(inq_format)(int ncid, int *format_ret)
{
	return dataset_inq_format(copies_dataset(COPY, ncid), format_ret);
}

static int SLOT(inq_format_extended)(int ncid, int *format_ret, int *mode_ret)
{
	return dataset_inq_format_extended(copies_dataset(COPY, ncid),
					   format_ret, mode_ret);
}

static int SLOT(inq)(int ncid, int *ndims_ret, int *nvars_ret, int *natts_ret,
		     int *unlimdimid_ret)
{
	reader.inq(copies_dataset(COPY, ncid)->file, ndims_ret, nvars_ret,
		   natts_ret, unlimdimid_ret);
	return NETCDF_NOERR;
}

static int SLOT(inq_dimid)(int ncid, const char *name, int *dimid_ret)
{
	return dataset_inq_dimid(copies_dataset(COPY, ncid), name, dimid_ret);
}

static int SLOT(inq_dim)(int ncid, int dimid, char *name_ret,
			 size_t *length_ret)
{
	return dataset_inq_dim(copies_dataset(COPY, ncid), dimid, name_ret,
			       length_ret);
}

static int SLOT(inq_unlimdim)(int ncid, int *dimid_ret)
{
	return SLOT(inq)(ncid, NULL, NULL, NULL, dimid_ret);
}

static int SLOT(inq_unlimdims)(int ncid, int *ndims_ret, int *dimids_ret)
{
	int dimid;

	SLOT(inq)(ncid, NULL, NULL, NULL, &dimid);
	if (ndims_ret)
		*ndims_ret = dimid >= 0;
	if (dimids_ret && dimid >= 0)
		*dimids_ret = dimid;
	return NETCDF_NOERR;
}

static int SLOT(inq_att)(int ncid, int varid, const char *name, int *type_ret,
			 size_t *nelems_ret)
{
	return dataset_inq_att(copies_dataset(COPY, ncid), varid, name,
			       type_ret, nelems_ret);
}

static int SLOT(inq_attid)(int ncid, int varid, const char *name,
			   int *attnum_ret)
{
	return dataset_inq_attid(copies_dataset(COPY, ncid), varid, name,
				 attnum_ret);
}

static int SLOT(inq_attname)(int ncid, int varid, int attnum, char *name_ret)
{
	return dataset_inq_attname(copies_dataset(COPY, ncid), varid, attnum,
				   name_ret);
}

static int SLOT(get_att)(int ncid, int varid, const char *name, void *values,
			 int memtype)
{
	return dataset_get_att(copies_dataset(COPY, ncid), varid, name, memtype,
			       values);
}

static int SLOT(inq_varid)(int ncid, const char *name, int *varid_ret)
{
	return dataset_inq_varid(copies_dataset(COPY, ncid), name, varid_ret);
}

static int SLOT(get_vara)(int ncid, int varid, const size_t *start,
			  const size_t *count, void *values, int memtype)
{
	const struct nc3z_hyperslab slab = { .start = start, .count = count };

	if (varid == NC3Z_GLOBAL)
		return NETCDF_EGLOBAL;
	return dataset_get(copies_dataset(COPY, ncid), varid, NC3Z_FORM_VARA,
			   &slab, memtype, values);
}

static int SLOT(get_vars)(int ncid, int varid, const size_t *start,
			  const size_t *count, const ptrdiff_t *stride,
			  void *values, int memtype)
{
	const struct nc3z_hyperslab slab = {
		.start = start,
		.count = count,
		.stride = stride,
	};

	return dataset_get(copies_dataset(COPY, ncid), varid, NC3Z_FORM_VARS,
			   &slab, memtype, values);
}

static int SLOT(get_varm)(int ncid, int varid, const size_t *start,
			  const size_t *count, const ptrdiff_t *stride,
			  const ptrdiff_t *imap, void *values, int memtype)
{
	const struct nc3z_hyperslab slab = {
		.start = start,
		.count = count,
		.stride = stride,
		.imap = imap,
	};

	return dataset_get(copies_dataset(COPY, ncid), varid, NC3Z_FORM_VARM,
			   &slab, memtype, values);
}

static int SLOT(inq_var_all)(int ncid, int varid, char *name, int *type,
			     int *ndims, int *dimids, int *natts, int *shuffle,
			     int *deflate, int *deflate_level, int *fletcher32,
			     int *contiguous, size_t *chunks, int *no_fill,
			     void *fill_value, int *endianness,
			     unsigned *filter, size_t *nparams,
			     unsigned *params)
{
	const struct plugin_var var = {
		.name = name,
		.type = type,
		.ndims = ndims,
		.dimids = dimids,
		.natts = natts,
		.no_fill = no_fill,
		.fill_value = fill_value,
	};
	int status = dataset_inq_var(copies_dataset(COPY, ncid), varid, &var);

	(void)deflate_level;
	(void)chunks;
	if (status != NETCDF_NOERR)
		return status;
	if (shuffle)
		*shuffle = 0;
	if (deflate)
		*deflate = 0;
	if (fletcher32)
		*fletcher32 = 0;
	if (contiguous)
		*contiguous = NETCDF_CONTIGUOUS;
	return endianness || filter || nparams || params ? NETCDF_ENOTNC4 :
							   NETCDF_NOERR;
}

static int SLOT(inq_varids)(int ncid, int *nvars_ret, int *varids_ret)
{
	int nvars;

	SLOT(inq)(ncid, NULL, &nvars, NULL, NULL);
	if (nvars_ret)
		*nvars_ret = nvars;
	for (int i = 0; varids_ret && i < nvars; i++)
		varids_ret[i] = i;
	return NETCDF_NOERR;
}

static int SLOT(inq_dimids)(int ncid, int *ndims_ret, int *dimids_ret,
			    int with_parents)
{
	int ndims;

	(void)with_parents;
	SLOT(inq)(ncid, &ndims, NULL, NULL, NULL);
	if (ndims_ret)
		*ndims_ret = ndims;
	for (int i = 0; dimids_ret && i < ndims; i++)
		dimids_ret[i] = i;
	return NETCDF_NOERR;
}

static void SLOT(fill_table)(struct netcdf_table *table)
{
	table->open = SLOT(open);
	table->close = SLOT(close);
	table->abort = SLOT(abort);
	table->inq_format = SLOT(inq_format);
	table->inq_format_extended = SLOT(inq_format_extended);
	table->inq = SLOT(inq);
	table->inq_dimid = SLOT(inq_dimid);
	table->inq_dim = SLOT(inq_dim);
	table->inq_unlimdim = SLOT(inq_unlimdim);
	table->inq_unlimdims = SLOT(inq_unlimdims);
	table->inq_att = SLOT(inq_att);
	table->inq_attid = SLOT(inq_attid);
	table->inq_attname = SLOT(inq_attname);
	table->get_att = SLOT(get_att);
	table->inq_varid = SLOT(inq_varid);
	table->get_vara = SLOT(get_vara);
	table->get_vars = SLOT(get_vars);
	table->get_varm = SLOT(get_varm);
	table->inq_var_all = SLOT(inq_var_all);
	table->inq_varids = SLOT(inq_varids);
	table->inq_dimids = SLOT(inq_dimids);
}

#undef SLOT
#undef SLOT_OF
#undef SLOT_NAME
#undef COPY
