/* SPDX-License-Identifier: MIT */
/*
 * nc3mount: shows a directory of archives, a tar of them or archives on servers
 * as the classic files inside.
 *
 * A directory is opened before anything is mounted and everything is found from
 * there, so that it may be mounted over.  Threads are started when the process
 * has gone to the background.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/archive_magic.h"
#include "mount/log.h"
#include "common/message.h"
#include "mount/mount_point.h"
#include "mount/mount_settings.h"
#include "mount/operations.h"
#include "mount/tree.h"
#include "mount/urls.h"
#include "common/standard.h"

/* What libfuse says before it is mounted, in pieces of lines. */
static char libfuse_text[1024];
static bool is_mounting;

static void log_libfuse(enum fuse_log_level level, const char *format,
			va_list args) __attribute__((format(printf, 2, 0)));

static void log_libfuse(enum fuse_log_level level, const char *format,
			va_list args)
{
	size_t n = strlen(libfuse_text);

	/* The output of "-o debug" is not to be limited. */
	if (level == FUSE_LOG_DEBUG)
		vfprintf(stderr, format, args);
	else if (is_mounting)
		vsnprintf(libfuse_text + n, sizeof(libfuse_text) - n, format,
			  args);
	else
		log_other(format, args);
}

/* Its text as one message, and ours in place of the most frequent. */
static enum exit_status say_libfuse_text(const struct mount_settings *s)
{
	static const char unknown[] = "fuse: unknown option(s): `-o ";
	const size_t n = sizeof(unknown) - 1;
	char *text = libfuse_text, *end = strrchr(text, '\'');

	if (end && strncmp(text, unknown, n) == 0) {
		*end = '\0';
		message_error(NULL, "unknown option: -o %s", text + n);
		message_hint("try --help");
		return EXIT_USAGE;
	}
	for (char *c = text; *c; c++)
		if (*c == '\n')
			*c = c[1] ? ' ' : '\0';
	if (strncmp(text, "fuse: ", 6) == 0)
		text += 6;
	message_error(s->mount_point, "cannot mount there: %s",
		      text[0] ? text : "FUSE gives no reason");
	return EXIT_FAILED;
}

/* Whether the mount point lies in the directory, which would show itself. */
static bool is_inside(const char *dir, const char *mount_point)
{
	char *outer = realpath(dir, NULL);
	size_t nbytes = outer ? strlen(outer) : 0;
	bool inside = outer && strncmp(outer, mount_point, nbytes) == 0 &&
		      (mount_point[nbytes] == '/' ||
		       (nbytes == 1 && mount_point[nbytes] != '\0'));

	free(outer);
	return inside;
}

/* As many files as the system allows: programs may have many open. */
static void raise_limits(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* If others may use the mount, the kernel compares them with permissions. */
static bool is_for_others(const char *options)
{
	return strstr(options, "allow_other") || strstr(options, "allow_root");
}

/*
 * The kernel does not see access control lists through the mount: who is denied
 * by one gets in by the permissions of all others.
 */
static void warn_of_access_lists(const struct mount_settings *s, int root_fd)
{
	if (is_for_others(s->options) &&
	    (fgetxattr(root_fd, "system.posix_acl_access", NULL, 0) >= 0 ||
	     errno == ENODATA))
		message_warning(s->dir,
				"access control lists are ignored: others may "
				"read files that only such a list denies them");
}

static int make_arguments(const struct mount_settings *s,
			  struct fuse_args *args)
{
	char *words = NULL, *name = NULL;
	int status = fuse_opt_add_arg(args, "nc3mount");

	if (status == 0 &&
	    asprintf(&words, "%s%s%ssubtype=nc3mount,ro,nosuid,nodev",
		     s->options, s->options[0] ? "," : "",
		     is_for_others(s->options) ? "default_permissions," : "") <
		    0)
		status = -1;
	if (status == 0 &&
	    asprintf(&name, "fsname=%s", s->dir ? s->dir : "nc3mount") < 0)
		status = -1;
	if (status == 0)
		status = fuse_opt_add_opt(&words, "noatime");
	if (status == 0)
		status = fuse_opt_add_opt_escaped(&words, name);
	if (status == 0)
		status = fuse_opt_add_arg(args, "-o");
	if (status == 0)
		status = fuse_opt_add_arg(args, words);
	free(words);
	free(name);
	return status;
}

static int serve(struct fuse_session *session, unsigned nthreads)
{
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	int status;

	if (!config)
		return -ENOMEM;
	fuse_loop_cfg_set_max_threads(config, nthreads);
	fuse_loop_cfg_set_idle_threads(config, nthreads);
	status = fuse_session_loop_mt(session, config);
	fuse_loop_cfg_destroy(config);
	return status;
}

/* From the background on if that is wanted. */
static enum exit_status run_mounted(const struct mount_settings *s,
				    struct fuse_session *session,
				    struct archives *archives)
{
	int status;

	if (fuse_daemonize(s->foreground) != 0)
		return EXIT_FAILED;
	log_init(!s->foreground);
	status = archives_start(archives);
	if (status == 0)
		status = -serve(session, s->nthreads);
	/* A signal that ended it is below 0 now. */
	if (status <= 0)
		return EXIT_DONE;
	log_file(s->mount_point, "%s", strerror(status));
	return EXIT_FAILED;
}

static enum exit_status run_session(const struct mount_settings *s,
				    const char *mount_point, struct tree *tree)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *session = NULL;
	enum exit_status status = EXIT_FAILED;

	is_mounting = true;
	if (make_arguments(s, &args) == 0)
		session = fuse_session_new(&args, &operations,
					   sizeof(operations), tree);
	fuse_opt_free_args(&args);
	if (!session)
		return say_libfuse_text(s);
	if (fuse_set_signal_handlers(session) == 0 &&
	    fuse_session_mount(session, mount_point) == 0) {
		is_mounting = false;
		if (libfuse_text[0])
			log_file(s->mount_point, "%s", libfuse_text);
		status = run_mounted(s, session, tree->archives);
		fuse_session_unmount(session);
	} else {
		status = say_libfuse_text(s);
	}
	fuse_remove_signal_handlers(session);
	fuse_session_destroy(session);
	return status;
}

/* What the tree grows from: a directory, or items. */
struct root {
	int fd;              /* of a directory; -1 */
	struct shelf *shelf; /* NULL: a directory */
	struct item *item;
};

static int init_tree(struct tree *tree, const struct mount_settings *s,
		     const struct root *root, struct archives *archives)
{
	return root->item ?
		       tree_init_items(tree, root->item, &s->naming, archives) :
		       tree_init(tree, root->fd, &s->naming, archives);
}

static enum exit_status run_root(const struct mount_settings *s,
				 const char *mount_point,
				 const struct root *root)
{
	struct archives *archives = archives_new(&s->limits);
	enum exit_status status = EXIT_FAILED;
	struct tree tree;

	if (!archives || operations_init() != 0 ||
	    init_tree(&tree, s, root, archives) != 0) {
		message_error(NULL, "out of memory");
	} else {
		status = run_session(s, mount_point, &tree);
		tree_release(&tree);
	}
	archives_free(archives);
	return status;
}

/* A tar that is a file is opened before anything is mounted. */
static enum exit_status open_tar(const struct mount_settings *s, int fd,
				 struct root *root)
{
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;
	struct stat stat;

	if (archive_magic_check(dup(fd))) {
		message_error(s->dir, "is an archive: mount the directory that "
				      "it is in, or restore it with "
				      "\"nc3compress -d\"");
		close(fd);
		return EXIT_FAILED;
	}
	if (fstat(fd, &stat) != 0 ||
	    nc3z_source_open_fd(fd, &source, &err) != NC3Z_OK) {
		message_error(s->dir, "cannot read: %s",
			      err.status ? err.text : strerror(errno));
		close(fd);
		return EXIT_FAILED;
	}
	if (shelf_open_tar(&s->naming, &stat, s->dir, source, fd,
			   &root->shelf) != 0)
		return EXIT_FAILED;
	root->item = &root->shelf->root;
	return EXIT_DONE;
}

static enum exit_status open_dir(const struct mount_settings *s,
				 const char *mount_point, struct root *root)
{
	int fd = open(s->dir, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat) != 0) {
		message_error(s->dir, "cannot open: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return EXIT_FAILED;
	}
	if (S_ISREG(stat.st_mode))
		return open_tar(s, fd, root);
	root->fd = fd;
	if (!S_ISDIR(stat.st_mode)) {
		message_error(s->dir, "is neither a directory nor a tar");
		return EXIT_FAILED;
	}
	if (is_inside(s->dir, mount_point)) {
		message_error(s->mount_point,
			      "is inside the directory that it would show: "
			      "mount outside of it");
		return EXIT_FAILED;
	}
	warn_of_access_lists(s, fd);
	return EXIT_DONE;
}

/* A tar that is alone is shown at the mount point itself. */
static enum exit_status open_urls(const struct mount_settings *s,
				  struct root *root)
{
	struct item *only;

	root->shelf = urls_collect(s);
	if (!root->shelf)
		return EXIT_FAILED;
	root->item = &root->shelf->root;
	only = s->nurls == 1 && !s->urls_file && root->item->nchildren == 1 ?
		       root->item->children[0] :
		       NULL;
	if (only && only->kind == ITEM_TAR)
		root->item = only;
	return EXIT_DONE;
}

static enum exit_status run_at(const struct mount_settings *s,
			       const char *mount_point)
{
	struct root root = { .fd = -1 };
	enum exit_status status;

	raise_limits();
	status = s->dir ? open_dir(s, mount_point, &root) : open_urls(s, &root);
	if (status == EXIT_DONE && !s->nonempty &&
	    !mount_point_check(mount_point, s->mount_point, root.fd))
		status = EXIT_FAILED;
	if (status == EXIT_DONE) {
		fuse_set_log_func(log_libfuse);
		status = run_root(s, mount_point, &root);
	}
	shelf_free(root.shelf);
	if (root.fd >= 0)
		close(root.fd);
	return status;
}

static enum exit_status run_mount(const struct mount_settings *s)
{
	/* It is to be found from the background, too. */
	char *mount_point = realpath(s->mount_point, NULL);
	enum exit_status status = EXIT_FAILED;

	if (mount_point)
		status = run_at(s, mount_point);
	else
		message_error(s->mount_point, "cannot mount there: %s",
			      strerror(errno));
	free(mount_point);
	return status;
}

static enum exit_status act_on_mount(const struct mount_settings *s)
{
	switch (s->action) {
	case MOUNT_HELP:
		mount_settings_print_help();
		return EXIT_DONE;
	case MOUNT_VERSION:
		puts("nc3mount " NC3Z_VERSION);
		return EXIT_DONE;
	case MOUNT_COMPLETION:
		return mount_settings_print_completion(s->shell) == 0 ?
			       EXIT_DONE :
			       EXIT_USAGE;
	default:
		return run_mount(s);
	}
}

int main(int argc, char **argv)
{
	enum exit_status status = EXIT_USAGE;
	struct mount_settings settings;

	standard_streams_hold();
	message_init("nc3mount");
	if (mount_settings_parse(&settings, argc, argv) == 0)
		status = act_on_mount(&settings);
	mount_settings_release(&settings);
	return (int)standard_output_end(status);
}
