//===- calibrate.c - The most that this machine can do --------------------===//
//
// Part of the AIKernel project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: calibrate THREADS MEBIBYTES [serve]
//
// In: how many threads run at once, and how much memory they share out. Out:
// one JSON object with the operations per second of every multiply-add
// instruction that the feature bits allow ("f32:fmla": 8.3e10; a multiply and
// an add count as two), and the bytes per second of reading and of copying
// memory (a copied byte counts twice). Figures are the best of several tries.
//
// With `serve` every line of standard input names an instruction, or is `read`
// or `copy`. That is measured once and written as a line (0 for a name that is
// not known): what the machine can do just now.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

enum { tries = 7, maxThreads = 1024, maxLoops = 16 };

static double secondsOf(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static double seconds(void) { return secondsOf(CLOCK_MONOTONIC); }

/// A loop of independent multiply-adds and what one round of it does.
typedef struct {
  const char *type;        // what the report calls it: f32, bf16, int8 ...
  const char *instruction; // what it is made of
  void (*run)(long rounds);
  double operations; // of one round
  long rounds;       // that take ten milliseconds
} Loop;

static Loop loops[maxLoops];
static int loopCount;

static void add(const char *type, const char *instruction, void (*run)(long),
                double operations) {
  if (loopCount < maxLoops)
    loops[loopCount++] = (Loop){type, instruction, run, operations, 0};
}

#if defined(__aarch64__)

// Twenty-four accumulators hide the latency; the operands stay the same.
#define TIMES_24(I)                                                            \
  I("0")                                                                       \
  I("1")                                                                       \
  I("2")                                                                       \
  I("3")                                                                       \
  I("4") I("5") I("6") I("7") I("8") I("9") I("10") I("11") I("12") I("13")    \
      I("14") I("15") I("16") I("17") I("18") I("19") I("20") I("21") I("22")  \
          I("23")
#define LOOP(NAME, EXTENSION, I)                                               \
  static void NAME(long rounds) {                                              \
    __asm__ volatile(EXTENSION "movi v30.2d, #0\nmovi v31.2d, #0\n" ::         \
                         : "v30", "v31");                                      \
    for (long i = 0; i < rounds; ++i)                                          \
      __asm__ volatile(EXTENSION TIMES_24(I)::                                 \
                           : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7",   \
                             "v8", "v9", "v10", "v11", "v12", "v13", "v14",    \
                             "v15", "v16", "v17", "v18", "v19", "v20", "v21",  \
                             "v22", "v23");                                    \
  }

// What the assembler must know; the feature bits decide what is run.
#define EXTENDED ".arch armv8.2-a+fp16+dotprod+i8mm+bf16\n"
#define FMLA(r) "fmla v" r ".4s, v30.4s, v31.4s\n"
#define FMLA_F16(r) "fmla v" r ".8h, v30.8h, v31.8h\n"
#define SDOT(r) "sdot v" r ".4s, v30.16b, v31.16b\n"
#define SMMLA(r) "smmla v" r ".4s, v30.16b, v31.16b\n"
#define BFDOT(r) "bfdot v" r ".4s, v30.8h, v31.8h\n"
#define BFMMLA(r) "bfmmla v" r ".4s, v30.8h, v31.8h\n"

LOOP(fmla, "", FMLA)
LOOP(fmlaF16, EXTENDED, FMLA_F16)
LOOP(sdot, EXTENDED, SDOT)
LOOP(smmla, EXTENDED, SMMLA)
LOOP(bfdot, EXTENDED, BFDOT)
LOOP(bfmmla, EXTENDED, BFMMLA)

static void findLoops(void) {
  unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);
  add("f32", "fmla", fmla, 24 * 8);
  if (caps & (1ul << 10)) // HWCAP_ASIMDHP
    add("f16", "fmla.8h", fmlaF16, 24 * 16);
  if (caps & (1ul << 20)) // HWCAP_ASIMDDP
    add("int8", "sdot", sdot, 24 * 32);
  if (caps2 & (1ul << 13)) // HWCAP2_I8MM
    add("int8", "smmla", smmla, 24 * 64);
  if (caps2 & (1ul << 14)) { // HWCAP2_BF16
    add("bf16", "bfdot", bfdot, 24 * 16);
    add("bf16", "bfmmla", bfmmla, 24 * 32);
  }
}

static double cycleSeconds(void) {
  const long rounds = 100000; // shorter than a time slice
  uint64_t x = 1;
  double begin = seconds();
  for (long i = 0; i < rounds; ++i)
    __asm__ volatile("add %0, %0, #1\nadd %0, %0, #1\nadd %0, %0, #1\n"
                     "add %0, %0, #1\nadd %0, %0, #1\nadd %0, %0, #1\n"
                     "add %0, %0, #1\nadd %0, %0, #1\n"
                     : "+r"(x));
  return (seconds() - begin) / (8.0 * (double)rounds);
}

#elif defined(__x86_64__)

#define TIMES_14(I)                                                            \
  I("0")                                                                       \
  I("1")                                                                       \
  I("2")                                                                       \
  I("3")                                                                       \
  I("4") I("5") I("6") I("7") I("8") I("9") I("10") I("11") I("12") I("13")
#define LOOP(NAME, CLEAR, I, END)                                              \
  static void NAME(long rounds) {                                              \
    __asm__ volatile(CLEAR ::: "xmm14", "xmm15");                              \
    for (long i = 0; i < rounds; ++i)                                          \
      __asm__ volatile(TIMES_14(I)::                                           \
                           : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",   \
                             "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
                             "xmm12", "xmm13");                                \
    __asm__ volatile(END);                                                     \
  }

#define CLEAR_SSE "xorps %%xmm14, %%xmm14\nxorps %%xmm15, %%xmm15\n"
#define CLEAR_AVX                                                              \
  "vxorps %%ymm14, %%ymm14, %%ymm14\nvxorps %%ymm15, %%ymm15, %%ymm15\n"
#define CLEAR_512                                                              \
  "vpxorq %%zmm14, %%zmm14, %%zmm14\nvpxorq %%zmm15, %%zmm15, %%zmm15\n"
#define SSE(r) "mulps %%xmm14, %%xmm" r "\naddps %%xmm15, %%xmm" r "\n"
#define FMA(r) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" r "\n"
#define FMA_512(r) "vfmadd231ps %%zmm14, %%zmm15, %%zmm" r "\n"
#define VNNI(r) "%{vex%} vpdpbusd %%ymm14, %%ymm15, %%ymm" r "\n"
#define VNNI_512(r) "vpdpbusd %%zmm14, %%zmm15, %%zmm" r "\n"
#define BF16_512(r) "vdpbf16ps %%zmm14, %%zmm15, %%zmm" r "\n"
#define F16_512(r) "vfmadd231ph %%zmm14, %%zmm15, %%zmm" r "\n"

LOOP(sse, CLEAR_SSE, SSE, "")
LOOP(fma256, CLEAR_AVX, FMA, "vzeroupper")
LOOP(fma512, CLEAR_512, FMA_512, "vzeroupper")
LOOP(vnni256, CLEAR_AVX, VNNI, "vzeroupper")
LOOP(vnni512, CLEAR_512, VNNI_512, "vzeroupper")
LOOP(bf16512, CLEAR_512, BF16_512, "vzeroupper")
LOOP(f16512, CLEAR_512, F16_512, "vzeroupper")

/// Two tiles of each side, with numbers in them: for longer than some
/// milliseconds the units are a sixth slower than with zeros (Granite Rapids).
static uint8_t bf16Tiles[4][1024], f16Tiles[4][1024], int8Tiles[4][1024];

static void fillTiles(void) {
  uint32_t state = 1;
  for (size_t i = 0; i < sizeof bf16Tiles; i += 2) {
    state = state * 1664525 + 1013904223;
    uint16_t bits = (uint16_t)(state >> 16);
    memcpy(&int8Tiles[0][0] + i, &bits, 2);
    uint16_t half = (uint16_t)((bits & 0x87ff) + 0x3800);
    memcpy(&f16Tiles[0][0] + i, &half, 2);
    bits = (uint16_t)((bits & 0x80ff) + 0x3f00); // of either sign, 0.5 to 2
    memcpy(&bf16Tiles[0][0] + i, &bits, 2);
  }
}

/// Four 16x16 accumulators, and the operands.
static void setTiles(uint8_t (*tiles)[1024]) {
  struct {
    uint8_t palette, start, zero[14];
    uint16_t bytes[16];
    uint8_t rows[16];
  } __attribute__((packed)) config;
  memset(&config, 0, sizeof config);
  config.palette = 1;
  for (int i = 0; i < 8; ++i)
    config.bytes[i] = 64, config.rows[i] = 16;
  __asm__ volatile("ldtilecfg %0\n"
                   "tilezero %%tmm0\ntilezero %%tmm1\ntilezero %%tmm2\n"
                   "tilezero %%tmm3\n"
                   "tileloadd (%1, %5), %%tmm4\ntileloadd (%2, %5), %%tmm5\n"
                   "tileloadd (%3, %5), %%tmm6\ntileloadd (%4, %5), %%tmm7\n"
                   :
                   : "m"(config), "r"(tiles[0]), "r"(tiles[1]), "r"(tiles[2]),
                     "r"(tiles[3]), "r"(64l)
                   : "memory");
}
#define TILE_LOOP(NAME, TILES, FOUR)                                           \
  static void NAME(long rounds) {                                              \
    setTiles(TILES);                                                           \
    for (long i = 0; i < rounds; ++i)                                          \
      __asm__ volatile(FOUR);                                                  \
    __asm__ volatile("tilerelease");                                           \
  }
#define FOUR_TILES(I)                                                          \
  I " %tmm6, %tmm4, %tmm0\n" I " %tmm7, %tmm4, %tmm1\n" I                      \
    " %tmm6, %tmm5, %tmm2\n" I " %tmm7, %tmm5, %tmm3\n"
TILE_LOOP(tileBf16, bf16Tiles, FOUR_TILES("tdpbf16ps"))
TILE_LOOP(tileInt8, int8Tiles, FOUR_TILES("tdpbssd"))
/// The same of tdpfp16ps, which assemblers before 2023 do not know.
TILE_LOOP(tileF16, f16Tiles,
          ".byte 0xc4, 0xe2, 0x4b, 0x5c, 0xc4, 0xc4, 0xe2, 0x43, 0x5c, 0xcc\n"
          ".byte 0xc4, 0xe2, 0x4b, 0x5c, 0xd5, 0xc4, 0xe2, 0x43, 0x5c, 0xdd\n")

/// AMX must be asked for, per process.
static int tilesAllowed(void) {
  return !syscall(SYS_arch_prctl, 0x1023 /* ARCH_REQ_XCOMP_PERM */, 18);
}

static void findLoops(void) {
  unsigned a, b, c = 0, d, b7 = 0, c7 = 0, d7 = 0, a71 = 0, x, y, z;
  add("f32", "mulps+addps", sse, 14 * 8);
  __get_cpuid(1, &a, &b, &c, &d);
  if (!(c & bit_OSXSAVE))
    return;
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  int avx = (low & 6) == 6, avx512 = (low & 0xe6) == 0xe6,
      amx = (low & 0x60000) == 0x60000;
  if (!__get_cpuid_count(7, 0, &a, &b7, &c7, &d7))
    return;
  __get_cpuid_count(7, 1, &a71, &x, &y, &z);
  if (avx && (c & bit_FMA))
    add("f32", "vfmadd.ymm", fma256, 14 * 16);
  if (avx && (a71 & (1u << 4)))
    add("int8", "vpdpbusd.ymm", vnni256, 14 * 64);
  if (avx512 && (b7 & (1u << 16))) {
    add("f32", "vfmadd.zmm", fma512, 14 * 32);
    if (c7 & (1u << 11))
      add("int8", "vpdpbusd.zmm", vnni512, 14 * 128);
    if (a71 & (1u << 5))
      add("bf16", "vdpbf16ps.zmm", bf16512, 14 * 64);
    if (d7 & (1u << 23))
      add("f16", "vfmadd.ph.zmm", f16512, 14 * 64);
  }
  if (amx && tilesAllowed()) {
    fillTiles();
    if (d7 & (1u << 22))
      add("bf16", "tdpbf16ps", tileBf16, 4 * 16384);
    if (a71 & (1u << 21))
      add("f16", "tdpfp16ps", tileF16, 4 * 16384);
    // A product of f32 is six of bf16, where it is multiplied so.
    if (d7 & (1u << 22))
      add("f32", "tdpbf16ps.f32", tileBf16, 4 * 16384 / 6.0);
    if (d7 & (1u << 25))
      add("int8", "tdpbssd", tileInt8, 4 * 32768);
  }
}

// A product takes three cycles; sums with a constant are done by renaming on
// newer cores, several in a cycle.
static double cycleSeconds(void) {
  const long rounds = 100000; // shorter than a time slice
  uint64_t x = 1;
  double begin = seconds();
  for (long i = 0; i < rounds; ++i)
    __asm__ volatile("imul %0, %0\nimul %0, %0\nimul %0, %0\nimul %0, %0\n"
                     "imul %0, %0\nimul %0, %0\nimul %0, %0\nimul %0, %0\n"
                     : "+r"(x));
  return (seconds() - begin) / (8.0 * 3 * (double)rounds);
}

#else
#error "only x86-64 and AArch64 are known"
#endif

//===----------------------------------------------------------------------===//
// Threads that start together
//===----------------------------------------------------------------------===//

typedef struct {
  int index;
  void (*work)(int index);
  double end;
} Task;

static int threadCount;
static pthread_barrier_t together;

static void *runTask(void *argument) {
  Task *task = argument;
  pthread_barrier_wait(&together);
  task->work(task->index);
  task->end = seconds();
  return NULL;
}

/// Seconds from the common start to the last thread's end; those of its CPU
/// time if there is but one, as worker.py counts them.
static double timeTogether(void (*work)(int)) {
  static Task tasks[maxThreads];
  static pthread_t threads[maxThreads];
  if (threadCount == 1) {
    double begin = secondsOf(CLOCK_THREAD_CPUTIME_ID);
    work(0);
    return secondsOf(CLOCK_THREAD_CPUTIME_ID) - begin;
  }
  pthread_barrier_init(&together, NULL, (unsigned)threadCount);
  for (int i = 0; i < threadCount; ++i)
    tasks[i] = (Task){i, work, 0};
  for (int i = 1; i < threadCount; ++i)
    if (pthread_create(&threads[i], NULL, runTask, &tasks[i])) {
      fprintf(stderr, "calibrate: a thread cannot be started\n");
      exit(1);
    }
  pthread_barrier_wait(&together);
  double begin = seconds();
  tasks[0].work(0);
  double end = seconds();
  for (int i = 1; i < threadCount; ++i) {
    pthread_join(threads[i], NULL);
    end = tasks[i].end > end ? tasks[i].end : end;
  }
  pthread_barrier_destroy(&together);
  return end - begin;
}

static double bestTime(void (*work)(int)) {
  double best = 1e30;
  for (int i = 0; i < tries; ++i) {
    double time = timeTogether(work);
    best = time < best ? time : best;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// What is measured
//===----------------------------------------------------------------------===//

static const Loop *currentLoop;
static void runLoop(int index) {
  (void)index;
  currentLoop->run(currentLoop->rounds);
}

static double operationsPerSecond(Loop *loop, double (*clock)(void (*)(int))) {
  if (!loop->rounds) {
    double begin;
    loop->rounds = 1000;
    do { // until it takes ten milliseconds
      loop->rounds *= 2;
      begin = seconds();
      loop->run(loop->rounds);
    } while (seconds() - begin < 0.01);
  }
  currentLoop = loop;
  return loop->operations * (double)loop->rounds * threadCount / clock(runLoop);
}

static uint8_t *memory;
static size_t slice; // bytes of one thread

static void touchSlice(int index) {
  memset(memory + (size_t)index * slice, 1, slice);
}

/// A slice is read from so many places at once: what one core can ask for ahead
/// is more in several streams on some machines, in one on others.
static size_t streams = 1;

static void readSlice(int index) {
  typedef uint64_t Lanes __attribute__((vector_size(16)));
  const uint8_t *start = memory + (size_t)index * slice;
  size_t part = slice / streams / 128 * 128;
  Lanes s0 = {0}, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (size_t i = 0; i < part; i += 128)
    for (size_t stream = 0; stream < streams; ++stream) {
      const Lanes *at = (const Lanes *)(start + stream * part + i);
      s0 += at[0], s1 += at[1], s2 += at[2], s3 += at[3];
      s4 += at[4], s5 += at[5], s6 += at[6], s7 += at[7];
    }
  s0 += s1 + s2 + s3 + s4 + s5 + s6 + s7;
  __asm__ volatile("" : : "r"(&s0) : "memory");
}

/// Half of the slice onto the other half: every byte is read or written once.
static void copySlice(int index) {
  uint8_t *at = memory + (size_t)index * slice;
  memcpy(at + slice / 2, at, slice / 2);
  __asm__ volatile("" : : "r"(at) : "memory");
}

/// Ends the program when there is none.
static void allocateMemory(long mebibytes) {
  slice = ((size_t)mebibytes << 20) / (size_t)threadCount / 4096 * 4096;
  memory = slice ? aligned_alloc(4096, slice * (size_t)threadCount) : NULL;
  if (!memory) {
    fprintf(stderr, "calibrate: there is no memory to measure\n");
    exit(1);
  }
  timeTogether(touchSlice); // each thread's pages lie near it
  double best = 1e30;
  size_t quicker = 1;
  for (int i = 0; i < 4; ++i) {
    streams = i % 2 ? 8 : 1;
    double time = timeTogether(readSlice);
    if (time < best)
      best = time, quicker = streams;
  }
  streams = quicker;
}

static double bytesPerSecond(void (*work)(int),
                             double (*clock)(void (*)(int))) {
  return (double)slice * (double)threadCount / clock(work);
}

static void writeAll(long mebibytes) {
  double cycle = 1;
  for (int i = 0; i < tries; ++i) {
    double time = cycleSeconds();
    cycle = time < cycle ? time : cycle;
  }
  printf("{\"threads\": %d, \"clock_hz\": %.6g", threadCount, 1 / cycle);
  for (int i = 0; i < loopCount; ++i) {
    double rate = operationsPerSecond(&loops[i], bestTime);
    printf(", \"%s:%s\": %.6g", loops[i].type, loops[i].instruction, rate);
  }
  allocateMemory(mebibytes);
  printf(", \"read\": %.6g", bytesPerSecond(readSlice, bestTime));
  printf(", \"copy\": %.6g}\n", bytesPerSecond(copySlice, bestTime));
}

static double measureOnce(const char *name, long mebibytes) {
  int isRead = !strcmp(name, "read");
  if (isRead || !strcmp(name, "copy")) {
    if (!memory)
      allocateMemory(mebibytes);
    return bytesPerSecond(isRead ? readSlice : copySlice, timeTogether);
  }
  for (int i = 0; i < loopCount; ++i)
    if (!strcmp(name, loops[i].instruction))
      return operationsPerSecond(&loops[i], timeTogether);
  return 0;
}

static void serve(long mebibytes) {
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    printf("%.6g\n", measureOnce(line, mebibytes));
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  int serves = argc == 4 && !strcmp(argv[3], "serve");
  long threads = argc == 3 || serves ? atol(argv[1]) : 0;
  long mebibytes = argc == 3 || serves ? atol(argv[2]) : 0;
  if (threads < 1 || threads > maxThreads || mebibytes < 1 ||
      mebibytes > (1l << 20)) {
    fprintf(stderr, "usage: calibrate THREADS MEBIBYTES [serve]\n");
    return 2;
  }
  threadCount = (int)threads;
  findLoops();
  if (serves)
    serve(mebibytes);
  else
    writeAll(mebibytes);
  free(memory);
  return 0;
}
