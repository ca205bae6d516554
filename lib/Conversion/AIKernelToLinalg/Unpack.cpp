//===- Unpack.cpp - A tensor of quantized numbers as floats ---------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: packed bytes [..., bytes] of a format. Out: a generic op whose last loop
// goes along bytes that lie beside each other and are shifted alike, so that
// targets make vectors of it; before it, where parts of a block have scales of
// their own, one that makes these. The loops of a block are the digits by which
// the format finds a number:
//
//   %s = linalg.generic ... [..., blocks, parts]            (tensor.extract)
//   %y = linalg.generic ins(%bytes, %shifts, %s)
//                       outs(... [..., blocks, digits..., run])
//
// Where neighbours share a byte, as in groups of four bits, there are no runs:
// each element is read where it is.
//
//===----------------------------------------------------------------------===//

#include "Unpack.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace aikernel;
using namespace aikernel::tolinalg;

namespace {

/// Shorter runs are not worth their loops.
constexpr unsigned kShortestRun = 8;

/// A loop over elements of a block that are `step` apart.
struct ElementLoop {
  unsigned step, count;
};

/// How many elements have the same scale and minimum.
unsigned partSizeOf(const QuantFormat &format) {
  return format.subBlockSize ? format.subBlockSize : format.blockSize;
}

/// The loops of a block, outermost first, such that each digit of its codes is
/// a sum of multiples of loops; none if there is no such choice.
SmallVector<ElementLoop> loopsOfBlock(const QuantFormat &format) {
  SmallVector<unsigned> steps = {1, partSizeOf(format), format.blockSize};
  for (const BitPlane &plane : format.codes.planes)
    for (const IndexDigit &digit : plane.digits)
      steps.append(
          {digit.step, std::min(digit.step * digit.count, format.blockSize)});
  llvm::sort(steps);
  steps.erase(llvm::unique(steps), steps.end());
  SmallVector<ElementLoop> loops;
  for (auto [step, next] : llvm::zip(steps, llvm::drop_begin(steps))) {
    if (next % step != 0)
      return {};
    loops.insert(loops.begin(), {step, next / step});
  }
  return loops;
}

class Unpacking {
public:
  Unpacking(ImplicitLocOpBuilder &b, QuantReader &reader,
            ArrayRef<ElementLoop> loops, ArrayRef<OpFoldResult> sizes,
            Type compute)
      : b(b), reader(reader), format(reader.getFormat()), loops(loops),
        compute(compute), rows(sizes.size() - 1), partSize(partSizeOf(format)) {
    // What the result does not know the bytes may.
    auto type = typeOf(reader.getPacked());
    for (unsigned i = 0; i < rows; ++i)
      perBlock.push_back(type.isDynamicDim(i) ? sizes[i]
                                              : OpFoldResult(b.getIndexAttr(
                                                    type.getDimSize(i))));
    perBlock.push_back(type.isDynamicDim(rows)
                           ? contract::buildScaled(b, b.getLoc(), sizes.back(),
                                                   format.blockSize, 1)
                           : OpFoldResult(b.getIndexAttr(type.getDimSize(rows) /
                                                         format.blockBytes)));
  }

  Value create(Type element) {
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
      size_t place = add(createBytes(bytes, plane), mapOfBytes(plane));
      std::optional<size_t> shift;
      if (Value table = createShifts(plane))
        shift = add(table, mapOfLoops(typeOf(table).getRank()));
      planes.push_back({&plane, place, shift});
    }
    // Groups have their scales and zeros beside them, one for each.
    SmallVector<size_t> scale, minimum;
    auto addBytes = [&](SmallVectorImpl<size_t> &places, unsigned byte,
                        unsigned count) {
      for (unsigned i = 0; i < count; ++i)
        places.push_back(add(bytes, mapOfByte(byte + i)));
    };
    if (format.scale == ScaleKind::Operand)
      scale.push_back(add(reader.getScales(), mapOfBlock()));
    else if (hasParts())
      scale.push_back(add(createScales(), mapOfPart()));
    else
      addBytes(scale, format.scaleByte,
               format.scale == ScaleKind::Half ? 2 : 1);
    if (format.minimumByte && hasParts())
      minimum.push_back(add(createMinimums(), mapOfPart()));
    else if (format.minimumByte)
      addBytes(minimum, *format.minimumByte, 2);
    std::optional<size_t> zero;
    if (reader.getZeros())
      zero = add(reader.getZeros(), mapOfBlock());

    Sizes perElement = perBlock;
    for (const ElementLoop &loop : loops)
      perElement.push_back(b.getIndexAttr(loop.count));
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
          auto argumentsAt = [&](ArrayRef<size_t> places) {
            SmallVector<Value> arguments;
            for (size_t place : places)
              arguments.push_back(v[place]);
            return arguments;
          };
          Value value =
              arith::MulFOp::create(b, buildScale(b, argumentsAt(scale)),
                                    arith::SIToFPOp::create(b, compute, code));
          if (!minimum.empty())
            value = arith::AddFOp::create(
                b, value, buildMinimum(b, argumentsAt(minimum)));
          return {convertFloat(b, value, element)};
        });
    SmallVector<ReassociationIndices> groups;
    for (unsigned i = 0; i <= rows; ++i)
      groups.push_back({i});
    for (unsigned i = 0; i < loops.size(); ++i)
      groups.back().push_back(rows + 1 + i);
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
    Sizes sizes = perBlock;
    sizes.push_back(b.getIndexAttr(format.blockBytes));
    SmallVector<int64_t> shape;
    SmallVector<Value> dynamicSizes;
    dispatchIndexOpFoldResults(sizes, dynamicSizes, shape);
    SmallVector<ReassociationIndices> groups;
    for (unsigned i = 0; i < rows; ++i)
      groups.push_back({i});
    groups.push_back({rows, rows + 1});
    auto split = RankedTensorType::get(shape, b.getI8Type());
    shape.pop_back();
    if (!ShapedType::isDynamic(shape.back()))
      shape.back() *= format.blockBytes;
    Value bytes = castTo(b, reader.getPacked(),
                         RankedTensorType::get(shape, b.getI8Type()));
    return tensor::ExpandShapeOp::create(b, split, bytes, groups, sizes);
  }

  /// The bytes of each block that the plane is in: tiles of loops begin at 0.
  Value createBytes(Value blocks, const BitPlane &plane) {
    unsigned last = 0;
    for (unsigned e = 0; e < format.blockSize; ++e)
      last = std::max(last, plane.byteOf(e));
    Sizes offsets(rows + 2, b.getIndexAttr(0)),
        strides(rows + 2, b.getIndexAttr(1)), sizes = perBlock;
    offsets.back() = b.getIndexAttr(plane.byte);
    sizes.push_back(b.getIndexAttr(last - plane.byte + 1));
    return tensor::ExtractSliceOp::create(b, blocks, offsets, sizes, strides);
  }

  AffineExpr loopAt(unsigned i) { return b.getAffineDimExpr(rows + 1 + i); }

  AffineMap mapWith(ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(rows + 1 + loops.size(), 0, exprs, b.getContext());
  }

  SmallVector<AffineExpr> exprsOfBlock() {
    SmallVector<AffineExpr> exprs;
    for (unsigned i = 0; i <= rows; ++i)
      exprs.push_back(b.getAffineDimExpr(i));
    return exprs;
  }

  AffineMap mapOfBlock() { return mapWith(exprsOfBlock()); }

  AffineMap mapOfByte(unsigned byte) {
    SmallVector<AffineExpr> exprs = exprsOfBlock();
    exprs.push_back(b.getAffineConstantExpr(byte));
    return mapWith(exprs);
  }

  /// Have parts of a block scales of their own? Those take long to put
  /// together, and are made before.
  bool hasParts() const { return partSize != format.blockSize; }

  AffineMap mapOfPart() {
    SmallVector<AffineExpr> exprs = exprsOfBlock();
    AffineExpr part = b.getAffineConstantExpr(0);
    for (auto [i, loop] : llvm::enumerate(loops))
      if (loop.step >= partSize)
        part = part + loopAt(i) * (loop.step / partSize);
    exprs.push_back(part);
    return mapWith(exprs);
  }

  /// The first `count` loops of the block.
  AffineMap mapOfLoops(unsigned count) {
    SmallVector<AffineExpr> exprs;
    for (unsigned i = 0; i < count; ++i)
      exprs.push_back(loopAt(i));
    return mapWith(exprs);
  }

  AffineMap mapOfBytes(const BitPlane &plane) {
    SmallVector<AffineExpr> exprs = exprsOfBlock();
    AffineExpr byte = b.getAffineConstantExpr(0);
    for (const IndexDigit &digit : plane.digits)
      for (auto [i, loop] : llvm::enumerate(loops))
        if (digit.bytes != 0 && loop.step >= digit.step &&
            loop.step < digit.step * digit.count)
          byte = byte + loopAt(i) * (loop.step / digit.step * digit.bytes);
    exprs.push_back(byte);
    return mapWith(exprs);
  }

  /// By loop, without that of the run unless its elements differ; null if all
  /// are 0.
  Value createShifts(const BitPlane &plane) {
    SmallVector<int8_t> shifts;
    for (unsigned e = 0; e < format.blockSize; ++e)
      shifts.push_back(plane.bits == 8 ? 0 : plane.shiftOf(e));
    if (llvm::all_of(shifts, [](int8_t shift) { return shift == 0; }))
      return {};
    SmallVector<int64_t> shape;
    for (const ElementLoop &loop : loops)
      shape.push_back(loop.count);
    unsigned run = loops.back().count;
    bool isSame = true;
    for (unsigned e = 0; e < format.blockSize; ++e)
      isSame &= shifts[e] == shifts[e / run * run];
    if (isSame) {
      shape.pop_back();
      SmallVector<int8_t> ofRuns;
      for (unsigned e = 0; e < format.blockSize; e += run)
        ofRuns.push_back(shifts[e]);
      shifts = ofRuns;
    }
    auto type = RankedTensorType::get(shape, b.getI8Type());
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, ArrayRef<int8_t>(shifts)));
  }

  /// A number for each part, made where `build` is told to read.
  Value
  createPerPart(function_ref<Value(ImplicitLocOpBuilder &, Value)> build) {
    Sizes sizes = perBlock;
    sizes.push_back(b.getIndexAttr(format.blockSize / partSize));
    return createElementwise(
        b, {}, {}, sizes, compute,
        [&](ImplicitLocOpBuilder &b, ValueRange) -> SmallVector<Value> {
          SmallVector<Value> at;
          for (unsigned i = 0; i <= rows; ++i)
            at.push_back(linalg::IndexOp::create(b, i));
          Value block = at.pop_back_val();
          reader.setBlock(at, block);
          Value part = linalg::IndexOp::create(b, rows + 1);
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

  /// Of a number that was made before, or of the bytes that it is stored in.
  Value buildScale(ImplicitLocOpBuilder &b, ArrayRef<Value> stored) {
    if (format.scale == ScaleKind::Operand || hasParts())
      return convertFloat(b, stored[0], compute);
    return reader.buildScaleOfBytes(b, stored, compute);
  }

  Value buildMinimum(ImplicitLocOpBuilder &b, ArrayRef<Value> stored) {
    return hasParts() ? stored[0]
                      : reader.buildMinimumOfBytes(b, stored, compute);
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
  ArrayRef<ElementLoop> loops;
  Type compute;
  unsigned rows, partSize;
  Sizes perBlock;
};

} // namespace

Value tolinalg::createUnpacked(ImplicitLocOpBuilder &b, QuantReader &reader,
                               ArrayRef<OpFoldResult> sizes, Type compute,
                               Type element) {
  SmallVector<ElementLoop> loops = loopsOfBlock(reader.getFormat());
  bool hasNothing =
      llvm::is_contained(typeOf(reader.getPacked()).getShape(), 0) ||
      llvm::any_of(sizes,
                   [](OpFoldResult size) { return isZeroInteger(size); });
  if (!loops.empty() && loops.back().count >= kShortestRun && !hasNothing)
    return Unpacking(b, reader, loops, sizes, compute).create(element);
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
