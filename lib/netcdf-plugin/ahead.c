/*
 * The latest block to be asked for is decoded first.  The program goes on with
 * the earliest and decodes it itself if nobody has, so that the two do not wait
 * for each other.
 */
#include "netcdf-plugin/ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Blocks that wait to be decoded; of more the oldest are forgotten. */
#define WAITING_MAX 512u

/* So many variables get two blocks ahead, more one. */
#define FEW_VARIABLES 8

/* As many dimensions as netcdf-c allows. */
#define RANK_MAX 1024

struct block_of {
	int varid;
	uint64_t block;
};

/* How far a variable has been read. */
struct progress {
	uint64_t next_element; /* after the last request */
	uint64_t block;        /* of its end */
	uint64_t queued;       /* the block that was last asked for ahead */
	bool is_active;        /* there was one */
};

struct ahead {
	struct nc3z_file *file;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t work;
	pthread_t thread;
	pid_t process; /* in which the thread runs, 0: not started */
	bool ends;
	struct block_of waiting[WAITING_MAX];
	unsigned next; /* place, going round */
	unsigned nwaiting;
	struct progress *vars;
	int nactive; /* variables with a block that was asked for ahead */
};

struct ahead *ahead_new(struct nc3z_file *file)
{
	const char *threads = getenv("NC3Z_THREADS");
	struct ahead *ahead;
	int nvars;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2 ||
	    (threads && strcmp(threads, "1") == 0))
		return NULL;
	reader.inq(file, NULL, &nvars, NULL, NULL);
	ahead = calloc(1, sizeof(*ahead));
	if (!ahead)
		return NULL;
	ahead->file = file;
	ahead->vars = calloc((size_t)nvars + 1, sizeof(*ahead->vars));
	if (!ahead->vars) {
		free(ahead);
		return NULL;
	}
	pthread_mutex_init(&ahead->lock, NULL);
	pthread_cond_init(&ahead->work, NULL);
	return ahead;
}

void ahead_free(struct ahead *ahead)
{
	if (!ahead)
		return;
	/* A child of the process that started the thread has none. */
	if (ahead->process == getpid()) {
		pthread_mutex_lock(&ahead->lock);
		ahead->ends = true;
		pthread_cond_signal(&ahead->work);
		pthread_mutex_unlock(&ahead->lock);
		pthread_join(ahead->thread, NULL);
		pthread_cond_destroy(&ahead->work);
		pthread_mutex_destroy(&ahead->lock);
	}
	free(ahead->vars);
	free(ahead);
}

/* Reads the first value of a block, and thereby the block. */
static void touch(struct nc3z_file *file, const struct block_of *place)
{
	size_t index[RANK_MAX];
	struct nc3z_storage storage;
	struct nc3z_var var;
	unsigned char value[8];
	uint64_t element;

	if (reader.inq_var(file, place->varid, &var, NULL) != NC3Z_OK ||
	    reader.inq_storage(file, place->varid, &storage, NULL) != NC3Z_OK)
		return;
	element = place->block *
		  (storage.block_nbytes / reader.type_nbytes(var.type));
	for (int i = var.ndims; i-- > 0;) {
		index[i] = (size_t)(element % var.shape[i]);
		element /= var.shape[i];
	}
	/* Whoever asks for the values sees what is wrong. */
	reader.get_var1(file, place->varid, index, NC3Z_NAT, value, NULL);
}

static void *work(void *argument)
{
	struct ahead *ahead = argument;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->ends) {
		struct block_of place;

		if (ahead->nwaiting == 0) {
			pthread_cond_wait(&ahead->work, &ahead->lock);
			continue;
		}
		ahead->next = (ahead->next - 1) % WAITING_MAX;
		ahead->nwaiting--;
		place = ahead->waiting[ahead->next];
		/* The program was faster. */
		if (ahead->vars[place.varid].block >= place.block)
			continue;
		pthread_mutex_unlock(&ahead->lock);
		touch(ahead->file, &place);
		pthread_mutex_lock(&ahead->lock);
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

static void push(struct ahead *ahead, int varid, uint64_t block)
{
	if (ahead->process == 0 &&
	    pthread_create(&ahead->thread, NULL, work, ahead) == 0)
		ahead->process = getpid();
	if (ahead->process != getpid())
		return;
	ahead->waiting[ahead->next] = (struct block_of){ varid, block };
	ahead->next = (ahead->next + 1) % WAITING_MAX;
	if (ahead->nwaiting < WAITING_MAX)
		ahead->nwaiting++;
	pthread_cond_signal(&ahead->work);
}

/* The first element of a slab in row-major order, and the one behind it. */
static bool find_ends(const struct nc3z_var *var, const struct nc3z_slab *slab,
		      uint64_t *first_ret, uint64_t *end_ret)
{
	uint64_t first = 0, last = 0;

	if (!slab->start || !slab->count || slab->stride || slab->imap)
		return false;
	for (int i = 0; i < var->ndims; i++) {
		uint64_t length = var->shape[i];

		if (slab->count[i] == 0 || slab->count[i] > length ||
		    slab->start[i] > length - slab->count[i])
			return false;
		first = first * length + slab->start[i];
		last = last * length + slab->start[i] + slab->count[i] - 1;
	}
	*first_ret = first;
	*end_ret = last + 1;
	return true;
}

/* Notes a request for a variable that has blocks of its own. */
static void note_request(struct ahead *ahead, int varid, uint64_t first,
			 uint64_t end, const struct nc3z_storage *storage,
			 uint64_t block_nelems)
{
	struct progress *p = &ahead->vars[varid];
	uint64_t wanted;

	pthread_mutex_lock(&ahead->lock);
	p->block = (end - 1) / block_nelems;
	/* From the beginning, perhaps once more. */
	if (first == 0)
		p->queued = p->block;
	wanted = p->block + (ahead->nactive > FEW_VARIABLES ? 1 : 2);
	if (p->queued < p->block)
		p->queued = p->block;
	while (first == p->next_element && p->queued < wanted &&
	       p->queued + 1 < storage->nblocks) {
		ahead->nactive += !p->is_active;
		p->is_active = true;
		push(ahead, varid, ++p->queued);
	}
	p->next_element = end;
	pthread_mutex_unlock(&ahead->lock);
}

void ahead_note(struct ahead *ahead, int varid, const struct nc3z_slab *slab)
{
	struct nc3z_storage storage;
	struct nc3z_var var;
	uint64_t first, end;

	if (!ahead ||
	    reader.inq_var(ahead->file, varid, &var, NULL) != NC3Z_OK ||
	    reader.inq_storage(ahead->file, varid, &storage, NULL) != NC3Z_OK ||
	    storage.stream == NC3Z_NO_NUMBER || storage.is_shared ||
	    storage.nblocks < 2 || var.ndims == 0 || var.ndims > RANK_MAX ||
	    !find_ends(&var, slab, &first, &end))
		return;
	note_request(ahead, varid, first, end, &storage,
		     storage.block_nbytes / reader.type_nbytes(var.type));
}
