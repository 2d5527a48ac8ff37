/* SPDX-License-Identifier: MIT */
#include "compress/list.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/digest.h"
#include "common/json.h"
#include "common/message.h"

static struct nc3z_summary totals;
static unsigned nlisted;

static double ratio(const struct nc3z_summary *s)
{
	return (double)s->original_nbytes / (double)s->archive_nbytes;
}

static double stream_ratio(const struct nc3z_stream_info *s)
{
	return s->stored_nbytes > 0 ?
		       (double)s->original_nbytes / (double)s->stored_nbytes :
		       1;
}

static void print_json_stream(const struct nc3z_stream_info *info,
			      const struct stream_words *words)
{
	json_print_field("name", words->name);
	printf(", ");
	json_print_field("type", words->type);
	printf(", ");
	json_print_field("shape", words->shape);
	printf(", ");
	json_print_field("chunks", words->chunks);
	printf(",\n       \"original_bytes\": %" PRIu64
	       ", \"stored_bytes\": %" PRIu64 ", \"blocks\": %" PRIu64
	       ", \"block_bytes\": %" PRIu32 ",\n       ",
	       info->original_nbytes, info->stored_nbytes, info->nblocks,
	       info->block_nbytes);
	json_print_field("coding", words->coding);
	printf(", \"codings\": %" PRIu32, info->ncodings);
}

static void print_json_streams(const struct stream_list *streams)
{
	struct stream_words words;

	printf(",\n     \"stream_list\": [");
	for (uint32_t i = 0; i < streams->count; i++) {
		printf("%s\n      {", i > 0 ? "," : "");
		stream_words_make(streams, i, &words);
		print_json_stream(&streams->list[i], &words);
		stream_words_release(&words);
		printf("}");
	}
	printf("]");
}

static void print_json(const struct nc3z_summary *s,
		       const struct stream_list *streams, const char *name)
{
	printf("%s\n    {", nlisted > 0 ? "," : "");
	json_put_name(stdout, "name", name);
	printf(",\n     \"original_bytes\": %" PRIu64
	       ", \"archive_bytes\": %" PRIu64 ", \"ratio\": %.4f,\n"
	       "     \"format\": \"%u.%u\", \"streams\": %" PRIu32
	       ", \"blocks\": %" PRIu64 ",\n     \"sha256\": \"",
	       s->original_nbytes, s->archive_nbytes, ratio(s), s->format_major,
	       s->format_minor, s->nstreams, s->nblocks);
	digest_print(s->sha256);
	printf("\"");
	if (streams->file)
		print_json_streams(streams);
	printf("}");
}

static void print_line(const struct nc3z_summary *s, const char *name)
{
	printf("%15" PRIu64 " %15" PRIu64 " %7.2f  ", s->original_nbytes,
	       s->archive_nbytes, ratio(s));
	message_put_text(stdout, name);
	putchar('\n');
}

static void print_stream(const struct nc3z_stream_info *info,
			 const struct stream_words *words)
{
	printf("%15" PRIu64 " %15" PRIu64 " %7.2f    %s%s",
	       info->original_nbytes, info->stored_nbytes, stream_ratio(info),
	       words->type, words->type[0] ? " " : "");
	message_put_text(stdout, words->name);
	printf("%s", words->shape[0] ? "(" : "");
	message_put_text(stdout, words->shape);
	printf("%s: %" PRIu64 " block%s", words->shape[0] ? ")" : "",
	       info->nblocks, info->nblocks == 1 ? "" : "s");
	if (words->chunks[0])
		printf(" of (%s)", words->chunks);
	if (info->nblocks > 0)
		printf(", %s", words->coding);
	if (info->ncodings > 1)
		printf(" (most of %" PRIu32 " ways)", info->ncodings);
	putchar('\n');
}

/* A line that says which variables are stored together. */
static void print_members(const struct stream_members *members,
			  const char *name)
{
	if (members->nvars == 0)
		return;
	printf("%43sin %s: ", "", name);
	message_put_text(stdout, members->names);
	if (members->nvars > STREAM_NAMES_MAX)
		printf(", and %" PRIu32 " more",
		       members->nvars - STREAM_NAMES_MAX);
	putchar('\n');
}

/*
 * One line for each stream that has bytes in this original, and where there are
 * several variables in one, a line with their names; names are shown as they
 * are in the header.
 */
static void print_streams(const struct nc3z_summary *s,
			  const struct stream_list *streams)
{
	struct stream_words words;

	for (uint32_t i = 0; i < streams->count; i++) {
		if (streams->list[i].original_nbytes == 0)
			continue;
		stream_words_make(streams, i, &words);
		print_stream(&streams->list[i], &words);
		if (streams->list[i].nvars > 1)
			print_members(&streams->members[i], words.name);
		stream_words_release(&words);
	}
	print_members(&streams->members[streams->count], "(rest)");
	printf("%15s %15s %7s    SHA-256 ", "", "", "");
	digest_print(s->sha256);
	putchar('\n');
}

void list_begin(const struct settings *settings)
{
	if (settings->json)
		printf("{\"archives\": [");
}

void list_add(const struct settings *settings, const struct nc3z_summary *s,
	      const struct stream_list *streams, const char *name)
{
	if (settings->json) {
		print_json(s, streams, name);
	} else {
		if (nlisted == 0)
			printf("%15s %15s %7s  name\n", "original", "archive",
			       "ratio");
		print_line(s, name);
		if (streams->file)
			print_streams(s, streams);
	}
	totals.original_nbytes += s->original_nbytes;
	totals.archive_nbytes += s->archive_nbytes;
	nlisted++;
}

void list_end(const struct settings *settings)
{
	if (settings->json)
		printf("%s]}\n", nlisted > 0 ? "\n" : "");
	else if (nlisted > 1)
		print_line(&totals, "(totals)");
}
