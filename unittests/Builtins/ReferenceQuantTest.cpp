//===- ReferenceQuantTest.cpp - The reference of the quantized ops --------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the op cases cannot reach, for every format: scattered memory gives what
// dense memory gives, products are those of the unpacked weights, quantizing
// and unpacking comes back near, and int8_matmul against a direct formula.
// (Values are checked bit for bit by test/cases.)
//
//===----------------------------------------------------------------------===//

#include "Declarations.h"
#include "TensorBuilder.h"

#include <string.h>

using namespace harness;

namespace {

struct Format {
  const char *name;
  double kind;
  int64_t block, bytes;
  double error; // about one step, for numbers in [-4, 4]
};
const Format formats[] = {
    {"q4_0", 2, 32, 18, 0.5},     {"q4_1", 3, 32, 20, 0.3},
    {"q5_0", 6, 32, 22, 0.25},    {"q5_1", 7, 32, 24, 0.15},
    {"q8_0", 8, 32, 34, 0.02},    {"q4_k", 12, 256, 144, 0.3},
    {"q5_k", 13, 256, 176, 0.15}, {"q6_k", 14, 256, 210, 0.08},
    {"mxfp4", 39, 32, 17, 0.3},   {"i4", 104, 64, 32, 0.5},
    {"i8", 108, 64, 64, 0.02}};

bool isGrouped(const Format &f) { return f.kind >= 100; }
/// With a scale in f16: q6_k ends with it, and mxfp4 has an exponent.
bool beginsWithHalf(const Format &f) { return f.kind <= 13; }

/// A matrix of 3 rows and 2 blocks in a format, quantized from `x`.
struct Quantized {
  Quantized(const Format &f, int scramble, bool hasZeros)
      : x(AIK_F32, {3, 2 * f.block}, scramble),
        packed(AIK_I8, {3, 2 * f.bytes}, scramble),
        scales(AIK_F32, {3, 2}, scramble), zeros(AIK_I8, {3, 2}, scramble),
        hasScales(isGrouped(f)), hasZeros(hasZeros) {
    params[0] = f.kind;
    params[1] = isGrouped(f) ? (double)f.block : 0;
    Random random(17);
    x.randomize(random, 4);
    aik_tensor results[] = {packed.view, scalesView(), zerosView(),
                            Tensor::absent()};
    aikb_aik_ref_quantize(&x.view, results, params);
    check(packed.paddingIntact() && scales.paddingIntact() &&
              zeros.paddingIntact(),
          "%s: quantize wrote between elements", f.name);
  }

  aik_tensor scalesView() { return hasScales ? scales.view : Tensor::absent(); }
  aik_tensor zerosView() { return hasZeros ? zeros.view : Tensor::absent(); }

  void unpack(Tensor &into) {
    aik_tensor operands[] = {packed.view, scalesView(), zerosView()};
    aikb_aik_ref_dequantize(operands, &into.view, params);
  }

  Tensor x, packed, scales, zeros;
  bool hasScales, hasZeros;
  double params[3] = {0, 0, 0};
};

void testFormat(const Format &f, bool hasZeros) {
  Quantized dense(f, 0, hasZeros);
  Tensor unpacked(AIK_F64, {3, 2 * f.block});
  dense.unpack(unpacked);
  compare(f.name, unpacked, f.error, [&](int64_t i) { return dense.x.get(i); });

  for (int scramble = 1; scramble < 3; ++scramble) {
    Quantized scattered(f, scramble, hasZeros);
    Tensor again(AIK_F64, {3, 2 * f.block}, scramble);
    scattered.unpack(again);
    compare(f.name, again, 0, [&](int64_t i) { return unpacked.get(i); });
    check(again.paddingIntact(), "%s: dequantize wrote between elements",
          f.name);

    Random random(5);
    Tensor left(AIK_F32, {2, 2 * f.block}, scramble), y(AIK_F64, {2, 3});
    left.randomize(random);
    aik_tensor operands[] = {left.view, scattered.packed.view,
                             scattered.scalesView(), scattered.zerosView()};
    aikb_aik_ref_quant_matmul(operands, &y.view, scattered.params);
    auto product = [&](int64_t i) {
      double sum = 0;
      for (int64_t k = 0; k < 2 * f.block; ++k)
        sum += left.at({i / 3, k}) * unpacked.at({i % 3, k});
      return sum;
    };
    compare(f.name, y, 1e-12, product);
    // 8-bit activations: within half a step of each.
    scattered.params[2] = 1;
    aikb_aik_ref_quant_matmul(operands, &y.view, scattered.params);
    compare(f.name, y, 0.1, product);
  }
}

/// Whatever the NaN among the numbers is, or becomes when it is divided.
void testNaNScale(const Format &f) {
  Tensor x(AIK_F32, {1, f.block}), packed(AIK_I8, {1, f.bytes});
  for (uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7fffffffu, 0xff812345u}) {
    memset(x.view.data, 0, size_t(f.block) * sizeof(float));
    memcpy(x.view.data, &bits, sizeof(bits));
    aik_tensor results[] = {packed.view, Tensor::absent(), Tensor::absent(),
                            Tensor::absent()};
    double params[] = {(double)f.kind, 0, 0};
    aikb_aik_ref_quantize(&x.view, results, params);
    check(packed.get(0) == 0 && packed.get(1) == 0x7e,
          "%s: the scale of NaN %x is %02x%02x", f.name, bits,
          (unsigned)packed.get(1) & 255, (unsigned)packed.get(0) & 255);
  }
}

void testInt8() {
  Random random(9);
  for (int scramble = 0; scramble < 3; ++scramble)
    for (int transposed = 0; transposed < 2; ++transposed) {
      Tensor a(AIK_I8, {4, 7}, scramble);
      Tensor b(AIK_I8, transposed ? Dims{5, 7} : Dims{7, 5}, scramble);
      Tensor sa(AIK_F32, {4}, scramble), sb(AIK_BF16, {1});
      Tensor za(AIK_I8, {1}), zb(AIK_I8, {5}, scramble);
      Tensor y(AIK_F64, {4, 5}, scramble);
      for (Tensor *t : {&a, &b, &za, &zb})
        for (int64_t i = 0; i < t->count(); ++i)
          t->set(i, (double)(random.below(256) - 128));
      sa.randomize(random);
      sb.randomize(random);
      aik_tensor operands[] = {a.view,  b.view,  sa.view,
                               sb.view, za.view, zb.view};
      double params[] = {(double)transposed};
      aikb_aik_ref_int8_matmul(operands, &y.view, params);
      compare("int8_matmul", y, 1e-13, [&](int64_t i) {
        int64_t m = i / 5, n = i % 5;
        double sum = 0;
        for (int64_t k = 0; k < 7; ++k)
          sum += (a.at({m, k}) - za.get(0)) *
                 ((transposed ? b.at({n, k}) : b.at({k, n})) - zb.get(n));
        return sum * sa.get(m) * sb.get(0);
      });
      check(y.paddingIntact(), "int8_matmul wrote between elements");
    }
}

} // namespace

int main() {
  for (const Format &f : formats) {
    testFormat(f, false);
    if (isGrouped(f))
      testFormat(f, true);
    if (beginsWithHalf(f))
      testNaNScale(f);
  }
  testInt8();
  return summary();
}
