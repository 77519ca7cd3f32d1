// Plain SGD in C, the limit of what Inlet does for a step: gradients [2048, 256] are copied, summed by row of [50257, 256],
// and squared for the norm; then each row that came moves by a fused multiply-add, with the norm of the change and a mark
// where a bit changed. Beside it what PyTorch's sparse step does: it adds each gradient to its row, and no more.
//
//   cc -O3 -march=native -ffast-math plain-sgd.c -o plain-sgd -lm && ./plain-sgd
//
// One line out: medians in milliseconds, "sums step addition addition-after-a-forward". The last: rows are in the cache, as
// PyTorch's own forward has just read them.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { V = 50257, C = 256, N = 2048, ROUNDS = 200 };

static float *table, *given, *sums, *out;
static int place[V], rows[N], ids[N];
static unsigned char moved[N];
static volatile double sink;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *times) {
  qsort(times, ROUNDS, sizeof *times, ascending);
  return times[ROUNDS / 2];
}

static void draw(void) {
  for (int i = 0; i < N; i++) ids[i] = rand() % V;
}

static int sum(void) {
  int count = 0;
  for (int i = 0; i < N; i++) {
    float *from = given + (size_t)i * C;
    int first = place[ids[i]] == 0;
    if (first) {
      rows[count] = ids[i];
      place[ids[i]] = ++count;
    }
    float *to = sums + (size_t)(place[ids[i]] - 1) * C;
    if (first) memcpy(to, from, 4 * C);
    else for (int c = 0; c < C; c++) to[c] += from[c];
  }
  double squares = 0;
  for (size_t i = 0; i < (size_t)count * C; i++) squares += (double)sums[i] * sums[i];
  sink = sqrt(squares);
  return count;
}

static void step(int count, float rate) {
  double squares = 0;
  for (int i = 0; i < count; i++) {
    float *row = table + (size_t)rows[i] * C, *by = sums + (size_t)i * C;
    unsigned bits = 0;
    for (int c = 0; c < C; c++) {
      float old = row[c], fresh = fmaf(rate, by[c], old);
      unsigned a, b;
      memcpy(&a, &old, 4);
      memcpy(&b, &fresh, 4);
      bits |= a ^ b;
      squares += ((double)fresh - old) * ((double)fresh - old);
      row[c] = fresh;
    }
    moved[i] = bits != 0;
    place[rows[i]] = 0;
  }
  sink = sqrt(squares);
}

static void add(float rate) {
  for (int i = 0; i < N; i++) {
    float *row = table + (size_t)ids[i] * C, *by = given + (size_t)i * C;
    for (int c = 0; c < C; c++) row[c] = fmaf(rate, by[c], row[c]);
  }
}

static float *numbers(size_t count, float value) {
  float *made = aligned_alloc(64, 4 * count);
  for (size_t i = 0; i < count; i++) made[i] = value;
  return made;
}

int main(void) {
  static double times[4][ROUNDS];
  table = numbers((size_t)V * C, 0.5f);
  given = numbers((size_t)N * C, 0.25f);
  sums = numbers((size_t)N * C, 0);
  out = numbers((size_t)N * C, 0);
  for (size_t i = 0; i < (size_t)N * C; i++) given[i] = rand() / (float)RAND_MAX - 0.5f;
  for (int i = 0; i < ROUNDS; i++) {
    draw();
    double begun = now();
    int count = sum();
    double summed = now();
    step(count, -0.01f);
    times[0][i] = summed - begun;
    times[1][i] = now() - summed;
    draw();
    begun = now();
    add(-0.01f);
    times[2][i] = now() - begun;
    draw();
    for (int k = 0; k < N; k++) memcpy(out + (size_t)k * C, table + (size_t)ids[k] * C, 4 * C);
    begun = now();
    add(-0.01f);
    times[3][i] = now() - begun;
  }
  printf("%.3f %.3f %.3f %.3f\n", median(times[0]), median(times[1]), median(times[2]), median(times[3]));
}
