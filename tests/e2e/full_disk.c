/* Preloaded where a test may not mount a small file system: while the file DT_TEST_FULL_DISK + ".full"
 * exists, files below the folder DT_TEST_FULL_DISK find no space to grow. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[PATH_MAX];
static char flag[PATH_MAX + 8];

__attribute__((constructor)) static void begin(void) {
  const char *named = getenv("DT_TEST_FULL_DISK");
  if (!named) return;
  snprintf(folder, sizeof folder, "%s/", named);
  snprintf(flag, sizeof flag, "%s.full", named);
}

/* As on a real disk, what lies within a file can be overwritten. */
static int finds_no_space(int file, off_t end) {
  char link[64], path[PATH_MAX];
  struct stat info;
  if (!folder[0] || syscall(SYS_access, flag, F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, folder, strlen(folder)) != 0) return 0;
  if (fstat(file, &info) != 0 || end <= info.st_size) return 0;
  errno = ENOSPC;
  return 1;
}

static off_t end_of_write(int file, size_t count) {
  const int appends = fcntl(file, F_GETFL) & O_APPEND;
  return lseek(file, 0, appends ? SEEK_END : SEEK_CUR) + (off_t)count;
}

ssize_t write(int file, const void *bytes, size_t count) {
  if (folder[0] && finds_no_space(file, end_of_write(file, count))) return -1;
  return syscall(SYS_write, file, bytes, count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  if (finds_no_space(file, offset + (off64_t)count)) return -1;
  return syscall(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return pwrite64(file, bytes, count, offset);
}
