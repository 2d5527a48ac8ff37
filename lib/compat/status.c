/* SPDX-License-Identifier: MIT */
/*
 * The statuses of nc3z as numbers of netCDF, and what these mean, in
 * libnetcdf's words: programs print them, and people know them by heart.  What
 * they leave out is a line on standard error for who asks for it.
 */
#include "compat/table.h"

#include "nc3z_compat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int netcdf_status[] = {
	[NC3Z_OK] = NC_NOERR,
	[NC3Z_EINVAL] = NC_EINVAL,
	[NC3Z_EIO] = NC_EIO,
	[NC3Z_ENOMEM] = NC_ENOMEM,
	[NC3Z_EEXIST] = NC_EEXIST,
	[NC3Z_ENOTCLASSIC] = NC_ENOTNC,
	[NC3Z_ENOTARCHIVE] = NC_ENOTNC,
	[NC3Z_EDAMAGED] = NC_EIO,
	/* as of netCDF-4 or CDF-5 where libnetcdf was built without them */
	[NC3Z_EUNSUPPORTED] = NC_ENOTBUILT,
	/* in reading, the limits are those of sizes that a header gives */
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
	[NC3Z_EOLDER] = NC_EIO,
};

int nc3z_netcdf_status(int status, const struct nc3z_error *err)
{
	if (status == NC3Z_EIO && err && err->sys_errno > 0)
		return err->sys_errno;
	if (status < 0 ||
	    (size_t)status >= sizeof(netcdf_status) / sizeof(netcdf_status[0]))
		return NC_EIO;
	return netcdf_status[status];
}

void compat_tell(const char *path, const char *reason)
{
	const char *setting = getenv("NC3Z_COMPAT_VERBOSE");
	char name[4096];

	if (!setting || !*setting)
		return;
	/* a URL may have a password */
	nc3z_url_text(path, name, sizeof(name));
	fprintf(stderr, "nc3z: %s: %s\n", name, reason);
}

int compat_status(const char *path, int status, const struct nc3z_error *err)
{
	if (status != NC3Z_OK && status != NC3Z_ETRUNCATED)
		compat_tell(path, err->text);
	return nc3z_netcdf_status(status, err);
}

struct message {
	int status;
	const char *text;
};

static const struct message messages[] = {
	{ NC_NOERR, "No error" },
	{ NC_EBADID, "NetCDF: Not a valid ID" },
	{ NC_ENFILE, "NetCDF: Too many files open" },
	{ NC_EEXIST, "NetCDF: File exists && NC_NOCLOBBER" },
	{ NC_EINVAL, "NetCDF: Invalid argument" },
	{ NC_EPERM, "NetCDF: Write to read only" },
	{ NC_ENOTINDEFINE, "NetCDF: Operation not allowed in data mode" },
	{ NC_EINDEFINE, "NetCDF: Operation not allowed in define mode" },
	{ NC_EINVALCOORDS, "NetCDF: Index exceeds dimension bound" },
	{ NC_EMAXDIMS, "NetCDF: NC_MAX_DIMS exceeded" },
	{ NC_ENAMEINUSE, "NetCDF: String match to name in use" },
	{ NC_ENOTATT, "NetCDF: Attribute not found" },
	{ NC_EMAXATTS, "NetCDF: NC_MAX_ATTRS exceeded" },
	{ NC_EBADTYPE,
	  "NetCDF: Not a valid data type or _FillValue type mismatch" },
	{ NC_EBADDIM, "NetCDF: Invalid dimension ID or name" },
	{ NC_EUNLIMPOS, "NetCDF: NC_UNLIMITED in the wrong index" },
	{ NC_EMAXVARS, "NetCDF: NC_MAX_VARS exceeded" },
	{ NC_ENOTVAR, "NetCDF: Variable not found" },
	{ NC_EGLOBAL, "NetCDF: Action prohibited on NC_GLOBAL varid" },
	{ NC_ENOTNC, "NetCDF: Unknown file format" },
	{ NC_ESTS, "NetCDF: In Fortran, string too short" },
	{ NC_EMAXNAME, "NetCDF: NC_MAX_NAME exceeded" },
	{ NC_EUNLIMIT, "NetCDF: NC_UNLIMITED size already in use" },
	{ NC_ENORECVARS, "NetCDF: nc_rec op when there are no record vars" },
	{ NC_ECHAR, "NetCDF: Attempt to convert between text & numbers" },
	{ NC_EEDGE, "NetCDF: Start+count exceeds dimension bound" },
	{ NC_ESTRIDE, "NetCDF: Illegal stride" },
	{ NC_EBADNAME, "NetCDF: Name contains illegal characters" },
	{ NC_ERANGE, "NetCDF: Numeric conversion not representable" },
	{ NC_ENOMEM, "NetCDF: Memory allocation (malloc) failure" },
	{ NC_EVARSIZE, "NetCDF: One or more variable sizes violate format "
		       "constraints" },
	{ NC_EDIMSIZE, "NetCDF: Invalid dimension size" },
	{ NC_ETRUNC, "NetCDF: File likely truncated or possibly corrupted" },
	{ NC_EAXISTYPE, "NetCDF: Illegal axis type" },
	{ NC_EDAP, "NetCDF: DAP failure" },
	{ NC_ECURL, "NetCDF: libcurl failure" },
	{ NC_EIO, "NetCDF: I/O failure" },
	{ NC_ENODATA, "NetCDF: Variable has no data" },
	{ NC_EDAPSVC, "NetCDF: DAP server error" },
	{ NC_EDAS, "NetCDF: Malformed or inaccessible DAP DAS" },
	{ NC_EDDS, "NetCDF: Malformed or inaccessible DAP2 DDS or DAP4 DMR "
		   "response" },
	{ NC_EDATADDS, "NetCDF: Malformed or inaccessible DAP2 DATADDS or DAP4 "
		       "DAP response" },
	{ NC_EDAPURL, "NetCDF: Malformed URL" },
	{ NC_EDAPCONSTRAINT, "NetCDF: Malformed or unexpected Constraint" },
	{ NC_ETRANSLATION, "NetCDF: Untranslatable construct" },
	{ NC_EACCESS, "NetCDF: Access failure" },
	{ NC_EAUTH, "NetCDF: Authorization failure" },
	{ NC_ENOTFOUND, "NetCDF: file not found" },
	{ NC_ECANTREMOVE, "NetCDF: cannot delete file" },
	{ NC_EINTERNAL,
	  "NetCDF: internal library error; Please contact Unidata "
	  "support" },
	{ NC_EPNETCDF, "NetCDF: PnetCDF error" },
	{ NC_EHDFERR, "NetCDF: HDF error" },
	{ NC_ECANTREAD, "NetCDF: Can't read file" },
	{ NC_ECANTWRITE, "NetCDF: Can't write file" },
	{ NC_ECANTCREATE, "NetCDF: Can't create file" },
	{ NC_EFILEMETA, "NetCDF: Can't add HDF5 file metadata" },
	{ NC_EDIMMETA, "NetCDF: Can't define dimensional metadata" },
	{ NC_EATTMETA, "NetCDF: Can't open HDF5 attribute" },
	{ NC_EVARMETA, "NetCDF: Problem with variable metadata." },
	{ NC_ENOCOMPOUND, "NetCDF: Can't create HDF5 compound type" },
	{ NC_EATTEXISTS,
	  "NetCDF: Attempt to create attribute that already exists" },
	{ NC_ENOTNC4,
	  "NetCDF: Attempting netcdf-4 operation on netcdf-3 file" },
	{ NC_ESTRICTNC3, "NetCDF: Attempting netcdf-4 operation on strict nc3 "
			 "netcdf-4 file" },
	{ NC_ENOTNC3,
	  "NetCDF: Attempting netcdf-3 operation on netcdf-4 file" },
	{ NC_ENOPAR, "NetCDF: Parallel operation on file opened for "
		     "non-parallel access" },
	{ NC_EPARINIT, "NetCDF: Error initializing for parallel access" },
	{ NC_EBADGRPID, "NetCDF: Bad group ID" },
	{ NC_EBADTYPID, "NetCDF: Bad type ID" },
	{ NC_ETYPDEFINED,
	  "NetCDF: Type has already been defined and may not be "
	  "edited" },
	{ NC_EBADFIELD, "NetCDF: Bad field ID" },
	{ NC_EBADCLASS, "NetCDF: Bad class" },
	{ NC_EMAPTYPE, "NetCDF: Mapped access for atomic types only" },
	{ NC_ELATEFILL,
	  "NetCDF: Attempt to define fill value when data already "
	  "exists." },
	{ NC_ELATEDEF,
	  "NetCDF: Attempt to define var properties, like deflate, "
	  "after enddef." },
	{ NC_EDIMSCALE, "NetCDF: Problem with HDF5 dimscales." },
	{ NC_ENOGRP, "NetCDF: No group found." },
	{ NC_ESTORAGE, "NetCDF: Cannot specify both contiguous and chunking." },
	{ NC_EBADCHUNK, "NetCDF: Bad chunk sizes." },
	{ NC_ENOTBUILT, "NetCDF: Attempt to use feature that was not turned on "
			"when netCDF was built." },
	{ NC_EDISKLESS, "NetCDF: Error in using diskless access" },
	{ NC_ECANTEXTEND,
	  "NetCDF: Attempt to extend dataset during NC_INDEPENDENT "
	  "I/O operation. Use nc_var_par_access to set mode "
	  "NC_COLLECTIVE before extending variable." },
	{ NC_EMPI, "NetCDF: MPI operation failed." },
	{ NC_EFILTER, "NetCDF: Filter error: bad id or parameters or duplicate "
		      "filter" },
	{ NC_ERCFILE, "NetCDF: RC File Failure." },
	{ NC_ENULLPAD, "NetCDF: File fails strict Null-Byte Header check." },
	{ NC_EINMEMORY, "NetCDF: In-memory File operation failed." },
	{ NC_ENOFILTER, "NetCDF: Filter error: undefined filter encountered" },
	{ NC_ENCZARR, "NetCDF: NCZarr error" },
	{ NC_ES3, "NetCDF: AWS S3 error" },
	{ NC_EEMPTY, "NetCDF: Attempt to read empty NCZarr map key" },
	{ NC_EOBJECT, "NetCDF: Some object exists when it should not" },
	{ NC_ENOOBJECT, "NetCDF: Some object not found" },
	{ NC_EPLUGIN, "NetCDF: Unclassified failure in accessing a dynamically "
		      "loaded plugin" },
};

const char *nc_strerror(int status)
{
	if (NC_ISSYSERR(status))
		return strerror(status);
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		if (messages[i].status == status)
			return messages[i].text;
	return "Unknown Error";
}

const char *nc_inq_libvers(void)
{
	return "4.9.0 as read by nc3z " NC3Z_VERSION " $";
}
