/* SPDX-License-Identifier: MIT */
#include "pipes.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static void give_up(const char *what)
{
	perror(what);
	abort();
}

static void open_pipe(int *read_fd, int *write_fd)
{
	int fds[2];

	/* A reader that leaves early is an error of write(), no more. */
	signal(SIGPIPE, SIG_IGN);
	if (pipe(fds) != 0)
		give_up("pipe");
	*read_fd = fds[0];
	*write_fd = fds[1];
}

static void *feed(void *context)
{
	struct feeder *f = context;
	uint64_t seed = f->nbytes;
	size_t done = 0;

	while (done < f->nbytes) {
		size_t n = 1 + check_random_below(&seed, f->max_piece);
		ssize_t put;

		if (n > f->nbytes - done)
			n = f->nbytes - done;
		put = write(f->write_fd, f->data + done, n);
		if (put < 0)
			break;
		done += (size_t)put;
	}
	close(f->write_fd);
	return NULL;
}

void feeder_start(struct feeder *f, const void *data, size_t nbytes,
		  size_t max_piece)
{
	*f = (struct feeder){ .data = data,
			      .nbytes = nbytes,
			      .max_piece = max_piece };
	open_pipe(&f->read_fd, &f->write_fd);
	if (pthread_create(&f->thread, NULL, feed, f) != 0)
		give_up("pthread_create");
}

void feeder_stop(struct feeder *f)
{
	close(f->read_fd);
	pthread_join(f->thread, NULL);
}

static void *collect(void *context)
{
	struct collector *c = context;
	uint8_t piece[5000];
	ssize_t got;

	while ((got = read(c->read_fd, piece, sizeof(piece))) > 0)
		blob_put(&c->bytes, piece, (size_t)got);
	close(c->read_fd);
	return NULL;
}

void collector_start(struct collector *c)
{
	*c = (struct collector){ 0 };
	open_pipe(&c->read_fd, &c->write_fd);
	if (pthread_create(&c->thread, NULL, collect, c) != 0)
		give_up("pthread_create");
}

void collector_stop(struct collector *c)
{
	close(c->write_fd);
	pthread_join(c->thread, NULL);
}

void dir_make(char name[DIR_NAME_MAX])
{
	snprintf(name, DIR_NAME_MAX, "unit-%ld-XXXXXX", (long)getpid());
	if (!mkdtemp(name))
		give_up("mkdtemp");
}

/* Counts the files in a directory, or removes them. */
static unsigned walk(const char *name, bool removes)
{
	DIR *dir = opendir(name);
	const struct dirent *entry;
	unsigned count = 0;

	if (!dir)
		give_up("opendir");
	while ((entry = readdir(dir))) {
		char *path;

		if (strcmp(entry->d_name, ".") == 0 ||
		    strcmp(entry->d_name, "..") == 0)
			continue;
		count++;
		if (!removes)
			continue;
		path = dir_path(name, entry->d_name);
		if (remove(path) != 0)
			give_up(path);
		free(path);
	}
	closedir(dir);
	return count;
}

unsigned dir_count(const char *name)
{
	return walk(name, false);
}

void dir_remove(const char *name)
{
	walk(name, true);
	if (rmdir(name) != 0)
		give_up("rmdir");
}

char *dir_path(const char *dir, const char *file)
{
	size_t size = strlen(dir) + strlen(file) + 2;
	char *path = malloc(size);

	if (!path)
		abort();
	snprintf(path, size, "%s/%s", dir, file);
	return path;
}

void file_write(const char *path, const void *data, size_t nbytes)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(data, 1, nbytes, file) != nbytes ||
	    fclose(file) != 0)
		give_up(path);
}

bool file_read(const char *path, struct blob *out)
{
	FILE *file = fopen(path, "rb");
	uint8_t piece[5000];
	size_t got;

	if (!file)
		return false;
	while ((got = fread(piece, 1, sizeof(piece), file)) > 0)
		blob_put(out, piece, got);
	fclose(file);
	return true;
}
