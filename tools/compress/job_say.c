/* SPDX-License-Identifier: MIT */
/* What a job has to say: to people at once, to reports at its end. */
#include <stdarg.h>
#include <stdio.h>

#include "compress/damage.h"
#include "compress/job.h"

/* As long as any line that the library makes, with a path. */
#define TEXT_NBYTES 8192

enum exit_status job_say(struct job *job, const char *file, const char *format,
			 ...)
{
	char text[TEXT_NBYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	message_error(file, "%s", text);
	outcome_add_error(&job->outcome, text);
	return EXIT_FAILED;
}

void job_warn(struct job *job, const char *text)
{
	job->warned = true;
	outcome_add_warning(&job->outcome, text);
	if (!job->settings->quiet)
		message_warning(job->name, "%s", text);
}

enum exit_status job_refuse(struct job *job, const char *why)
{
	return job_say(job, job->name, "%s", why);
}

enum exit_status job_fail(struct job *job, const char *file)
{
	char where[1024];

	if (job->err.status == NC3Z_EDAMAGED && job_reads_file(job) &&
	    job->input.fd >= 0 &&
	    damage_describe(job->input.fd, &job->err, where, sizeof(where)))
		job_say(job, file, "%s: %s", job->err.text, where);
	else
		job_say(job, file, "%s", job->err.text);
	return exit_of_error(&job->err);
}
