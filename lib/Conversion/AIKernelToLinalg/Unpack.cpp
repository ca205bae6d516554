//===- Unpack.cpp - A tensor of quantized numbers as floats ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: packed bytes [..., bytes] of a format. Out: a generic op that makes the
// scales of blocks, or of their parts, and one whose last loop goes along
// bytes that lie beside each other and are shifted alike, so that targets make
// vectors of it:
//
//   %s = linalg.generic ... [..., blocks, parts]            (tensor.extract)
//   %y = linalg.generic ins(%bytes, %shifts, %s)
//                       outs(... [..., blocks, parts, runs, elements of a run])
//
// Where neighbours share a byte, as in groups of four bits, there are no runs:
// each element is read where it is.
//
//===----------------------------------------------------------------------===//

#include "Unpack.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

#include <numeric>

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

namespace {

/// Shorter runs are not worth their loops.
constexpr unsigned kShortestRun = 8;

unsigned partSizeOf(const QuantFormat &format) {
  return format.subBlockSize ? format.subBlockSize : format.blockSize;
}

/// How many elements follow each other in memory and in all shifts that differ
/// by element, wherever a run of them starts.
unsigned runLengthOf(const QuantFormat &format) {
  unsigned length = partSizeOf(format);
  for (const BitPlane &plane : format.codes.planes)
    for (const IndexDigit &digit : plane.digits) {
      if (digit.step == 1 && digit.bytes > 1)
        return 1;
      length = std::gcd(length, digit.step == 1 ? digit.count : digit.step);
    }
  return length;
}

class Unpacking {
public:
  Unpacking(ImplicitLocOpBuilder &b, QuantReader &reader,
            ArrayRef<OpFoldResult> sizes, Type compute)
      : b(b), reader(reader), format(reader.getFormat()), compute(compute),
        rows(sizes.size() - 1), partSize(partSizeOf(format)),
        run(runLengthOf(format)) {
    perPart.assign(sizes.begin(), sizes.end() - 1);
    perPart.push_back(contract::buildScaled(b, b.getLoc(), sizes.back(),
                                            format.blockSize, 1));
    perPart.push_back(b.getIndexAttr(format.blockSize / partSize));
    perElement = perPart;
    perElement.push_back(b.getIndexAttr(partSize / run));
    perElement.push_back(b.getIndexAttr(run));
  }

  Value create(Type element) {
    unsigned loops = rows + 4;
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    auto add = [&](Value input, AffineMap map) {
      inputs.push_back(input);
      maps.push_back(map);
      return inputs.size() - 1;
    };
    Value bytes = splitIntoBlocks();
    SmallVector<Plane> planes;
    for (const BitPlane &plane : format.codes.planes) {
      size_t place = add(bytes, mapOfBytes(plane));
      std::optional<size_t> shift;
      if (std::optional<Value> table = createShifts(plane))
        shift = add(*table, mapFrom(rows + 1, typeOf(*table).getRank()));
      planes.push_back({&plane, place, shift});
    }
    // Groups have their scales and zeros beside them, one for each.
    bool isOperand = format.scale == ScaleKind::Operand;
    size_t scale = isOperand ? add(reader.getScales(), mapFrom(0, rows + 1))
                             : add(createScales(), mapFrom(0, rows + 2));
    std::optional<size_t> minimum, zero;
    if (format.minimumByte)
      minimum = add(createMinimums(), mapFrom(0, rows + 2));
    if (reader.getZeros())
      zero = add(reader.getZeros(), mapFrom(0, rows + 1));

    Value result = createElementwise(
        b, inputs, maps, perElement, element,
        [&](ImplicitLocOpBuilder &b, ValueRange v) -> SmallVector<Value> {
          Value code = buildCode(b, planes, v);
          if (zero) {
            Type wide = b.getI32Type();
            code = arith::SubIOp::create(
                b, arith::ExtSIOp::create(b, wide, code),
                arith::ExtSIOp::create(b, wide, v[*zero]));
          }
          Value value =
              arith::MulFOp::create(b, convertFloat(b, v[scale], compute),
                                    arith::SIToFPOp::create(b, compute, code));
          if (minimum)
            value = arith::AddFOp::create(b, value, v[*minimum]);
          return {convertFloat(b, value, element)};
        });
    SmallVector<ReassociationIndices> groups;
    for (unsigned i = 0; i <= rows; ++i)
      groups.push_back({i});
    for (unsigned i = rows + 1; i < loops; ++i)
      groups.back().push_back(i);
    return tensor::CollapseShapeOp::create(b, result, groups);
  }

private:
  /// What a plane of the codes is among the inputs.
  struct Plane {
    const BitPlane *plane;
    size_t place;
    std::optional<size_t> shift;
  };

  /// [..., bytes] as [..., blocks, bytes of a block].
  Value splitIntoBlocks() {
    Sizes sizes(perPart.begin(), perPart.end() - 1);
    sizes.push_back(b.getIndexAttr(format.blockBytes));
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamicSizes;
    dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
    SmallVector<ReassociationIndices> groups;
    for (unsigned i = 0; i < rows; ++i)
      groups.push_back({i});
    groups.push_back({rows, rows + 1});
    return tensor::ExpandShapeOp::create(
        b, RankedTensorType::get(shape, b.getI8Type()), reader.getPacked(),
        groups, sizes);
  }

  /// Loops from `first` on, `count` of them.
  AffineMap mapFrom(unsigned first, unsigned count) {
    return AffineMap::getMultiDimIdentityMap(rows + 4, b.getContext())
        .getSliceMap(first, count);
  }

  /// Element part * size + run * length + j of the block is in the byte that
  /// the digits name. Those of a run's elements only count j.
  AffineMap mapOfBytes(const BitPlane &plane) {
    AffineExpr start = b.getAffineDimExpr(rows + 1) * partSize +
                       b.getAffineDimExpr(rows + 2) * run;
    AffineExpr byte = b.getAffineConstantExpr(plane.byte);
    for (const IndexDigit &digit : plane.digits) {
      if (digit.bytes == 0)
        continue;
      byte = byte + start.floorDiv(digit.step) % digit.count * digit.bytes;
      if (digit.step == 1)
        byte = byte + b.getAffineDimExpr(rows + 3);
    }
    SmallVector<AffineExpr> exprs;
    for (unsigned i = 0; i <= rows; ++i)
      exprs.push_back(b.getAffineDimExpr(i));
    exprs.push_back(byte);
    return simplifyAffineMap(
        AffineMap::get(rows + 4, 0, exprs, b.getContext()));
  }

  /// By part and run, and by element if these differ; none if all are 0.
  std::optional<Value> createShifts(const BitPlane &plane) {
    SmallVector<int8_t> shifts;
    for (unsigned e = 0; e < format.blockSize; ++e)
      shifts.push_back(plane.bits == 8 ? 0 : plane.shiftOf(e));
    if (llvm::all_of(shifts, [](int8_t shift) { return shift == 0; }))
      return std::nullopt;
    int64_t parts = format.blockSize / partSize, runs = partSize / run;
    SmallVector<int64_t> shape{parts, runs, int64_t(run)};
    bool differs = false;
    for (unsigned e = 0; e < format.blockSize; ++e)
      differs |= shifts[e] != shifts[e / run * run];
    if (!differs) {
      shape.pop_back();
      SmallVector<int8_t> ofRuns;
      for (unsigned e = 0; e < format.blockSize; e += run)
        ofRuns.push_back(shifts[e]);
      shifts = ofRuns;
    }
    auto type = RankedTensorType::get(shape, b.getI8Type());
    return arith::ConstantOp::create(
               b, DenseElementsAttr::get(type, ArrayRef<int8_t>(shifts)))
        .getResult();
  }

  /// A number for each part, made where `build` is told to read.
  Value
  createPerPart(function_ref<Value(ImplicitLocOpBuilder &, Value)> build) {
    return createElementwise(
        b, {}, {}, perPart, compute,
        [&](ImplicitLocOpBuilder &b, ValueRange) -> SmallVector<Value> {
          SmallVector<Value> at;
          for (unsigned i = 0; i < rows + 2; ++i)
            at.push_back(linalg::IndexOp::create(b, i));
          Value part = at.pop_back_val(), block = at.pop_back_val();
          reader.setBlock(at, block);
          Value size = arith::ConstantIndexOp::create(b, partSize);
          return {build(b, arith::MulIOp::create(b, part, size))};
        });
  }

  Value times(ImplicitLocOpBuilder &b, Value factor, Value integer) {
    if (!integer)
      return factor;
    return arith::MulFOp::create(b, factor,
                                 arith::SIToFPOp::create(b, compute, integer));
  }

  Value createScales() {
    return createPerPart([&](ImplicitLocOpBuilder &b, Value element) {
      Value scale = reader.buildScale(b, compute);
      return times(b, scale, reader.buildSubScale(b, element));
    });
  }

  Value createMinimums() {
    return createPerPart([&](ImplicitLocOpBuilder &b, Value element) {
      Value minimum = reader.buildMinimum(b, compute);
      return times(b, minimum, reader.buildSubMinimum(b, element));
    });
  }

  static Value byteConstant(ImplicitLocOpBuilder &b, int64_t value) {
    return arith::ConstantIntOp::create(b, value, 8);
  }

  /// The planes' bits together, in bytes: of these a vector has most.
  Value buildCode(ImplicitLocOpBuilder &b, ArrayRef<Plane> planes,
                  ValueRange v) {
    const PackedField &field = format.codes;
    Value code;
    for (const Plane &each : planes) {
      Value bits = v[each.place];
      if (each.shift)
        bits = arith::ShRUIOp::create(b, bits, v[*each.shift]);
      if (each.plane->bits != 8)
        bits = arith::AndIOp::create(
            b, bits, byteConstant(b, (1 << each.plane->bits) - 1));
      if (each.plane->position != 0)
        bits = arith::ShLIOp::create(b, bits,
                                     byteConstant(b, each.plane->position));
      code = code ? arith::OrIOp::create(b, code, bits).getResult() : bits;
    }
    if (field.isSigned && field.getWidth() != 8) {
      Value unused = byteConstant(b, 8 - field.getWidth());
      code = arith::ShLIOp::create(b, code, unused);
      code = arith::ShRSIOp::create(b, code, unused);
    }
    if (field.offset != 0)
      code = arith::SubIOp::create(b, code, byteConstant(b, field.offset));
    return format.values.empty() ? code : buildValue(b, code);
  }

  /// What the code stands for: a choice for each of its bits, since vectors
  /// cannot read at computed indices.
  Value buildValue(ImplicitLocOpBuilder &b, Value code) {
    SmallVector<Value> values;
    for (int8_t value : format.values)
      values.push_back(byteConstant(b, value));
    for (unsigned bit = 0; values.size() > 1; ++bit) {
      Value masked =
          arith::AndIOp::create(b, code, byteConstant(b, int64_t(1) << bit));
      Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked,
                                          byteConstant(b, 0));
      SmallVector<Value> chosen;
      for (size_t i = 0; i < values.size(); i += 2)
        chosen.push_back(
            arith::SelectOp::create(b, isSet, values[i + 1], values[i]));
      values = chosen;
    }
    return values[0];
  }

  ImplicitLocOpBuilder &b;
  QuantReader &reader;
  const QuantFormat &format;
  Type compute;
  unsigned rows, partSize, run;
  Sizes perPart, perElement;
};

} // namespace

Value tolinalg::createUnpacked(ImplicitLocOpBuilder &b, QuantReader &reader,
                               ArrayRef<OpFoldResult> sizes, Type compute,
                               Type element) {
  if (runLengthOf(reader.getFormat()) >= kShortestRun)
    return Unpacking(b, reader, sizes, compute).create(element);
  return createElementwise(
      b, {}, {}, sizes, element,
      [&](ImplicitLocOpBuilder &b, ValueRange) -> SmallVector<Value> {
        SmallVector<Value> row;
        for (unsigned dim = 0; dim != sizes.size(); ++dim)
          row.push_back(linalg::IndexOp::create(b, dim));
        Value k = row.pop_back_val();
        Value value = reader.buildElement(b, row, k, compute);
        return {convertFloat(b, value, element)};
      });
}
