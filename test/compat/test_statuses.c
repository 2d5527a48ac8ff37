/* SPDX-License-Identifier: MIT */
/*
 * The numbers of netCDF for the statuses of nc3z: one map, which nc3z_compat.h
 * and the plug-in for netcdf-c both go by.  The linker lets calls of the
 * library end here (--wrap), where each status is made in turn.
 *
 *	test_statuses TESTDATA
 */
#include <errno.h>

#include "check.h"
#include "nc3z.h"
#include "nc3z_compat.h"
#include "netcdf-plugin/dataset.h"

#define CHECK_SAME(a, b) CHECK((a) == (b))

/*
 * Damage and what changes meanwhile is NC_EIO.  An archive of a later version
 * is NC_ENOTBUILT, as a netCDF-4 file is for a libnetcdf without HDF5.  A limit
 * is NC_EVARSIZE: those that reading can meet are of sizes in a header.
 */
static const int netcdf_numbers[] = {
	[NC3Z_OK] = NC_NOERR,
	[NC3Z_EINVAL] = NC_EINVAL,
	[NC3Z_EIO] = NC_EIO,
	[NC3Z_ENOMEM] = NC_ENOMEM,
	[NC3Z_EEXIST] = NC_EEXIST,
	[NC3Z_ENOTCLASSIC] = NC_ENOTNC,
	[NC3Z_ENOTARCHIVE] = NC_ENOTNC,
	[NC3Z_EDAMAGED] = NC_EIO,
	[NC3Z_EUNSUPPORTED] = NC_ENOTBUILT,
	[NC3Z_ELIMIT] = NC_EVARSIZE,
	[NC3Z_ECHANGED] = NC_EIO,
	[NC3Z_ETRUNCATED] = NC_NOERR,
	[NC3Z_ERANGE] = NC_ERANGE,
	[NC3Z_ECHAR] = NC_ECHAR,
	[NC3Z_EINVALCOORDS] = NC_EINVALCOORDS,
	[NC3Z_EEDGE] = NC_EEDGE,
	[NC3Z_ESTRIDE] = NC_ESTRIDE,
	[NC3Z_EBADDIM] = NC_EBADDIM,
	[NC3Z_ENOTVAR] = NC_ENOTVAR,
	[NC3Z_ENOTATT] = NC_ENOTATT,
	[NC3Z_EBADTYPE] = NC_EBADTYPE,
};

#define NSTATUSES ((int)(sizeof(netcdf_numbers) / sizeof(netcdf_numbers[0])))

/* What the wrapped calls come to; -1: what they come to by themselves. */
static int made = -1;
static int made_errno;

static bool make(int *status_ret, struct nc3z_error *err)
{
	if (made < 0)
		return false;
	if (err) {
		err->status = made;
		err->sys_errno = made_errno;
		strcpy(err->text, "made by the test");
	}
	*status_ret = made;
	return true;
}

#define WRAP(name, parameters, arguments) \
	int __real_nc3z_##name parameters; \
	int __wrap_nc3z_##name parameters; \
	int __wrap_nc3z_##name parameters \
	{ \
		int status; \
\
		return make(&status, err) ? status : \
					    __real_nc3z_##name arguments; \
	}

WRAP(open,
     (const char *path, const struct nc3z_open_options *options,
      struct nc3z_file **file_ret, struct nc3z_error *err),
     (path, options, file_ret, err))
WRAP(open_source,
     (struct nc3z_source * source, const struct nc3z_open_options *options,
      struct nc3z_file **file_ret, struct nc3z_error *err),
     (source, options, file_ret, err))
WRAP(get_form,
     (struct nc3z_file * file, int varid, enum nc3z_form form,
      const struct nc3z_hyperslab *slab, int memtype, void *values,
      struct nc3z_error *err),
     (file, varid, form, slab, memtype, values, err))
WRAP(get_att,
     (const struct nc3z_file *file, int varid, const char *name, int memtype,
      void *values, struct nc3z_error *err),
     (file, varid, name, memtype, values, err))
WRAP(inq_attnum,
     (const struct nc3z_file *file, int varid, int attnum,
      struct nc3z_att *att_ret, struct nc3z_error *err),
     (file, varid, attnum, att_ret, err))

/* What the plug-in calls. */
struct plugin_reader reader;

bool reader_load(void)
{
#define READER_TAKE(name) reader.name = nc3z_##name;
	READER_FUNCTIONS(READER_TAKE)
	return true;
}

static char path[4096];

/* Two open files, and an attribute and a variable in them. */
static int ncid;
static struct plugin_dataset *dataset;
static unsigned char values[1 << 16];
static char name[NC_MAX_NAME + 1];

static void test_map(void)
{
	struct nc3z_error err = { .sys_errno = ENOSPC };

	for (int status = 0; status < NSTATUSES; status++)
		CHECK_SAME(nc3z_netcdf_status(status, NULL),
			   netcdf_numbers[status]);
	CHECK_SAME(nc3z_netcdf_status(NC3Z_EIO, &err), ENOSPC);
	CHECK_SAME(nc3z_netcdf_status(NC3Z_EDAMAGED, &err), NC_EIO);
	err.sys_errno = 0;
	CHECK_SAME(nc3z_netcdf_status(NC3Z_EIO, &err), NC_EIO);
	CHECK_SAME(nc3z_netcdf_status(NSTATUSES, NULL), NC_EIO);
	CHECK_SAME(nc3z_netcdf_status(-1, NULL), NC_EIO);
	/* no status is without a line in the table */
	CHECK_STR_EQ(nc3z_status_text(NSTATUSES), nc3z_status_text(-1));
	CHECK(strcmp(nc3z_status_text(NSTATUSES - 1), nc3z_status_text(-1)));
}

static void test_open(void)
{
	struct plugin_dataset *other;
	int other_ncid, wanted;

	for (int status = 1; status < NSTATUSES; status++) {
		wanted = netcdf_numbers[status];
		/* with truncation ignored, it does not come to this */
		if (status == NC3Z_ETRUNCATED)
			continue;
		made = status;
		CHECK_SAME(dataset_open(path, 0, NULL, &other), wanted);
		/* a directory, which libnetcdf takes for an unknown file */
		if (status == NC3Z_EINVAL)
			wanted = NC_ENOTNC;
		CHECK_SAME(nc_open(path, 0, &other_ncid), wanted);
		made = -1;
	}
}

static void check_calls(int wanted, int wanted_of_inq)
{
	const size_t zero[4] = { 0 }, one[4] = { 1, 1, 1, 1 };
	const struct nc3z_hyperslab slab = { .start = zero, .count = one };

	CHECK_SAME(nc_get_vara_double(ncid, 0, zero, one, (double *)values),
		   wanted);
	CHECK_SAME(dataset_get(dataset, 0, NC3Z_FORM_VARA, &slab, NC3Z_NAT,
			       values),
		   wanted);
	CHECK_SAME(nc_get_att(ncid, 0, name, values), wanted_of_inq);
	CHECK_SAME(dataset_get_att(dataset, 0, name, NC3Z_NAT, values), wanted);
	CHECK_SAME(nc_inq_attname(ncid, 0, 0, NULL), wanted_of_inq);
	CHECK_SAME(dataset_inq_attname(dataset, 0, 0, NULL), wanted);
}

static void test_calls(void)
{
	for (int status = 0; status < NSTATUSES; status++) {
		made = status;
		check_calls(netcdf_numbers[status], netcdf_numbers[status]);
		made = -1;
	}
	/* where no file is read there is no errno */
	made = NC3Z_EIO;
	made_errno = EACCES;
	check_calls(EACCES, NC_EIO);
	made = -1;
	made_errno = 0;
}

static void test_none(void)
{
	REQUIRE(nc_open(path, 0, &ncid) == NC_NOERR);
	REQUIRE(dataset_open(path, 0, NULL, &dataset) == NC_NOERR);
	REQUIRE(nc_inq_attname(ncid, 0, 0, name) == NC_NOERR);
	RUN(test_open);
	RUN(test_calls);
	dataset_close(dataset, NULL);
	nc_close(ncid);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	snprintf(path, sizeof(path), "%s/cdf1-attribute-types.nc", argv[1]);
	RUN(test_map);
	RUN(test_none);
	return check_report();
}
