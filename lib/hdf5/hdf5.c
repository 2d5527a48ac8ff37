/* SPDX-License-Identifier: MIT */
/* Making netCDF-4 files: what exact/hdf5_room.h promises. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "hdf5/container.h"

/* HDF5 is made without threads, as a rule. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* Of the last call that failed; in turn. */
static char reason[200];

#define METADATA_NBYTES ((size_t)32 << 20)

/*
 * Memory that is kept between calls, for these to find: HDF5 1.10 crashes
 * where one has none for what it keeps of calls and files, the first one above
 * all, which sets up the library.
 */
#define SPARE_NBYTES ((size_t)16 << 20)
static void *spare; /* in turn */

/* HDF5 wants one, and the driver has no use for it. */
#define NO_NAME "netCDF-4"

/* The first one is where it happened. */
static herr_t note_reason(unsigned n, const H5E_error2_t *error, void *context)
{
	(void)context;
	if (n == 0)
		snprintf(reason, sizeof(reason), "%s", error->desc);
	return 0;
}

/* HDF5 calls it where others would have messages. */
static herr_t on_error(hid_t stack, void *context)
{
	return H5Ewalk2(stack, H5E_WALK_UPWARD, note_reason, context);
}

int hdf5_fail(struct nc3z_error *err, const char *what)
{
	return error_set(err, NC3Z_EIO, "HDF5 %s: %s", what, reason);
}

static void take_spare(void)
{
	void *taken = spare ? spare :
			      mmap(NULL, SPARE_NBYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	spare = taken == MAP_FAILED ? NULL : taken;
}

/* False if there is too little memory for a call of HDF5; then comes end(). */
static bool begin_library(void)
{
	pthread_mutex_lock(&turn);
	reason[0] = '\0';
	take_spare();
	if (!spare)
		return false;
	munmap(spare, SPARE_NBYTES);
	spare = NULL;
	H5Eset_auto2(H5E_DEFAULT, on_error, NULL);
	return true;
}

/* What the system reports comes before what HDF5 makes of it. */
static int end_output(const struct driver_output *output, int status,
		      struct nc3z_error *err)
{
	if (output && output->sys_errno)
		status = error_set_output(err, output->sys_errno,
					  output->failed);
	take_spare();
	pthread_mutex_unlock(&turn);
	return status;
}

static struct container *new_container(int fd,
				       const struct container_plan *plan)
{
	struct container *c = memory_alloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->file = H5I_INVALID_HID;
	c->nvars = plan->header->nvars;
	c->output = memory_alloc(1, sizeof(*c->output));
	c->vars = memory_alloc(c->nvars, sizeof(*c->vars));
	c->dims = memory_alloc(plan->header->ndims, sizeof(*c->dims));
	if (c->output)
		*c->output = (struct driver_output){ .fd = fd };
	return c;
}

/* Closes the file and all in it; the output stays. */
static int close_file(struct container *c, struct nc3z_error *err)
{
	return c->file >= 0 && H5Fclose(c->file) < 0 ?
		       hdf5_fail(err, "cannot close the file") :
		       NC3Z_OK;
}

static void container_release(struct container *c)
{
	/* HDF5 may keep what it could not close: it has the output, too. */
	if (c->output && c->output->is_open)
		c->output->fd = -1;
	else
		free(c->output);
	roles_release(&c->roles);
	free(c->vars);
	free(c->dims);
	free(c);
}

/*
 * Headers of datasets stay in memory until these have names: HDF5 1.10 loses
 * what it has written and read again of those without one.
 */
static void keep_metadata(hid_t access)
{
	H5AC_cache_config_t c = { .version = H5AC__CURR_CACHE_CONFIG_VERSION };

	if (H5Pget_mdc_config(access, &c) < 0)
		return;
	c.set_initial_size = true;
	c.initial_size = c.min_size = METADATA_NBYTES;
	c.max_size = 2 * METADATA_NBYTES;
	H5Pset_mdc_config(access, &c);
}

/* With what all versions from 1.8 on read, and all that is ours in it. */
static hid_t access_properties(struct driver_output *output)
{
	hid_t p = H5Pcreate(H5P_FILE_ACCESS);

	H5Pset_libver_bounds(p, H5F_LIBVER_V18, H5F_LIBVER_V18);
	H5Pset_fclose_degree(p, H5F_CLOSE_STRONG);
	driver_set(p, output);
	keep_metadata(p);
	return p;
}

static hid_t creation_properties(const struct container_plan *plan)
{
	const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
	hid_t p = H5Pcreate(H5P_FILE_CREATE);

	/*
	 * No times, so that a file depends on its contents alone; the object
	 * that HDF5 keeps 'index_k' in is made with its own defaults.  As HDF5
	 * 2 does not let these be changed, 'index_k' is its default there.
	 */
	H5Pset_obj_track_times(p, false);
#if !H5_VERSION_GE(2, 0, 0)
	H5Pset_obj_track_times(H5P_GROUP_CREATE_DEFAULT, false);
	H5Pset_istore_k(p, plan->index_k);
#endif
	H5Pset_link_creation_order(p, order);
	H5Pset_attr_creation_order(p, order);
	if (!datasets_are_many(plan->header))
		H5Pset_link_phase_change(p, COMPACT_LINKS_MAX,
					 COMPACT_LINKS_MAX);
	return p;
}

static int create_file(struct container *c, const struct container_plan *plan,
		       struct nc3z_error *err)
{
	hid_t how = access_properties(c->output),
	      what = creation_properties(plan);

	c->file = H5Fcreate(NO_NAME, H5F_ACC_TRUNC, what, how);
	H5Pclose(how);
	H5Pclose(what);
	/* Headers of datasets are of the first version: datasets.c. */
	if (c->file < 0 || H5Fset_libver_bounds(c->file, H5F_LIBVER_EARLIEST,
						H5F_LIBVER_V18) < 0)
		return hdf5_fail(err, "cannot make the file");
	NC3Z_TRY(attributes_of_file(c, plan->header, err));
	NC3Z_TRY(datasets_create(c, plan, err));
	/* Heaps of long attributes get their place in the file now. */
	if (H5Fflush(c->file, H5F_SCOPE_LOCAL) < 0)
		return hdf5_fail(err, "cannot write the header");
	c->output->index_nbytes = plan->index_nbytes;
	return NC3Z_OK;
}

static int open_file(struct container *c, const struct container_plan *plan,
		     struct nc3z_error *err)
{
	hid_t how = access_properties(c->output);

	c->file = H5Fopen(NO_NAME, H5F_ACC_RDONLY, how);
	H5Pclose(how);
	if (c->file < 0)
		return hdf5_fail(err, "cannot open the file again");
	for (size_t i = 0; i < c->nvars; i++) {
		char *name = dataset_name(c, plan->header, i);

		if (!name)
			return error_set_memory(err);
		c->vars[i] = H5Dopen2(c->file, name, H5P_DEFAULT);
		free(name);
		if (c->vars[i] < 0)
			return hdf5_fail(err, "cannot find a variable");
	}
	return NC3Z_OK;
}

static int close_made(struct container *c, struct nc3z_error *err)
{
	int status;

	/* There is no other way. */
	(void)begin_library();
	status = end_output(c->output, close_file(c, err), err);
	container_release(c);
	return status;
}

/* By either function. */
static int make_container(int (*how)(struct container *c,
				     const struct container_plan *plan,
				     struct nc3z_error *err),
			  int fd, const struct container_plan *plan,
			  struct container **container_ret,
			  struct nc3z_error *err)
{
	struct container *c = new_container(fd, plan);
	int status;

	if (!c || !c->output || !c->vars || !c->dims ||
	    !roles_init(&c->roles, plan->header)) {
		if (c)
			container_release(c);
		return error_set_memory(err);
	}
	status = end_output(c->output,
			    begin_library() ? how(c, plan, err) :
					      error_set_memory(err),
			    err);
	if (status == NC3Z_OK)
		*container_ret = c;
	else
		close_made(c, NULL);
	return status;
}

static int create(int fd, const struct container_plan *plan,
		  struct container **container_ret, struct nc3z_error *err)
{
	return make_container(create_file, fd, plan, container_ret, err);
}

static int open_made(int fd, const struct container_plan *plan,
		     struct container **container_ret, struct nc3z_error *err)
{
	return make_container(open_file, fd, plan, container_ret, err);
}

static int put_chunk(struct container *c, size_t variable,
		     const uint64_t *start, const void *data, size_t nbytes,
		     struct nc3z_error *err)
{
	hsize_t offset[HDF5_RANK_MAX];
	hid_t space;
	int rank;

	if (!begin_library())
		return end_output(c->output, error_set_memory(err), err);
	space = H5Dget_space(c->vars[variable]);
	rank = H5Sget_simple_extent_ndims(space);
	H5Sclose(space);
	for (int k = 0; k < rank; k++)
		offset[k] = start[k];
	return end_output(c->output,
			  H5Dwrite_chunk(c->vars[variable], H5P_DEFAULT, 0,
					 offset, nbytes, data) < 0 ?
				  hdf5_fail(err, "cannot write a chunk") :
				  NC3Z_OK,
			  err);
}

static int put_box(struct container *c, size_t variable, const uint64_t *start,
		   const uint64_t *count, const void *data,
		   struct nc3z_error *err)
{
	hsize_t offset[HDF5_RANK_MAX], lengths[HDF5_RANK_MAX];
	hid_t to, from, type;
	herr_t done = 0;
	int rank;

	if (!begin_library())
		return end_output(c->output, error_set_memory(err), err);
	to = H5Dget_space(c->vars[variable]);
	type = H5Dget_type(c->vars[variable]);
	rank = H5Sget_simple_extent_ndims(to);
	for (int k = 0; k < rank; k++) {
		offset[k] = start[k];
		lengths[k] = count[k];
	}
	from = rank > 0 ? H5Screate_simple(rank, lengths, NULL) :
			  H5Screate(H5S_SCALAR);
	if (rank > 0)
		done = H5Sselect_hyperslab(to, H5S_SELECT_SET, offset, NULL,
					   lengths, NULL);
	if (done >= 0)
		done = H5Dwrite(c->vars[variable], type, from, to, H5P_DEFAULT,
				data);
	H5Tclose(type);
	H5Sclose(from);
	H5Sclose(to);
	return end_output(c->output,
			  done < 0 ? hdf5_fail(err, "cannot write values") :
				     NC3Z_OK,
			  err);
}

static int locate_chunk(hid_t dataset, const uint64_t *start,
			uint64_t *address_ret, uint64_t *nbytes_ret)
{
	hsize_t offset[HDF5_RANK_MAX], nbytes = 0;
	haddr_t address = HADDR_UNDEF;
	hid_t space = H5Dget_space(dataset);
	int rank = H5Sget_simple_extent_ndims(space);
	unsigned mask = 0;

	H5Sclose(space);
	for (int k = 0; k < rank; k++)
		offset[k] = start[k];
	if (H5Dget_chunk_info_by_coord(dataset, offset, &mask, &address,
				       &nbytes) < 0 ||
	    mask != 0)
		return -1;
	*address_ret = address;
	*nbytes_ret = nbytes;
	return 0;
}

static int locate(struct container *c, size_t variable, const uint64_t *start,
		  uint64_t *address_ret, uint64_t *nbytes_ret,
		  struct nc3z_error *err)
{
	hid_t dataset = c->vars[variable];
	int failed = 0;

	if (!begin_library())
		return end_output(c->output, error_set_memory(err), err);
	if (start) {
		failed = locate_chunk(dataset, start, address_ret, nbytes_ret);
	} else {
		*address_ret = H5Dget_offset(dataset);
		*nbytes_ret = H5Dget_storage_size(dataset);
	}
	return end_output(c->output,
			  failed || *address_ret == HADDR_UNDEF ?
				  hdf5_fail(err, "cannot find values") :
				  NC3Z_OK,
			  err);
}

NC3Z_API extern const struct hdf5_room nc3z_hdf5_room;

const struct hdf5_room nc3z_hdf5_room = {
	.version = HDF5_ROOM_VERSION,
#if H5_VERSION_GE(2, 0, 0)
	.fixed_k = 32,
#endif
	.create = create,
	.put_chunk = put_chunk,
	.put_box = put_box,
	.open = open_made,
	.locate = locate,
	.close = close_made,
};
