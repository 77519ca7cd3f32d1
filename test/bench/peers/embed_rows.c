// The rival of the embed kernel: gathers rows of a table and adds position rows, into a reused block of 1 MiB.
// gcc -O3 -march=native embed_rows.c -o embed_rows && ./embed_rows DIM CONTEXT_LENGTH BLOCKS → median GB/s of output
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TABLE_FLOATS = 50257 * 256, BLOCK_BYTES = 1 << 20, RUNS = 31 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

__attribute__((noinline)) static void embed_rows(float *restrict out, const float *restrict table,
                                                 const int32_t *restrict ids, long rows, long dim,
                                                 const float *restrict positions, long context_length) {
  for (long i = 0; i < rows; i++) {
    const float *row = table + (size_t)ids[i] * dim;
    const float *position = positions + (i % context_length) * dim;
    for (long j = 0; j < dim; j++) out[i * dim + j] = row[j] + position[j];
  }
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int count, char **arguments) {
  if (count != 4) return 1;
  const long dim = atol(arguments[1]), context_length = atol(arguments[2]);
  const long blocks = atol(arguments[3]);
  const long vocabulary = TABLE_FLOATS / dim, rows = BLOCK_BYTES / (dim * 4);
  float *table = aligned_alloc(64, (TABLE_FLOATS * 4L + 63) / 64 * 64);
  float *positions = aligned_alloc(64, (context_length * dim * 4 + 63) / 64 * 64);
  float *out = aligned_alloc(64, BLOCK_BYTES);
  int32_t *ids = malloc(blocks * rows * 4);
  for (long i = 0; i < TABLE_FLOATS; i++) table[i] = i;
  for (long i = 0; i < context_length * dim; i++) positions[i] = i;
  memset(out, 0, BLOCK_BYTES);
  uint32_t state = 1;
  for (long i = 0; i < blocks * rows; i++) {
    state = state * 1664525u + 1013904223u;
    ids[i] = (int32_t)(((uint64_t)state * vocabulary) >> 32);
  }
  double times[RUNS];
  for (int run = 0; run < RUNS; run++) {
    const double start = seconds();
    for (long block = 0; block < blocks; block++)
      embed_rows(out, table, ids + block * rows, rows, dim, positions, context_length);
    times[run] = seconds() - start;
  }
  qsort(times, RUNS, sizeof *times, ascending);
  printf("%.3f\n", blocks * rows * dim * 4.0 / times[RUNS / 2] / 1e9);
}
