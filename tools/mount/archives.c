/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "mount/archives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/ahead.h"
#include "mount/archives_kept.h"
#include "mount/shelf.h"
#include "nc3z_tools.h"

/* The budget for an archive's blocks at first, and how it grows. */
#define CACHE_NBYTES_FIRST (UINT64_C(16) << 20)
#define CACHE_GROWTH 4

/* Decoding so many times what is read is too much. */
#define DECODED_PER_READ_MAX 3

void archive_init(struct archive *archive)
{
	*archive = (struct archive){ .fd = -1 };
}

bool archive_set_item(struct archive *archive, struct item *item,
		      unsigned version)
{
	archive->item = item;
	archive->version = version;
	if (!item_is_far(item))
		return true;
	archive->ahead = malloc(sizeof(*archive->ahead));
	if (archive->ahead)
		ahead_init(archive->ahead);
	return archive->ahead != NULL;
}

struct archives *archives_new(const struct archives_limits *limits)
{
	struct archives *a = calloc(1, sizeof(*a));
	pthread_condattr_t attributes;

	if (!a)
		return NULL;
	a->limits = *limits;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->opened, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&a->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	return a;
}

int archives_start(struct archives *a)
{
	int status = pthread_create(&a->sweeper, NULL, archives_sweep, a);

	a->has_sweeper = status == 0;
	return status;
}

void archives_free(struct archives *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stops = true;
	pthread_cond_signal(&a->wake);
	pthread_mutex_unlock(&a->lock);
	if (a->has_sweeper)
		pthread_join(a->sweeper, NULL);
	pthread_cond_destroy(&a->wake);
	pthread_cond_destroy(&a->opened);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

void archives_open(struct archives *a, struct archive *archive, int fd,
		   const struct stat *stat)
{
	pthread_mutex_lock(&a->lock);
	archive->nopens++;
	if (archive->fd < 0 && fd >= 0) {
		archive->fd = fd;
		archive->stat = *stat;
		fd = -1;
	}
	pthread_mutex_unlock(&a->lock);
	if (fd >= 0)
		close(fd);
}

void archives_close(struct archives *a, struct archive *archive)
{
	pthread_mutex_lock(&a->lock);
	archive->nopens--;
	archives_close_unused_fd(archive);
	pthread_mutex_unlock(&a->lock);
}

void archives_drop(struct archives *a, struct archive *archive)
{
	struct nc3z_file *file = NULL;

	pthread_mutex_lock(&a->lock);
	archive->nopens = 0;
	if (archive->file)
		file = archives_take_file(a, archive);
	archives_close_unused_fd(archive);
	pthread_mutex_unlock(&a->lock);
	nc3z_close(file);
	if (archive->ahead)
		ahead_release(archive->ahead);
	free(archive->ahead);
	archive->ahead = NULL;
}

/* An item may be something else by now. */
static int check_item(const struct archive *archive,
		      const struct nc3z_summary *summary,
		      struct nc3z_error *err)
{
	struct item_facts facts = { .nbytes = summary->original_nbytes };

	if (!archive->item)
		return NC3Z_OK;
	memcpy(facts.sha256, summary->sha256, sizeof(facts.sha256));
	return item_check(archive->item, &facts, archive->version, err);
}

static int open_source(const struct archive *archive,
		       struct nc3z_source *source,
		       const struct nc3z_open_options *options,
		       struct nc3z_file **file_ret, struct nc3z_error *err)
{
	struct nc3z_summary summary;
	int status = nc3z_open_source(source, options, file_ret, err);

	if (status != NC3Z_OK) {
		nc3z_source_close(source);
		return status;
	}
	/* A plain file could be opened, too; but its size is another one. */
	status = nc3z_inq_summary(*file_ret, &summary, err);
	if (status == NC3Z_OK)
		status = check_item(archive, &summary, err);
	if (status != NC3Z_OK)
		nc3z_close(*file_ret);
	return status;
}

static int open_file(const struct archive *archive, struct nc3z_file **file_ret,
		     struct nc3z_error *err)
{
	struct nc3z_open_options options;
	struct nc3z_source *source;
	int status;

	nc3z_open_options_init(&options);
	options.cache_nbytes = archive->cache_nbytes;
	options.nthreads = 1; /* many requests run at once as it is */
	status = archive->item ? item_open_source(archive->item, &source, err) :
				 nc3z_source_open_fd(archive->fd, &source, err);
	return status == NC3Z_OK ?
		       open_source(archive, source, &options, file_ret, err) :
		       status;
}

/* The first budget, or the next one. */
static void give_memory(const struct archives *a, struct archive *archive)
{
	uint64_t nbytes = archive->cache_nbytes > 0 ?
				  archive->cache_nbytes * CACHE_GROWTH :
				  CACHE_NBYTES_FIRST;

	archive->cache_nbytes = nbytes < a->limits.max_memory_nbytes ?
					nbytes :
					a->limits.max_memory_nbytes;
}

/* Has the file there and holds it; with the lock, which is left meanwhile. */
static int hold(struct archives *a, struct archive *archive,
		struct nc3z_error *err)
{
	struct nc3z_file *file;
	int status = NC3Z_OK;

	archive->nreads++;
	while (archive->is_opening)
		pthread_cond_wait(&a->opened, &a->lock);
	if (!archive->file) {
		archive->is_opening = true;
		if (archive->cache_nbytes == 0)
			give_memory(a, archive);
		pthread_mutex_unlock(&a->lock);
		status = open_file(archive, &file, err);
		pthread_mutex_lock(&a->lock);
		archive->is_opening = false;
		if (status == NC3Z_OK)
			archives_keep(a, archive, file);
		pthread_cond_broadcast(&a->opened);
	}
	if (status != NC3Z_OK)
		archive->nreads--;
	return status;
}

static void let_go(struct archives *a, struct archive *archive,
		   struct nc3z_cache_stats *stats_ret)
{
	uint64_t held_nbytes = archive->ahead ? AHEAD_NBYTES : 0;

	nc3z_inq_cache(archive->file, stats_ret);
	held_nbytes += stats_ret->nbytes_held;
	a->held_nbytes += held_nbytes - archive->held_nbytes;
	archive->held_nbytes = held_nbytes;
	archive->nreads--;
	clock_gettime(CLOCK_MONOTONIC, &archive->last_read);
	archives_take_out(a, archive);
	archives_append(a, archive);
}

/* Whether more memory would save decoding. */
static bool needs_memory(const struct archives *a,
			 const struct archive *archive,
			 const struct nc3z_cache_stats *stats)
{
	uint64_t block_nbytes = stats->nbytes_held / (stats->nblocks_held + 1);

	return archive->cache_nbytes < a->limits.max_memory_nbytes &&
	       stats->nbytes_held > archive->cache_nbytes / 2 &&
	       stats->nblocks_decoded * block_nbytes >
		       archive->cache_nbytes +
			       DECODED_PER_READ_MAX * archive->read_nbytes;
}

/* The next read opens it anew; with the lock, which is left meanwhile. */
static void close_for_memory(struct archives *a, struct archive *archive)
{
	struct nc3z_file *file = archives_take_file(a, archive);

	give_memory(a, archive);
	pthread_mutex_unlock(&a->lock);
	nc3z_close(file);
	pthread_mutex_lock(&a->lock);
}

static bool is_unchanged(const struct archive *archive)
{
	const struct stat *was = &archive->stat;
	struct stat now;

	if (archive->item)
		return !item_has_changed(archive->item);
	/* Other times change with links and permissions, too. */
	return fstat(archive->fd, &now) == 0 && now.st_size == was->st_size &&
	       now.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == was->st_mtim.tv_nsec;
}

static int set_changed(struct nc3z_error *err)
{
	*err = (struct nc3z_error){
		.status = NC3Z_ECHANGED,
		.offset = NC3Z_NO_OFFSET,
		.stream = NC3Z_NO_NUMBER,
		.block = NC3Z_NO_NUMBER,
	};
	snprintf(err->text, sizeof(err->text), "changed while it was open");
	return NC3Z_ECHANGED;
}

static int read_file(void *file, const struct archive_bytes *bytes,
		     size_t *nbytes_ret, struct nc3z_error *err)
{
	return nc3z_pread(file, bytes->data, bytes->nbytes, bytes->offset,
			  nbytes_ret, err);
}

int archives_read(struct archives *a, struct archive *archive,
		  const struct archive_bytes *bytes, size_t *nbytes_ret,
		  struct nc3z_error *err)
{
	struct nc3z_cache_stats stats;
	int status;

	pthread_mutex_lock(&a->lock);
	status = hold(a, archive, err);
	pthread_mutex_unlock(&a->lock);
	if (status != NC3Z_OK)
		return status;
	status = archive->ahead ?
			 ahead_read(archive->ahead, read_file, archive->file,
				    bytes, nbytes_ret, err) :
			 read_file(archive->file, bytes, nbytes_ret, err);
	/* The failure may be due to that. */
	if (!is_unchanged(archive))
		status = set_changed(err);
	pthread_mutex_lock(&a->lock);
	let_go(a, archive, &stats);
	archive->read_nbytes += bytes->nbytes;
	if (archive->nreads == 0 && needs_memory(a, archive, &stats))
		close_for_memory(a, archive);
	archives_trim(a);
	pthread_mutex_unlock(&a->lock);
	return status;
}

struct archives_usage archives_usage(struct archives *a)
{
	struct archives_usage usage;

	pthread_mutex_lock(&a->lock);
	usage.nkept = a->nkept;
	usage.held_nbytes = a->held_nbytes;
	pthread_mutex_unlock(&a->lock);
	return usage;
}
