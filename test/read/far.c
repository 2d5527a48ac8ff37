/* SPDX-License-Identifier: MIT */
#include "far.h"

#include "check.h"

enum far_mark {
	FAR_FETCHED = 1,
	FAR_READ = 2,
};

void far_init(struct far *far, const struct blob *bytes)
{
	*far = (struct far){ .bytes = bytes };
	pthread_mutex_init(&far->lock, NULL);
	far->marks = calloc(1, bytes->nbytes);
}

void far_release(struct far *far)
{
	pthread_mutex_destroy(&far->lock);
	free(far->marks);
}

void far_reset(struct far *far)
{
	pthread_mutex_lock(&far->lock);
	memset(far->marks, 0, far->bytes->nbytes);
	far->nrequests = far->nbytes = far->nread = 0;
	far->nagain = far->ntwice = far->nmissed = 0;
	pthread_mutex_unlock(&far->lock);
}

bool far_has(struct far *far, uint64_t offset)
{
	pthread_mutex_lock(&far->lock);
	bool has = far->marks[offset] & FAR_FETCHED;
	pthread_mutex_unlock(&far->lock);
	return has;
}

static void fetch(struct far *far, uint64_t offset, uint64_t nbytes)
{
	far->nrequests++;
	far->nbytes += nbytes;
	for (uint64_t i = offset; i < offset + nbytes; i++) {
		far->ntwice += far->marks[i] & FAR_FETCHED;
		far->marks[i] |= FAR_FETCHED;
	}
}

static int far_read_at(void *context, uint64_t offset, void *data,
		       size_t nbytes, size_t *nbytes_ret)
{
	struct far *far = context;
	uint64_t left = far->bytes->nbytes - offset;
	size_t nmissing = 0;

	if (offset > far->bytes->nbytes)
		left = 0;
	nbytes = nbytes < left ? nbytes : (size_t)left;
	pthread_mutex_lock(&far->lock);
	for (size_t i = 0; i < nbytes; i++) {
		uint8_t *mark = &far->marks[offset + i];

		nmissing += !(*mark & FAR_FETCHED);
		far->nagain += (*mark & FAR_READ) != 0;
		*mark |= FAR_READ;
	}
	far->nread += nbytes;
	if (nmissing > 0) {
		far->nmissed++;
		fetch(far, offset, nbytes);
	}
	pthread_mutex_unlock(&far->lock);
	memcpy(data, far->bytes->data + offset, nbytes);
	*nbytes_ret = nbytes;
	return 0;
}

static void far_announce(void *context, const struct nc3z_range *ranges,
			 size_t nranges)
{
	struct far *far = context;

	pthread_mutex_lock(&far->lock);
	for (size_t i = 0; i < nranges; i++) {
		CHECK(ranges[i].nbytes > 0);
		if (CHECK(ranges[i].offset <= far->bytes->nbytes &&
			  ranges[i].nbytes <=
				  far->bytes->nbytes - ranges[i].offset))
			fetch(far, ranges[i].offset, ranges[i].nbytes);
	}
	pthread_mutex_unlock(&far->lock);
}

static int far_check_unchanged(void *context)
{
	return ((struct far *)context)->changed;
}

static struct nc3z_source *open_far(struct far *far, bool is_silent)
{
	const struct nc3z_callbacks callbacks = {
		.callbacks_nbytes = sizeof(callbacks),
		.context = far,
		.size = far->bytes->nbytes,
		.read_at = far_read_at,
		.announce = is_silent ? NULL : far_announce,
		.check_unchanged = far_check_unchanged,
	};
	struct nc3z_source *source = NULL;

	CHECK(nc3z_source_open_callbacks(&callbacks, &source, NULL) == NC3Z_OK);
	return source;
}

struct nc3z_source *far_source(struct far *far)
{
	return open_far(far, false);
}

struct nc3z_source *far_source_silent(struct far *far)
{
	return open_far(far, true);
}
