//===- QuantReader.h - Scalar code that reads quantized numbers -----------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the description of a format and the tensors of a quantized matrix. Out:
// arithmetic, at the insertion point, that gives the parts of one element. All
// of it follows from the description; there is no case per format.
//
//===----------------------------------------------------------------------===//

#ifndef AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_QUANTREADER_H
#define AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_QUANTREADER_H

#include "AIKernel/Dialect/AIKernel/QuantFields.h"
#include "Common.h"

namespace aikernel::tolinalg {

class QuantReader {
public:
  /// `scales` and `zeros` may be null. Emits the table of values, if the format
  /// has one.
  QuantReader(mlir::ImplicitLocOpBuilder &b, QuantAttr attribute,
              mlir::Value packed, mlir::Value scales, mlir::Value zeros);

  const QuantFormat &getFormat() const { return format; }
  mlir::Value getPacked() const { return packed; }
  mlir::Value getScales() const { return scales; }
  mlir::Value getZeros() const { return zeros; }

  /// The row and block that the functions below read. All are `index`.
  void setBlock(mlir::ValueRange row, mlir::Value block);

  /// The scale and the minimum (null if there is none, negative if it is
  /// subtracted) of the block, in the float type `compute`.
  mlir::Value buildScale(mlir::ImplicitLocOpBuilder &b, mlir::Type compute);
  mlir::Value buildMinimum(mlir::ImplicitLocOpBuilder &b, mlir::Type compute);
  /// The same of the bytes that they are stored in, i8.
  mlir::Value buildScaleOfBytes(mlir::ImplicitLocOpBuilder &b,
                                mlir::ValueRange bytes, mlir::Type compute);
  mlir::Value buildMinimumOfBytes(mlir::ImplicitLocOpBuilder &b,
                                  mlir::ValueRange bytes, mlir::Type compute);
  /// Of element `element` of the block, as i32: its integer, and what its
  /// sub-block multiplies scale and minimum with (null if nothing).
  mlir::Value buildCode(mlir::ImplicitLocOpBuilder &b, mlir::Value element);
  mlir::Value buildSubScale(mlir::ImplicitLocOpBuilder &b, mlir::Value element);
  mlir::Value buildSubMinimum(mlir::ImplicitLocOpBuilder &b,
                              mlir::Value element);

  /// Element `k` of a row as a number of type `compute`.
  mlir::Value buildElement(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange row,
                           mlir::Value k, mlir::Type compute);

private:
  mlir::Value extractByte(mlir::ImplicitLocOpBuilder &b, mlir::Value offset);
  mlir::Value buildByte(mlir::ImplicitLocOpBuilder &b, mlir::Value offset);
  mlir::Value buildField(mlir::ImplicitLocOpBuilder &b,
                         const PackedField &field, mlir::Value index);
  llvm::SmallVector<mlir::Value> extractBytes(mlir::ImplicitLocOpBuilder &b,
                                              unsigned first, unsigned count);
  mlir::Value buildGroupElement(mlir::ImplicitLocOpBuilder &b,
                                mlir::Value tensor);

  QuantFormat format;
  mlir::Value packed, scales, zeros, values;
  llvm::SmallVector<mlir::Value> row;
  mlir::Value block;
};

} // namespace aikernel::tolinalg

#endif // AIKERNEL_LIB_CONVERSION_AIKERNELTOLINALG_QUANTREADER_H
