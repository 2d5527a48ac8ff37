/*
 * nc3mount: shows a directory of archives as the classic files inside.
 *
 * The directory is opened before anything is mounted and everything is found
 * from there, so that it may be mounted over.  Threads are started when the
 * process has gone to the background.
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

#include "mount/log.h"
#include "common/message.h"
#include "mount/mount_settings.h"
#include "mount/operations.h"
#include "common/standard.h"

static void log_libfuse(enum fuse_log_level level, const char *format,
			va_list args) __attribute__((format(printf, 2, 0)));

static void log_libfuse(enum fuse_log_level level, const char *format,
			va_list args)
{
	/* The output of "-o debug" is not to be limited. */
	if (level == FUSE_LOG_DEBUG)
		vfprintf(stderr, format, args);
	else
		log_other(format, args);
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
		message_warning(s->dir, "access control lists are "
					"ignored: others may read files "
					"that only these deny them");
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
	if (status == 0 && asprintf(&name, "fsname=%s", s->dir) < 0)
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
	log_file(s->dir, "%s", strerror(status));
	return EXIT_FAILED;
}

static enum exit_status run_session(const struct mount_settings *s,
				    const char *mount_point, struct tree *tree)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *session = NULL;
	enum exit_status status = EXIT_FAILED;

	if (make_arguments(s, &args) == 0)
		session = fuse_session_new(&args, &operations,
					   sizeof(operations), tree);
	fuse_opt_free_args(&args);
	if (!session)
		return EXIT_USAGE;
	if (fuse_set_signal_handlers(session) == 0) {
		if (fuse_session_mount(session, mount_point) == 0) {
			status = run_mounted(s, session, tree->archives);
			fuse_session_unmount(session);
		}
		fuse_remove_signal_handlers(session);
	}
	fuse_session_destroy(session);
	return status;
}

static enum exit_status run_dir(const struct mount_settings *s,
				const char *mount_point, int root_fd)
{
	struct archives *archives = archives_new(&s->limits);
	enum exit_status status = EXIT_FAILED;
	struct tree tree;

	if (!archives || operations_init() != 0 ||
	    tree_init(&tree, root_fd, &s->naming, archives) != 0) {
		message_error(NULL, "out of memory");
	} else {
		status = run_session(s, mount_point, &tree);
		tree_release(&tree);
	}
	archives_free(archives);
	return status;
}

static enum exit_status run_at(const struct mount_settings *s,
			       const char *mount_point)
{
	enum exit_status status;
	int fd;

	if (is_inside(s->dir, mount_point)) {
		message_error(s->mount_point,
			      "lies in the directory that is to "
			      "be mounted there");
		return EXIT_FAILED;
	}
	fd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		message_error(s->dir, "cannot open: %s", strerror(errno));
		return EXIT_FAILED;
	}
	fuse_set_log_func(log_libfuse);
	raise_limits();
	warn_of_access_lists(s, fd);
	status = run_dir(s, mount_point, fd);
	close(fd);
	return status;
}

static enum exit_status run(const struct mount_settings *s)
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

static enum exit_status act(const struct mount_settings *s)
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
		return run(s);
	}
}

int main(int argc, char **argv)
{
	enum exit_status status = EXIT_USAGE;
	struct mount_settings settings;

	standard_streams_hold();
	message_init("nc3mount");
	if (mount_settings_parse(&settings, argc, argv) == 0)
		status = act(&settings);
	mount_settings_release(&settings);
	return (int)status;
}
