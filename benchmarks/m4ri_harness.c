/* Times one operation of M4RI on random n x n matrices, in thread CPU seconds; called through ctypes by gf2.py. */
#include <m4ri/m4ri.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

double run(int n, const char *operation, unsigned seed) {
  srandom(seed);
  mzd_t *A = mzd_init(n, n), *B = NULL, *C = NULL;
  mzp_t *P = NULL, *Q = NULL;
  double start = 0;
  mzd_randomize(A);
  switch (operation[0]) {
  case 'r': /* rref */
    start = now();
    mzd_echelonize_m4ri(A, 1, 0);
    break;
  case 'k': /* rank */
    P = mzp_init(n);
    Q = mzp_init(n);
    start = now();
    mzd_ple(A, P, Q, 0);
    break;
  case 's': /* solve */
    B = mzd_init(n, 1);
    mzd_randomize(B);
    start = now();
    mzd_solve_left(A, B, 0, 0);
    break;
  case 'i': /* inverse */
    start = now();
    C = mzd_inv_m4ri(NULL, A, 0);
    break;
  case 'm': /* multiply */
    B = mzd_init(n, n);
    mzd_randomize(B);
    start = now();
    C = mzd_mul(NULL, A, B, 0);
    break;
  }
  start = now() - start;
  mzd_free(A);
  if (B) mzd_free(B);
  if (C) mzd_free(C);
  if (P) mzp_free(P);
  if (Q) mzp_free(Q);
  return start;
}
