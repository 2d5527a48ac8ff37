/*
 * Blocks are decoded in the order in which the program will want them.  What
 * nobody has begun with when it gets there the program's own thread decodes.
 * If somebody has, it does not wait but takes the next block that waits to be
 * decoded; so all processors are at work until the program is the slower one.
 */
#include "netcdf-plugin/ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Blocks that wait to be decoded; more are not. */
#define WAITING_MAX 512u

/* Besides that of the program. */
#define THREADS_MAX 7

/* What is decoded ahead takes up so much of the cache, or one block each. */
#define AHEAD_NBYTES (UINT64_C(8) << 20)

/* As many dimensions as netcdf-c allows. */
#define RANK_MAX 1024

/* Blocks ahead to begin with; twice as many with each block that is passed. */
#define FIRST_WINDOW 2

struct block_of {
	int varid;
	uint64_t block;
};

/* How far a variable has been read. */
struct progress {
	uint64_t next_element; /* after the last request */
	uint64_t block;        /* of its end */
	uint64_t queued;       /* the block that was last asked for ahead */
	uint64_t window;       /* blocks ahead */
	bool is_active;        /* there was one */
};

struct worker {
	struct ahead *ahead;
	pthread_t thread;
	struct block_of block; /* that is being decoded */
	bool is_busy;
};

struct ahead {
	struct nc3z_file *file;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t work;
	struct worker workers[THREADS_MAX];
	int nworkers; /* that run */
	int nworkers_wanted;
	pid_t process; /* in which they run: its children have none */
	bool ends;
	struct block_of waiting[WAITING_MAX];
	unsigned first; /* place of the one that waits longest, going round */
	unsigned nwaiting;
	struct progress *vars;
	int nactive; /* variables with a block that was asked for ahead */
};

/* As many as the library would use for one request, less the program's own. */
static int count_workers(void)
{
	const char *said = getenv("NC3Z_THREADS");
	long n = said ? strtol(said, NULL, 10) : 0;

	if (n <= 0)
		n = sysconf(_SC_NPROCESSORS_ONLN);
	return n - 1 < THREADS_MAX ? (int)n - 1 : THREADS_MAX;
}

struct ahead *ahead_new(struct nc3z_file *file)
{
	int nworkers = count_workers();
	struct ahead *ahead;
	int nvars;

	if (nworkers <= 0)
		return NULL;
	reader.inq(file, NULL, &nvars, NULL, NULL);
	ahead = calloc(1, sizeof(*ahead));
	if (!ahead)
		return NULL;
	ahead->file = file;
	ahead->nworkers_wanted = nworkers;
	ahead->process = getpid();
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
	if (ahead->process == getpid()) {
		pthread_mutex_lock(&ahead->lock);
		ahead->ends = true;
		pthread_cond_broadcast(&ahead->work);
		pthread_mutex_unlock(&ahead->lock);
		for (int i = 0; i < ahead->nworkers; i++)
			pthread_join(ahead->workers[i].thread, NULL);
		pthread_cond_destroy(&ahead->work);
		pthread_mutex_destroy(&ahead->lock);
	}
	free(ahead->vars);
	free(ahead);
}

/* The index of the first value of a block. */
static void find_index(const struct nc3z_var *var,
		       const struct nc3z_storage *storage, uint64_t block,
		       size_t *index)
{
	bool has_chunks = storage->nchunk_dims > 0;

	if (!has_chunks)
		block *= storage->block_nbytes / reader.type_nbytes(var->type);
	for (int i = var->ndims; i-- > 0;) {
		uint64_t length = has_chunks ? storage->chunk_lengths[i] : 1;
		uint64_t n = (var->shape[i] + length - 1) / length;

		index[i] = (size_t)(block % n * length);
		block /= n;
	}
}

/* Reads the first value of a block, and thereby the block. */
static void touch(struct nc3z_file *file, const struct block_of *place)
{
	size_t index[RANK_MAX];
	struct nc3z_storage storage;
	struct nc3z_var var;
	unsigned char value[8];

	if (reader.inq_var(file, place->varid, &var, NULL) != NC3Z_OK ||
	    reader.inq_storage(file, place->varid, &storage, NULL) != NC3Z_OK)
		return;
	find_index(&var, &storage, place->block, index);
	/* Whoever asks for the values sees what is wrong. */
	reader.get_var1(file, place->varid, index, NC3Z_NAT, value, NULL);
}

/* The block that waits longest and is still wanted; false if there is none. */
static bool take_waiting(struct ahead *ahead, struct block_of *place_ret)
{
	while (ahead->nwaiting > 0) {
		*place_ret = ahead->waiting[ahead->first];
		ahead->first = (ahead->first + 1) % WAITING_MAX;
		ahead->nwaiting--;
		if (ahead->vars[place_ret->varid].block < place_ret->block)
			return true;
		/* The program was faster. */
	}
	return false;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	struct ahead *ahead = worker->ahead;

	pthread_mutex_lock(&ahead->lock);
	while (!ahead->ends) {
		if (!take_waiting(ahead, &worker->block)) {
			pthread_cond_wait(&ahead->work, &ahead->lock);
			continue;
		}
		worker->is_busy = true;
		pthread_mutex_unlock(&ahead->lock);
		touch(ahead->file, &worker->block);
		pthread_mutex_lock(&ahead->lock);
		worker->is_busy = false;
	}
	pthread_mutex_unlock(&ahead->lock);
	return NULL;
}

static bool is_being_decoded(const struct ahead *ahead, int varid,
			     uint64_t block)
{
	for (int i = 0; i < ahead->nworkers; i++) {
		const struct worker *worker = &ahead->workers[i];

		if (worker->is_busy && worker->block.varid == varid &&
		    worker->block.block == block)
			return true;
	}
	return false;
}

/* While somebody decodes the block that is wanted, decodes others. */
static void help(struct ahead *ahead, int varid, uint64_t block)
{
	struct block_of place;

	while (is_being_decoded(ahead, varid, block) &&
	       take_waiting(ahead, &place)) {
		pthread_mutex_unlock(&ahead->lock);
		touch(ahead->file, &place);
		pthread_mutex_lock(&ahead->lock);
	}
}

static void start_workers(struct ahead *ahead)
{
	while (ahead->nworkers < ahead->nworkers_wanted) {
		struct worker *worker = &ahead->workers[ahead->nworkers];

		worker->ahead = ahead;
		if (pthread_create(&worker->thread, NULL, work, worker) != 0)
			break;
		ahead->nworkers++;
	}
	/* If there are no more to be had, these must do. */
	ahead->nworkers_wanted = ahead->nworkers;
}

static void push(struct ahead *ahead, int varid, uint64_t block)
{
	unsigned place = (ahead->first + ahead->nwaiting) % WAITING_MAX;

	start_workers(ahead);
	if (ahead->nwaiting == WAITING_MAX || ahead->nworkers == 0)
		return;
	ahead->waiting[place] = (struct block_of){ varid, block };
	ahead->nwaiting++;
	pthread_cond_signal(&ahead->work);
}

/* What a request asks for of a variable. */
struct request {
	int varid;
	uint64_t first_element; /* in row-major order */
	uint64_t end_element;   /* behind the last one */
	uint64_t first_block;
	uint64_t last_block;
	uint64_t nblocks; /* of the variable */
	uint64_t block_nbytes;
	uint64_t needed_nbytes; /* of the blocks that requests share */
};

static bool find_ends(const struct nc3z_var *var,
		      const struct nc3z_hyperslab *slab,
		      struct request *request_ret)
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
	request_ret->first_element = first;
	request_ret->end_element = last + 1;
	return true;
}

/* How many chunks there are for each step of the grid's first dimension. */
static uint64_t count_row(const struct nc3z_var *var,
			  const struct nc3z_storage *storage)
{
	uint64_t n = 1;

	for (int i = 1; i < var->ndims; i++)
		n *= (var->shape[i] - 1) / storage->chunk_lengths[i] + 1;
	return n;
}

/* Of chunks, whole rows are taken for wanted. */
static void find_blocks(const struct nc3z_var *var,
			const struct nc3z_hyperslab *slab,
			const struct nc3z_storage *storage,
			struct request *request_ret)
{
	uint64_t first, last, length, row = 1;

	if (storage->nchunk_dims > 0) {
		row = count_row(var, storage);
		length = storage->chunk_lengths[0];
		first = slab->start[0];
		last = first + slab->count[0] - 1;
	} else {
		length = storage->block_nbytes / reader.type_nbytes(var->type);
		first = request_ret->first_element;
		last = request_ret->end_element - 1;
	}
	request_ret->first_block = first / length * row;
	request_ret->last_block = last / length * row + row - 1;
	request_ret->nblocks = storage->nblocks;
	request_ret->block_nbytes = storage->block_nbytes;
	request_ret->needed_nbytes = row * storage->block_nbytes;
}

/*
 * How many blocks ahead a variable gets: none, where the blocks that all of
 * them are at and the next ones would not be in the cache together.
 */
static uint64_t count_ahead(const struct ahead *ahead,
			    const struct request *request)
{
	const struct progress *p = &ahead->vars[request->varid];
	uint64_t nvars = (uint64_t)ahead->nactive + !p->is_active;
	uint64_t n = AHEAD_NBYTES / (nvars * request->block_nbytes);

	if (2 * nvars * request->needed_nbytes > NC3Z_CACHE_NBYTES_DEFAULT)
		return 0;
	return n > 0 ? n : 1;
}

/* Has blocks decoded that are likely to be asked for next. */
static void look_ahead(struct ahead *ahead, const struct request *request)
{
	struct progress *p = &ahead->vars[request->varid];
	bool goes_on = request->first_element == p->next_element;
	uint64_t most;

	/* From the beginning, perhaps once more, or from somewhere else. */
	if (request->first_element == 0 || !goes_on) {
		p->queued = request->last_block;
		p->window = FIRST_WINDOW;
	} else if (request->last_block > p->block) {
		p->window *= 2;
	}
	most = count_ahead(ahead, request);
	if (p->window > most)
		p->window = most;
	p->block = request->last_block;
	p->next_element = request->end_element;
	if (p->queued < p->block)
		p->queued = p->block;
	while (goes_on && p->queued < p->block + p->window &&
	       p->queued + 1 < request->nblocks) {
		ahead->nactive += !p->is_active;
		p->is_active = true;
		push(ahead, request->varid, ++p->queued);
	}
}

void ahead_note(struct ahead *ahead, int varid,
		const struct nc3z_hyperslab *slab)
{
	struct request request = { .varid = varid };
	struct nc3z_storage storage;
	struct nc3z_var var;

	/* Only variables that have blocks of their own. */
	if (!ahead || ahead->process != getpid() ||
	    reader.inq_var(ahead->file, varid, &var, NULL) != NC3Z_OK ||
	    reader.inq_storage(ahead->file, varid, &storage, NULL) != NC3Z_OK ||
	    storage.stream == NC3Z_NO_NUMBER || storage.is_shared ||
	    storage.nblocks < 2 || var.ndims == 0 || var.ndims > RANK_MAX ||
	    !find_ends(&var, slab, &request))
		return;
	find_blocks(&var, slab, &storage, &request);
	pthread_mutex_lock(&ahead->lock);
	look_ahead(ahead, &request);
	help(ahead, varid, request.first_block);
	pthread_mutex_unlock(&ahead->lock);
}
