// Reads a file into memory that nobody has touched: what loading a table takes at least, in pages of 4 KiB.
//
// cc -O2 -pthread fresh-memory.c -o fresh-memory && ./fresh-memory FILE THREADS [huge]
// Prints milliseconds. `huge` asks the kernel for pages of 2 MiB (madvise), which Node cannot do for its memory.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STEP = 1 << 23, MOST = 16 };

static char *memory;
static off_t size;
static int file, threads;

static void *read_share(void *argument) {
  for (off_t at = (off_t)(size_t)argument * STEP; at < size; at += (off_t)threads * STEP) {
    off_t end = at + STEP < size ? at + STEP : size;
    for (off_t done = at; done < end;) {
      ssize_t bytes = pread(file, memory + done, (size_t)(end - done), done);
      if (bytes <= 0) exit(1);
      done += bytes;
    }
  }
  return NULL;
}

int main(int count, char **given) {
  struct stat facts;
  if (count < 3 || (file = open(given[1], O_RDONLY)) < 0 || fstat(file, &facts) != 0) return 1;
  threads = atoi(given[2]);
  if (threads < 1 || threads > MOST) return 1;
  size = facts.st_size;
  memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  if (count > 3) madvise(memory, (size_t)size, MADV_HUGEPAGE);
  struct timespec began, ended;
  clock_gettime(CLOCK_MONOTONIC, &began);
  pthread_t all[MOST];
  for (int i = 0; i < threads; i++) pthread_create(&all[i], NULL, read_share, (void *)(size_t)i);
  for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);
  clock_gettime(CLOCK_MONOTONIC, &ended);
  printf("%.1f\n", (ended.tv_sec - began.tv_sec) * 1e3 + (ended.tv_nsec - began.tv_nsec) / 1e6);
  return 0;
}
