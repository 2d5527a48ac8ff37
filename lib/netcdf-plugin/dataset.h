/* SPDX-License-Identifier: MIT */
/*
 * An archive that libnetcdf has opened, and the questions it can be asked.
 *
 * Every function returns a status of netcdf-c (netcdf_c.h), the one that
 * libnetcdf returns for the original.  Result pointers may be NULL.
 */
#ifndef NC3Z_NETCDF_PLUGIN_DATASET_H
#define NC3Z_NETCDF_PLUGIN_DATASET_H

#include "netcdf-plugin/reader.h"
#include "netcdf-plugin/netcdf_c.h"
#include "netcdf-plugin/reader.h"
#include "nc3z.h"

/* Brings a UTF-8 name into the form of files; from malloc().  0 if it can. */
typedef int normalize_fn(const unsigned char *name, unsigned char **form_ret);

struct plugin_dataset {
	struct nc3z_file *file;
	char *path;
	int mode;
	struct netcdf_memio memory; /* the archive, if it was given so */
	normalize_fn *normalize;    /* of the libnetcdf, may be NULL */
};

/*
 * 'memory' is the archive if 'mode' says so, NULL otherwise.  Failures that
 * have no status of their own in netcdf-c are reported on standard error.
 */
int dataset_open(const char *path, int mode, const struct netcdf_memio *memory,
		 struct plugin_dataset **dataset_ret);

/* Says why a file that has the name of an archive is none, if it is none. */
void dataset_explain(const char *path);

/* Gives the memory of the archive to 'memory_ret', or frees it, as agreed. */
void dataset_close(struct plugin_dataset *dataset,
		   struct netcdf_memio *memory_ret);

/* The status of netcdf-c; says what that does not. */
int dataset_status(const struct plugin_dataset *dataset, int status,
		   const struct nc3z_error *err);

/* dataset_inq.c */
int dataset_inq_format(const struct plugin_dataset *dataset, int *format_ret);
int dataset_inq_format_extended(const struct plugin_dataset *dataset,
				int *format_ret, int *mode_ret);
int dataset_inq_dim(const struct plugin_dataset *dataset, int dimid,
		    char *name_ret, size_t *length_ret);
int dataset_inq_dimid(const struct plugin_dataset *dataset, const char *name,
		      int *dimid_ret);
int dataset_inq_varid(const struct plugin_dataset *dataset, const char *name,
		      int *varid_ret);

struct plugin_var {
	char *name;
	int *type;
	int *ndims;
	int *dimids;
	int *natts;
	int *no_fill;
	void *fill_value;
};

int dataset_inq_var(const struct plugin_dataset *dataset, int varid,
		    const struct plugin_var *var_ret);
int dataset_inq_type(int type, char *name_ret, size_t *nbytes_ret);

/* attributes.c */
int dataset_inq_att(const struct plugin_dataset *dataset, int varid,
		    const char *name, int *type_ret, size_t *nelems_ret);
int dataset_inq_attid(const struct plugin_dataset *dataset, int varid,
		      const char *name, int *attnum_ret);
int dataset_inq_attname(const struct plugin_dataset *dataset, int varid,
			int attnum, char *name_ret);
int dataset_get_att(const struct plugin_dataset *dataset, int varid,
		    const char *name, int memtype, void *values);

/*
 * The form of a name that is looked up: NULL if it can be none, else free()
 * what 'made_ret' gets.
 */
const char *dataset_name(const struct plugin_dataset *dataset, const char *name,
			 char **made_ret);

/* Copies a name into the caller's NETCDF_MAX_NAME bytes and a NUL. */
void dataset_copy_name(char *name_ret, const char *name);

/* values.c */
int dataset_get(struct plugin_dataset *dataset, int varid, enum nc3z_form form,
		const struct nc3z_hyperslab *slab, int memtype, void *values);

#endif
