// The rival of the embed kernel: gathers rows of a table and adds position rows, into a reused block of 1 MiB. Both are
// stored as float32, float16 or bfloat16, and widened by the processor's own instruction where it has one.
// gcc -O3 -march=native embed_rows.c -o embed_rows
// ./embed_rows DIM CONTEXT_LENGTH BLOCKS float32|float16|bfloat16 → median GB/s of output
#ifdef __F16C__
#include <immintrin.h>
#endif
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

static inline float from_float16(uint16_t bits) {
  _Float16 half;
  memcpy(&half, &bits, sizeof half);
  return half;
}

static inline float from_bfloat16(uint16_t bits) {
  const uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static inline void add_float32(float *restrict out, const float *restrict row, const float *restrict position, long dim) {
  for (long j = 0; j < dim; j++) out[j] = row[j] + position[j];
}

static inline void add_bfloat16(float *restrict out, const uint16_t *restrict row, const uint16_t *restrict position,
                                long dim) {
  for (long j = 0; j < dim; j++) out[j] = from_bfloat16(row[j]) + from_bfloat16(position[j]);
}

static inline void add_float16(float *restrict out, const uint16_t *restrict row, const uint16_t *restrict position,
                               long dim) {
  long j = 0;
#ifdef __F16C__
  for (; j + 8 <= dim; j += 8) {
    const __m256 value = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(row + j)));
    const __m256 added = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(position + j)));
    _mm256_storeu_ps(out + j, _mm256_add_ps(value, added));
  }
#endif
  for (; j < dim; j++) out[j] = from_float16(row[j]) + from_float16(position[j]);
}

#define EMBED_ROWS(name, type, add)                                                                             \
  __attribute__((noinline)) static void name(float *restrict out, const type *restrict table,                   \
                                             const int32_t *restrict ids, long rows, long dim,                  \
                                             const type *restrict positions, long context_length) {             \
    for (long i = 0; i < rows; i++)                                                                             \
      add(out + i * dim, table + (size_t)ids[i] * dim, positions + (i % context_length) * dim, dim);            \
  }

EMBED_ROWS(embed_float32, float, add_float32)
EMBED_ROWS(embed_float16, uint16_t, add_float16)
EMBED_ROWS(embed_bfloat16, uint16_t, add_bfloat16)

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int count, char **arguments) {
  if (count != 5) return 1;
  const long dim = atol(arguments[1]), context_length = atol(arguments[2]);
  const long blocks = atol(arguments[3]);
  const char *type = arguments[4];
  const long item = strcmp(type, "float32") == 0 ? 4 : 2;
  const long vocabulary = TABLE_FLOATS / dim, rows = BLOCK_BYTES / (dim * 4);
  void *table = aligned_alloc(64, (TABLE_FLOATS * item + 63) / 64 * 64);
  void *positions = aligned_alloc(64, (context_length * dim * item + 63) / 64 * 64);
  float *out = aligned_alloc(64, BLOCK_BYTES);
  int32_t *ids = malloc(blocks * rows * 4);
  // Each a small normal number in all three types.
  memset(table, 0x34, TABLE_FLOATS * item);
  memset(positions, 0x3c, context_length * dim * item);
  memset(out, 0, BLOCK_BYTES);
  uint32_t state = 1;
  for (long i = 0; i < blocks * rows; i++) {
    state = state * 1664525u + 1013904223u;
    ids[i] = (int32_t)(((uint64_t)state * vocabulary) >> 32);
  }
  double times[RUNS];
  for (int run = 0; run < RUNS; run++) {
    const double start = seconds();
    for (long block = 0; block < blocks; block++) {
      const int32_t *some = ids + block * rows;
      if (item == 4) embed_float32(out, table, some, rows, dim, positions, context_length);
      else if (strcmp(type, "float16") == 0) embed_float16(out, table, some, rows, dim, positions, context_length);
      else embed_bfloat16(out, table, some, rows, dim, positions, context_length);
    }
    times[run] = seconds() - start;
  }
  qsort(times, RUNS, sizeof *times, ascending);
  printf("%.3f\n", blocks * rows * dim * 4.0 / times[RUNS / 2] / 1e9);
}
