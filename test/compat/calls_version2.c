/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <stdio.h>

static void ask_version2(const char *path)
{
	int ncid, nvars = 0, a = -9, b = -9, c = -9, d = -9, status;
	int recvars[400], nrecvars = 0;
	long recsizes[400], length = -9;
	char name[2000];
	nc_type type = -9;

	fflush(stdout);
	ncopts = NC_VERBOSE;
	print_int("ncopen", 0, ncopen("no such file", NC_NOWRITE));
	printf("ncerr: %d\n", ncerr);
	ncopts = 0;
	ncid = ncopen(path, NC_NOWRITE);
	if (ncid < 0) {
		printf("ncerr: %d\n", ncerr);
		return;
	}
	status = ncinquire(ncid, &a, &nvars, &b, &c) == ncid;
	printf("ncinquire: %d %d %d %d %d\n", status, a, nvars, b, c);
	printf("ncdimid: %d", ncdimid(ncid, "no such"));
	printf(" %d\n", ncerr);
	for (int i = -1; i <= a && i < 100; i++) {
		status = ncdiminq(ncid, i, name, &length);
		/* libnetcdf cuts it to an int */
		printf("ncdiminq: %d %d\n", status, (int)length);
		if (status >= 0)
			printf("ncdimid: %d\n", ncdimid(ncid, name));
	}
	status = nvars <= 400 ? ncrecinq(ncid, &nrecvars, recvars, recsizes) :
				0;
	printf("ncrecinq: %d %d\n", status, nrecvars);
	for (int i = 0; i < nrecvars; i++)
		printf("ncrecinq: %d %d\n", recvars[i], (int)recsizes[i]);
	for (int i = -1; i <= nvars && i < 100; i++) {
		status = ncvarinq(ncid, i, name, &type, &a, NULL, &b);
		printf("ncvarinq: %d %d %d %d\n", status, type, a, b);
		if (status >= 0)
			printf("ncvarid: %d\n", ncvarid(ncid, name));
		status = ncattname(ncid, i, 0, name);
		printf("ncattname: %d\n", status);
		if (status >= 0) {
			status = ncattinq(ncid, i, name, &type, &d);
			printf("ncattinq: %d %d %d\n", status, type, d);
			fill_buffer();
			if (d < MAX_NELEMS)
				status = ncattget(ncid, i, name, buffer);
			printf("ncattget: %d %016llx\n", status,
			       (unsigned long long)sum(buffer, sizeof(buffer)));
		}
	}
	printf("ncattinq: %d\n", ncattinq(ncid, -1, "no such", &type, &d));
	printf("ncerr: %d\n", ncerr);
	printf("ncsync: %d\n", ncsync(ncid));
	printf("ncclose: %d\n", ncclose(ncid));
	printf("ncclose: %d", ncclose(ncid));
	printf(" %d\n", ncerr);
}

static void get_version2(int ncid, const struct var *var)
{
	long start[MAX_RANK], count[MAX_RANK], stride[MAX_RANK];
	long imap[MAX_RANK], step = nctypelen(var->type);

	for (int i = 0; i < var->ndims; i++) {
		size_t length = var->shape[i];

		start[i] = (long)random_below(length + 1);
		stride[i] = 1 + (long)random_below(2);
		count[i] =
			((long)length - start[i] + stride[i] - 1) / stride[i];
		if (count[i] > 5)
			count[i] = 5;
		if (random_below(20) == 0)
			start[i] = -1;
	}
	for (int i = 0; i < var->ndims; i++) {
		imap[i] = step;
		step *= count[i] ? count[i] : 1;
	}
	if (step > 8 * MAX_NELEMS)
		return;
	fill_buffer();
	printf("ncvarget1: %d", ncvarget1(ncid, var->varid, start, buffer));
	printf(" %d", ncvarget(ncid, var->varid, start, count, buffer));
	printf(" %d",
	       ncvargets(ncid, var->varid, start, count, stride, buffer));
	printf(" %d", ncvargets(ncid, var->varid, start, count, NULL, buffer));
	printf(" %016llx", (unsigned long long)sum(buffer, sizeof(buffer)));
	printf(" %d",
	       ncvargetg(ncid, var->varid, start, count, stride, imap, buffer));
	printf(" %d %016llx\n", ncerr,
	       (unsigned long long)sum(buffer, sizeof(buffer)));
}

static void ask_values_version2(const char *path)
{
	int ncid, nvars = 0;
	struct var var;

	ncopts = 0;
	ncid = ncopen(path, NC_NOWRITE);
	if (ncid < 0)
		return;
	ncinquire(ncid, NULL, &nvars, NULL, NULL);
	for (int varid = 0; varid < nvars && varid < 100; varid++)
		for (int i = 0; i < 4; i++)
			if (look_up_var(ncid, varid, &var))
				get_version2(ncid, &var);
	ncclose(ncid);
}

static void ask_records_version2(const char *path)
{
	int ncid, nrecvars = 0, nvars = 0;
	int recvars[400];
	long recsizes[400], used = 0;
	void *places[400];

	ncopts = 0;
	ncid = ncopen(path, NC_NOWRITE);
	if (ncid < 0)
		return;
	ncinquire(ncid, NULL, &nvars, NULL, NULL);
	if (nvars <= 400)
		ncrecinq(ncid, &nrecvars, recvars, recsizes);
	for (int i = 0; i < nrecvars; i++) {
		places[i] = i % 4 == 3 ? NULL : buffer + used;
		if (recsizes[i] > BUFFER_NBYTES)
			nrecvars = 0;
		else
			used += (recsizes[i] + 7) / 8 * 8;
		if (used > BUFFER_NBYTES)
			nrecvars = 0;
	}
	for (long record = -1; nrecvars && record < 3; record++) {
		fill_buffer();
		printf("ncrecget: %d", ncrecget(ncid, record, places));
		printf(" %d %016llx\n", ncerr,
		       (unsigned long long)sum(buffer, sizeof(buffer)));
	}
	ncclose(ncid);
}

void end_by_version2(const char *path)
{
	printf("before\n");
	fflush(stdout);
	ncvarid(ncopen(path, NC_NOWRITE), "no such variable");
	printf("after\n");
}

void ask_by_version2(const char *path)
{
	ask_version2(path);
	ask_values_version2(path);
	ask_records_version2(path);
}
