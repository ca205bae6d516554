//===- ReferenceTest.cpp - The reference operations but attention ---------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each against a direct formula on row-major doubles with the C library's
// functions, for dense and scattered memory, f64, f32 and bf16, empty tensors,
// NaN and infinity.
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "TensorBuilder.h"

using namespace harness;

namespace {

constexpr double tolerance = 1e-13;
const uint32_t floatTypes[] = {AIK_F64, AIK_F32, AIK_BF16};

using Operation = void (*)(const aik_tensor *, aik_tensor *, const double *);

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double silu(double x) { return x * sigmoid(x); }
double gelu(double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double geluTanh(double x) {
  double u = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(u));
}
double relu(double x) { return std::isnan(x) ? x : std::fmax(x, 0); }
double identity(double x) { return x; }

void testUnary(const char *name, Operation op, double (*f)(double),
               double param = 0) {
  Random random(1);
  for (uint32_t dtype : floatTypes)
    for (const Dims &dims :
         {Dims{}, Dims{7}, Dims{3, 300}, Dims{2, 3, 5}, Dims{2, 0, 3}})
      for (int scramble = 0; scramble < (int)dims.size() + 1; ++scramble) {
        Tensor x(dtype, dims, scramble), y(dtype, dims, scramble / 2);
        x.randomize(random, 8);
        if (x.count() > 6) {
          x.set(0, NAN);
          x.set(1, INFINITY);
          x.set(2, -INFINITY);
          x.set(3, -0.0);
        }
        op(&x.view, &y.view, &param);
        compare(name, y, tolerance, [&](int64_t i) { return f(x.get(i)); });
      }
}

void testGated(const char *name, Operation op, double (*f)(double),
               double param = 0) {
  Random random(2);
  for (uint32_t dtype : floatTypes)
    for (int scramble = 0; scramble < 3; ++scramble) {
      Dims dims = {4, 3, 270};
      Tensor gate(dtype, dims, scramble), up(dtype, dims, 2 - scramble);
      Tensor y(dtype, dims, 1);
      gate.randomize(random, 6);
      up.randomize(random, 6);
      aik_tensor operands[] = {gate.view, up.view};
      op(operands, &y.view, &param);
      compare(name, y, tolerance,
              [&](int64_t i) { return f(gate.get(i)) * up.get(i); });
    }
}

/// The matrix element of a tensor whose batch dimensions are broadcast.
double matrixElement(const Tensor &t, const Dims &batch, int64_t row,
                     int64_t column, bool transpose) {
  Dims index(t.dims.size());
  size_t own = t.dims.size() - 2;
  for (size_t i = 0; i < own; ++i) {
    int64_t position = batch[batch.size() - own + i];
    index[i] = t.dims[i] == 1 ? 0 : position;
  }
  index[own] = transpose ? column : row;
  index[own + 1] = transpose ? row : column;
  return t.at(index);
}

void testMatmul() {
  Random random(3);
  struct Case {
    Dims a, b, c;
  };
  const Case cases[] = {
      {{}, {}, {}},          {{2, 3}, {2, 3}, {2, 3}}, {{2, 3}, {}, {2, 3}},
      {{}, {4}, {4}},        {{1, 3}, {2, 1}, {2, 3}}, {{3}, {2, 1}, {2, 3}},
      {{1}, {5, 2}, {5, 2}}, {{0}, {0}, {0}}};
  const int64_t sizes[][3] = {{3, 5, 4}, {1, 1, 1},   {2, 300, 7},
                              {4, 0, 2}, {2, 3, 513}, {0, 3, 2}};
  for (const Case &shape : cases)
    for (auto &size : sizes)
      for (int flags = 0; flags < 4; ++flags) {
        int64_t m = size[0], k = size[1], n = size[2];
        bool transposeA = flags & 1, transposeB = flags & 2;
        auto with = [](Dims batch, int64_t rows, int64_t columns, bool swap) {
          batch.push_back(swap ? columns : rows);
          batch.push_back(swap ? rows : columns);
          return batch;
        };
        Tensor a(AIK_BF16, with(shape.a, m, k, transposeA), flags % 3);
        Tensor b(AIK_F32, with(shape.b, k, n, transposeB), (flags + 1) % 3);
        Tensor c(flags & 1 ? AIK_F32 : AIK_F64, with(shape.c, m, n, false),
                 (int)(k % 2));
        a.randomize(random);
        b.randomize(random);
        aik_tensor operands[] = {a.view, b.view};
        double params[] = {(double)transposeA, (double)transposeB};
        aikb_aik_ref_matmul(operands, &c.view, params);
        compare("matmul", c, 0, [&](int64_t i) {
          int64_t column = i % n, row = i / n % m, rest = i / (n * m);
          Dims batch(shape.c.size());
          for (size_t axis = batch.size(); axis-- > 0;) {
            batch[axis] = rest % shape.c[axis];
            rest /= shape.c[axis];
          }
          double sum = 0; // multiples of 2^-12: exact
          for (int64_t j = 0; j < k; ++j)
            sum += matrixElement(a, batch, row, j, transposeA) *
                   matrixElement(b, batch, j, column, transposeB);
          return sum;
        });
      }
}

void testIntegerMatmul() {
  Random random(4);
  Tensor a(AIK_I8, {3, 40}, 1), b(AIK_U8, {40, 5}, 2), c(AIK_I32, {3, 5}, 1);
  for (int64_t i = 0; i < a.count(); ++i)
    a.set(i, (double)random.below(256) - 128);
  for (int64_t i = 0; i < b.count(); ++i)
    b.set(i, (double)random.below(128));
  aik_tensor operands[] = {a.view, b.view};
  double params[] = {0, 0};
  aikb_aik_ref_matmul(operands, &c.view, params);
  compare("integer matmul", c, 0, [&](int64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < 40; ++k)
      sum += a.at({i / 5, k}) * b.at({k, i % 5});
    return sum;
  });
}

void testLinear() {
  Random random(5);
  double (*const activations[])(double) = {identity, relu, gelu, geluTanh,
                                           silu};
  for (int kind = 0; kind < 5; ++kind)
    for (const Dims &leading : {Dims{}, Dims{3}, Dims{2, 4}, Dims{0, 2}})
      for (int flags = 0; flags < 4; ++flags) {
        bool transpose = flags & 1, hasBias = flags & 2;
        int64_t k = 19, n = kind == 1 ? 300 : 6;
        Dims xDims = leading, yDims = leading;
        xDims.push_back(k);
        yDims.push_back(n);
        uint32_t dtype = floatTypes[flags % 3];
        Tensor x(dtype, xDims, flags), y(dtype, yDims, 1);
        Tensor w(dtype, transpose ? Dims{n, k} : Dims{k, n}, kind % 2);
        Tensor bias(dtype, {n}, 1);
        x.randomize(random);
        w.randomize(random, 0.5);
        bias.randomize(random);
        aik_tensor operands[] = {x.view, w.view,
                                 hasBias ? bias.view : Tensor::absent()};
        double params[] = {(double)kind, (double)transpose};
        aikb_aik_ref_linear(operands, &y.view, params);
        compare("linear", y, tolerance, [&](int64_t i) {
          double sum = hasBias ? bias.get(i % n) : 0;
          for (int64_t j = 0; j < k; ++j)
            sum += x.get(i / n * k + j) *
                   (transpose ? w.at({i % n, j}) : w.at({j, i % n}));
          return activations[kind](sum);
        });
      }
}

void testNorms() {
  Random random(6);
  const double eps = 1e-5;
  for (uint32_t dtype : floatTypes)
    for (const Dims &dims : {Dims{5}, Dims{3, 300}, Dims{2, 3, 7}, Dims{2, 0},
                             Dims{0, 4}, Dims{1, 1}})
      for (int scramble = 0; scramble < 3; ++scramble) {
        int64_t n = dims.back();
        Tensor x(dtype, dims, scramble), y(dtype, dims, 2 - scramble);
        Tensor gamma(dtype, {n}, 1), beta(dtype, {n}, 0);
        x.randomize(random);
        gamma.randomize(random);
        beta.randomize(random);
        aik_tensor operands[] = {x.view, gamma.view, beta.view};
        auto mean = [&](int64_t row, double shift, int power) {
          double sum = 0;
          for (int64_t j = 0; j < n; ++j)
            sum += std::pow(x.get(row * n + j) - shift, power);
          return sum / (double)n;
        };
        aikb_aik_ref_rms_norm(operands, &y.view, &eps);
        compare("rms_norm", y, tolerance, [&](int64_t i) {
          return gamma.get(i % n) * x.get(i) /
                 std::sqrt(mean(i / n, 0, 2) + eps);
        });
        aikb_aik_ref_layer_norm(operands, &y.view, &eps);
        compare("layer_norm", y, tolerance, [&](int64_t i) {
          double center = mean(i / n, 0, 1);
          return gamma.get(i % n) * (x.get(i) - center) /
                     std::sqrt(mean(i / n, center, 2) + eps) +
                 beta.get(i % n);
        });
        aikb_aik_ref_l2_norm(operands, &y.view, &eps);
        compare("l2_norm", y, tolerance, [&](int64_t i) {
          double norm = std::sqrt(mean(i / n, 0, 2) * (double)n);
          return x.get(i) / std::fmax(norm, eps);
        });
      }
  // The l2 norm of zeros is zeros; a NaN makes its row NaN.
  Tensor x(AIK_F32, {2, 2}), y(AIK_F32, {2, 2}, 1);
  for (int64_t i = 0; i < 4; ++i)
    x.set(i, i == 3 ? NAN : 0);
  aikb_aik_ref_l2_norm(&x.view, &y.view, &eps);
  compare("l2_norm of zeros", y, 0,
          [](int64_t i) { return i < 2 ? 0.0 : NAN; });
}

void testSoftmax() {
  Random random(7);
  for (uint32_t dtype : floatTypes)
    for (const Dims &dims : {Dims{5}, Dims{3, 300}, Dims{4, 3, 7}, Dims{2, 0}})
      for (size_t axis = 0; axis < dims.size(); ++axis)
        for (int scramble = 0; scramble < 3; ++scramble) {
          Tensor x(dtype, dims, scramble), y(dtype, dims, 2 - scramble);
          x.randomize(random, 40);
          int64_t inner = 1;
          for (size_t i = axis + 1; i < dims.size(); ++i)
            inner *= dims[i];
          int64_t n = dims[axis];
          auto element = [&](int64_t i, int64_t j) {
            int64_t first = i - i / inner % n * inner;
            return x.get(first + j * inner);
          };
          // One row of -inf, which gives zeros, and -inf in another.
          for (int64_t j = 0; j < (x.count() ? n : 0); ++j)
            x.set(j * inner, -INFINITY);
          if (x.count() > n * inner)
            x.set(n * inner, -INFINITY);
          double param = (double)axis;
          aikb_aik_ref_softmax(&x.view, &y.view, &param);
          compare("softmax", y, tolerance, [&](int64_t i) {
            double most = -INFINITY, sum = 0;
            for (int64_t j = 0; j < n; ++j)
              most = std::fmax(most, element(i, j));
            if (most == -INFINITY)
              return 0.0;
            for (int64_t j = 0; j < n; ++j)
              sum += std::exp(element(i, j) - most);
            return std::exp(x.get(i) - most) / sum;
          });
        }
  Tensor x(AIK_F32, {3, 2}), y(AIK_F32, {3, 2});
  double values[] = {NAN, 1, INFINITY, 0, NAN, -INFINITY};
  for (int64_t i = 0; i < 6; ++i)
    x.set(i, values[i]);
  double axis = 1;
  aikb_aik_ref_softmax(&x.view, &y.view, &axis);
  // inf - inf is NaN, and so is the sum that everything is divided by.
  compare("softmax of NaN and inf", y, 0, [](int64_t) { return NAN; });
}

} // namespace

int main() {
  testUnary("relu", aikb_aik_ref_relu, relu);
  testUnary("silu", aikb_aik_ref_silu, silu);
  testUnary("sigmoid", aikb_aik_ref_sigmoid, sigmoid);
  testUnary("tanh", aikb_aik_ref_tanh, std::tanh);
  testUnary("gelu", aikb_aik_ref_gelu, gelu, 0);
  testUnary("gelu tanh", aikb_aik_ref_gelu, geluTanh, 1);
  testGated("swiglu", aikb_aik_ref_swiglu, silu);
  testGated("geglu", aikb_aik_ref_geglu, gelu, 0);
  testGated("geglu tanh", aikb_aik_ref_geglu, geluTanh, 1);
  testMatmul();
  testIntegerMatmul();
  testLinear();
  testNorms();
  testSoftmax();
  return summary();
}
