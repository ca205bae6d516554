//===- sample_kernels.c - Small functions to run aik-run on ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host image written by hand: make_sample.py compiles it twice, the second
// time with -DREFERENCE, and puts both into an .aikx. Some functions are
// right; others do what aik-run must notice.
//
//===----------------------------------------------------------------------===//

#include "AIKernel-c/Entry.h"

typedef const aik_env *env_t;
typedef const aik_tensor *args_t;

static int64_t count(const aik_tensor *t) {
  int64_t n = 1;
  for (uint32_t i = 0; i < t->rank; ++i)
    n *= t->dims[i];
  return n;
}

/// Result i gets the type `dtype` and the dimensions d0 x d1 (rank 0 to 2).
static void set(aik_tensor *t, uint32_t dtype, uint32_t rank, int64_t d0,
                int64_t d1) {
  t->dtype = dtype;
  t->rank = rank;
  t->dims[0] = d0;
  t->dims[1] = d1;
  t->strides[0] = rank == 2 ? d1 : 1;
  t->strides[1] = 1;
}

static void like(const aik_tensor *from, aik_tensor *to) {
  to->dtype = from->dtype;
  to->rank = from->rank;
  int64_t stride = 1;
  for (uint32_t i = from->rank; i-- != 0;) {
    to->dims[i] = from->dims[i];
    to->strides[i] = stride;
    stride *= from->dims[i] ? from->dims[i] : 1;
  }
}

/// f$workspace, f$prepare and f$cost of functions that need none.
#define PLAIN(NAME)                                                            \
  int64_t NAME##$workspace(env_t e, args_t a) {                                \
    (void)e, (void)a;                                                          \
    return 0;                                                                  \
  }                                                                            \
  PREPARE_NOTHING(NAME)
#define PREPARE_NOTHING(NAME)                                                  \
  int64_t NAME##$prepare(env_t e, args_t a, aik_tensor *p, void *s) {          \
    (void)e, (void)a, (void)p, (void)s;                                        \
    return 0;                                                                  \
  }                                                                            \
  COST(NAME)
#define COST(NAME)                                                             \
  int32_t NAME##$cost(env_t e, args_t a, aik_cost *c) {                        \
    (void)e;                                                                   \
    c->flops = count(&a[0]);                                                   \
    c->bytes = 8 * count(&a[0]);                                               \
    return 0;                                                                  \
  }
/// A function whose one result has the shape of its first argument.
#define ELEMENTWISE(NAME)                                                      \
  PLAIN(NAME)                                                                  \
  int32_t NAME##$shape(env_t e, args_t a, aik_tensor *r) {                     \
    (void)e;                                                                   \
    like(&a[0], &r[0]);                                                        \
    return 0;                                                                  \
  }
#ifdef LAUNCHER /* sample_launcher.c has the f$run */
#define RUN(NAME)                                                              \
  static int32_t NAME##_on_device(env_t env, args_t a, aik_tensor *r,          \
                                  void *workspace)
#else
#define RUN(NAME)                                                              \
  int32_t NAME##$run(env_t env, args_t a, aik_tensor *r, void *workspace)
#endif
#define F32(TENSOR) ((float *)(TENSOR).data)

ELEMENTWISE(add_one)
RUN(add_one) {
  (void)env, (void)workspace;
  for (int64_t i = 0; i < count(&a[0]); ++i)
    F32(r[0])[i] = F32(a[0])[i] + 1;
  return 0;
}

/// The same on any element type: a copy.
ELEMENTWISE(copy)
RUN(copy) {
  (void)env, (void)workspace;
  static const uint8_t size[AIK_DTYPE_COUNT] = {0, 4, 8, 2, 2, 1, 1,
                                                1, 1, 2, 4, 8, 1};
  int64_t bytes = count(&a[0]) * size[a[0].dtype];
  for (int64_t i = 0; i < bytes; ++i)
    ((volatile uint8_t *)r[0].data)[i] = ((uint8_t *)a[0].data)[i];
  return 0;
}

/// c = a b, rows in parallel, sums in the workspace; the reference sums in f64.
int32_t matmul$shape(env_t env, args_t a, aik_tensor *r) {
  if (a[0].dims[1] != a[1].dims[0])
    return env->fail(env, AIK_EINVAL, "matmul: columns of a are not rows of b");
  set(&r[0], AIK_F32, 2, a[0].dims[0], a[1].dims[1]);
  return 0;
}
int64_t matmul$workspace(env_t env, args_t a) {
  (void)env;
  return a[0].dims[0] * a[1].dims[1] * (int64_t)sizeof(float);
}
int64_t matmul$prepare(env_t e, args_t a, aik_tensor *p, void *s) {
  (void)e, (void)a, (void)p, (void)s;
  return 0;
}
int32_t matmul$cost(env_t env, args_t a, aik_cost *cost) {
  (void)env;
  int64_t m = a[0].dims[0], k = a[0].dims[1], n = a[1].dims[1];
  cost->flops = 2 * m * n * k;
  cost->bytes = 4 * (m * k + k * n + m * n);
  return 0;
}
typedef struct matmul_rows {
  args_t a;
  aik_tensor *r;
  float *sums;
} matmul_rows;
static int32_t matmul_body(void *captures, int64_t begin, int64_t end) {
  matmul_rows *job = captures;
  int64_t k = job->a[0].dims[1], n = job->a[1].dims[1];
  for (int64_t i = begin; i < end; ++i)
    for (int64_t j = 0; j < n; ++j) {
#ifdef REFERENCE
      double sum = 0;
#else
      float sum = 0;
#endif
      for (int64_t p = 0; p < k; ++p)
        sum += F32(job->a[0])[i * k + p] * F32(job->a[1])[p * n + j];
      job->sums[i * n + j] = (float)sum;
      F32(job->r[0])[i * n + j] = job->sums[i * n + j];
    }
  return 0;
}
RUN(matmul) {
  matmul_rows job = {a, r, workspace};
  return env->parallel_for(env, a[0].dims[0], matmul_body, &job);
}

/// y[?x4] = x[?x8] w[8x4]: the host image wants w transposed by f$prepare.
int32_t affine$shape(env_t env, args_t a, aik_tensor *r) {
  if (a[0].dims[1] != a[1].dims[0])
    return env->fail(env, AIK_EINVAL, "affine: x does not have 8 columns");
  set(&r[0], AIK_F32, 2, a[0].dims[0], 4);
  return 0;
}
int64_t affine$workspace(env_t env, args_t a) {
  (void)env, (void)a;
  return 0;
}
COST(affine)
int64_t affine$prepare(env_t env, args_t a, aik_tensor *prepared,
                       void *storage) {
  (void)env;
#ifdef REFERENCE
  (void)a, (void)prepared, (void)storage;
  return 0;
#else
  if (storage) {
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 4; ++j)
        ((float *)storage)[j * 8 + i] = F32(a[1])[i * 4 + j];
    prepared[0] = a[0];
    prepared[1] = a[1];
    prepared[1].data = storage;
  }
  return 8 * 4 * sizeof(float);
#endif
}
RUN(affine) {
  (void)env, (void)workspace;
  for (int64_t i = 0; i < a[0].dims[0]; ++i)
    for (int j = 0; j < 4; ++j) {
      float sum = 0;
      for (int p = 0; p < 8; ++p)
#ifdef REFERENCE
        sum += F32(a[0])[i * 8 + p] * F32(a[1])[p * 4 + j];
#else
        sum += F32(a[0])[i * 8 + p] * F32(a[1])[j * 8 + p];
#endif
      F32(r[0])[i * 4 + j] = sum;
    }
  return 0;
}

/// Rows of a table; an id out of range is refused.
PLAIN(gather)
int32_t gather$shape(env_t env, args_t a, aik_tensor *r) {
  (void)env;
  set(&r[0], AIK_F32, 2, a[1].dims[0], a[0].dims[1]);
  return 0;
}
RUN(gather) {
  (void)workspace;
  int64_t width = a[0].dims[1];
  for (int64_t i = 0; i < a[1].dims[0]; ++i) {
    int32_t id = ((int32_t *)a[1].data)[i];
    if (id < 0 || id >= a[0].dims[0])
      return env->fail(env, AIK_ERANGE, "gather: an id is out of range");
    for (int64_t j = 0; j < width; ++j)
      F32(r[0])[i * width + j] = F32(a[0])[id * width + j];
  }
  return 0;
}

/// y = x / step, counted from 1: zero is refused.
PLAIN(divide)
int32_t divide$shape(env_t env, args_t a, aik_tensor *r) {
  (void)env;
  like(&a[1], &r[0]);
  return 0;
}
RUN(divide) {
  (void)workspace;
  int64_t step = *(int64_t *)a[0].data;
  if (step < 1)
    return env->fail(env, AIK_EINVAL, "divide: step counts from 1");
  for (int64_t i = 0; i < count(&a[1]); ++i)
    F32(r[0])[i] = F32(a[1])[i] / (float)step;
  return 0;
}

/// An argument that is written: every element grows by one.
PLAIN(bump)
int32_t bump$shape(env_t env, args_t a, aik_tensor *r) {
  (void)env, (void)a, (void)r;
  return 0;
}
RUN(bump) {
  (void)env, (void)workspace, (void)r;
  for (int64_t i = 0; i < count(&a[0]); ++i)
    ++((int32_t *)a[0].data)[i];
  return 0;
}

/// What follows is wrong on purpose, but not in the reference.

ELEMENTWISE(wrong)
RUN(wrong) {
  (void)env, (void)workspace;
  for (int64_t i = 0; i < count(&a[0]); ++i)
    F32(r[0])[i] = F32(a[0])[i] + 1;
#ifndef REFERENCE
  F32(r[0])[3] += F32(a[0])[3] < -1e30f ? __builtin_nanf("") : 0.5f;
#endif
  return 0;
}

ELEMENTWISE(forgets)
RUN(forgets) { // its last element, in both images
  (void)env, (void)workspace;
  for (int64_t i = 0; i + 1 < count(&a[0]); ++i)
    F32(r[0])[i] = F32(a[0])[i];
  return 0;
}

ELEMENTWISE(fails)
RUN(fails) {
  (void)workspace, (void)a, (void)r;
  return env->fail(env, AIK_ENOSPC, "fails: the cache is full");
}

ELEMENTWISE(overrun)
RUN(overrun) {
  (void)env, (void)workspace;
  int64_t n = count(&a[0]);
  for (int64_t i = 0; i < n; ++i)
    F32(r[0])[i] = F32(a[0])[i];
#ifndef REFERENCE
  F32(r[0])[0] += ((volatile float *)a[0].data)[n];
#endif
  return 0;
}

ELEMENTWISE(underrun)
RUN(underrun) {
  (void)env, (void)workspace;
  for (int64_t i = 0; i < count(&a[0]); ++i)
    F32(r[0])[i] = F32(a[0])[i];
  ((volatile float *)r[0].data)[-1] = 0;
  return 0;
}

ELEMENTWISE(scribble)
RUN(scribble) {
  (void)env, (void)workspace;
  for (int64_t i = 0; i < count(&a[0]); ++i)
    F32(r[0])[i] = F32(a[0])[i];
  ((volatile float *)a[0].data)[0] = 42;
  return 0;
}

/// No shape is ever good enough.
PLAIN(picky)
int32_t picky$shape(env_t env, args_t a, aik_tensor *r) {
  (void)a, (void)r;
  return env->fail(env, AIK_EINVAL, "picky: this shape will not do");
}
RUN(picky) {
  (void)env, (void)workspace, (void)a, (void)r;
  return 0;
}
