//===- Guard.h - Watching the buffers of one call -------------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// While a GuardScope lives, an access past the end of one of its guarded
// buffers ends the program with a sentence that names function and buffer;
// after the call, check() says whether bytes before a buffer or a read-only
// input were overwritten.
//
//===----------------------------------------------------------------------===//

#ifndef AIK_RUN_GUARD_H
#define AIK_RUN_GUARD_H

#include "Buffer.h"

#include <string>
#include <vector>

namespace aikrun {

class GuardScope {
public:
  /// `label` opens every sentence: the function, and the case in a batch.
  explicit GuardScope(std::string label);
  ~GuardScope();
  GuardScope(const GuardScope &) = delete;
  GuardScope &operator=(const GuardScope &) = delete;

  /// The buffer must outlive the scope.
  void watch(const std::string &name, const Buffer &buffer, bool readOnly);

  Error check() const;

  /// For the signal handler: the sentence for a fault at `address`, or null.
  const std::string *sentenceFor(const void *address) const;

private:
  struct Watched {
    std::string name;
    const Buffer *buffer;
    bool readOnly;
    uint64_t hash;
    std::string sentence; // made beforehand: a handler must not allocate
  };
  std::string label;
  std::vector<Watched> buffers;
};

} // namespace aikrun

#endif // AIK_RUN_GUARD_H
