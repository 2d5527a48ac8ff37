/* SPDX-License-Identifier: MIT */
/*
 * Names are UTF-8, as everywhere in nc3z.  Descriptors are those of the C
 * library; other programs may rename, write and remove what is open here, as
 * elsewhere.
 */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <windows.h>

#define READ_MAX ((size_t)1 << 30)

/* From 1601, in 100 ns, to 1970. */
#define EPOCH INT64_C(116444736000000000)
#define PER_SECOND INT64_C(10000000)

static void set_errno(DWORD error)
{
	switch (error) {
	case ERROR_FILE_NOT_FOUND:
	case ERROR_PATH_NOT_FOUND:
	case ERROR_INVALID_NAME:
	case ERROR_BAD_NETPATH:
	case ERROR_NO_UNICODE_TRANSLATION:
		errno = ENOENT;
		break;
	case ERROR_ACCESS_DENIED:
	case ERROR_SHARING_VIOLATION:
	case ERROR_LOCK_VIOLATION:
		errno = EACCES;
		break;
	case ERROR_NOT_ENOUGH_MEMORY:
	case ERROR_OUTOFMEMORY:
		errno = ENOMEM;
		break;
	case ERROR_INVALID_HANDLE:
		errno = EBADF;
		break;
	default:
		errno = EIO;
	}
}

/* For free(); NULL if that fails. */
static wchar_t *wide_name(const char *path)
{
	int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1,
				    NULL, 0);
	wchar_t *name;

	if (n <= 0) {
		set_errno(GetLastError());
		return NULL;
	}
	name = calloc((size_t)n, sizeof(*name));
	if (name)
		MultiByteToWideChar(CP_UTF8, 0, path, -1, name, n);
	return name;
}

int file_open(const char *path)
{
	wchar_t *name = wide_name(path);
	HANDLE handle;
	int fd;

	if (!name)
		return -1;
	/* With backup semantics a directory opens, and can be told. */
	handle = CreateFileW(
		name, GENERIC_READ,
		FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
		OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
	free(name);
	if (handle == INVALID_HANDLE_VALUE) {
		set_errno(GetLastError());
		return -1;
	}
	fd = _open_osfhandle((intptr_t)handle,
			     _O_RDONLY | _O_BINARY | _O_NOINHERIT);
	if (fd < 0)
		CloseHandle(handle);
	return fd;
}

void file_close(int fd)
{
	_close(fd);
}

bool file_exists(const char *path)
{
	wchar_t *name = wide_name(path);
	bool exists = name &&
		      GetFileAttributesW(name) != INVALID_FILE_ATTRIBUTES;

	free(name);
	return exists;
}

static struct timespec time_of(LARGE_INTEGER time)
{
	int64_t since = time.QuadPart - EPOCH;

	return (struct timespec){
		.tv_sec = since / PER_SECOND,
		.tv_nsec = (long)(since % PER_SECOND * 100),
	};
}

int file_inquire(int fd, struct file_state *state)
{
	HANDLE handle = (HANDLE)_get_osfhandle(fd);
	FILE_STANDARD_INFO standard;
	FILE_BASIC_INFO basic;

	*state = (struct file_state){ .kind = FILE_OTHER };
	if (handle == INVALID_HANDLE_VALUE)
		return -1;
	if (GetFileType(handle) != FILE_TYPE_DISK)
		return 0;
	if (!GetFileInformationByHandleEx(handle, FileStandardInfo, &standard,
					  sizeof(standard)) ||
	    !GetFileInformationByHandleEx(handle, FileBasicInfo, &basic,
					  sizeof(basic))) {
		set_errno(GetLastError());
		return -1;
	}
	*state = (struct file_state){
		.kind = standard.Directory ? FILE_DIRECTORY : FILE_REGULAR,
		.nbytes = (uint64_t)standard.EndOfFile.QuadPart,
		.modified = time_of(basic.LastWriteTime),
		.changed = time_of(basic.ChangeTime),
		.nlinks = standard.NumberOfLinks,
		.permissions = basic.FileAttributes,
	};
	return 0;
}

int64_t file_position(int fd)
{
	return _lseeki64(fd, 0, SEEK_CUR);
}

ssize_t file_read_at(int fd, void *data, size_t nbytes, uint64_t offset)
{
	HANDLE handle = (HANDLE)_get_osfhandle(fd);
	OVERLAPPED at = {
		.Offset = (DWORD)offset,
		.OffsetHigh = (DWORD)(offset >> 32),
	};
	DWORD got = 0;

	if (handle == INVALID_HANDLE_VALUE)
		return -1;
	if (ReadFile(handle, data,
		     (DWORD)(nbytes > READ_MAX ? READ_MAX : nbytes), &got, &at))
		return (ssize_t)got;
	if (GetLastError() == ERROR_HANDLE_EOF)
		return 0;
	set_errno(GetLastError());
	return -1;
}

ssize_t file_read_next(int fd, void *data, size_t nbytes)
{
	return _read(fd, data,
		     (unsigned)(nbytes > READ_MAX ? READ_MAX : nbytes));
}
