// SPDX-License-Identifier: MIT
// Includes the file CISOLVE_KERNELS once for each InstructionSet. There CISOLVE_SET is a namespace of that name,
// CISOLVE_VECTOR_BYTES the size of its vectors, and CISOLVE_TARGET stands before every function that is to be compiled for it.
// A function from elsewhere is so only where it is put in line, the body of a lambda never: kernels keep to loops over arrays.
//   #define CISOLVE_KERNELS "room/some_kernels.hpp"
//   #include "core/each_instruction_set.hpp"

#define CISOLVE_SET baseline
#define CISOLVE_VECTOR_BYTES 16
#define CISOLVE_TARGET
#include CISOLVE_KERNELS
#undef CISOLVE_SET

// On other architectures all three are the baseline; instruction_set() names no other there.
#ifdef __x86_64__
#undef CISOLVE_VECTOR_BYTES
#undef CISOLVE_TARGET
#define CISOLVE_VECTOR_BYTES 32
#define CISOLVE_TARGET [[gnu::target("avx2,fma")]]
#endif
#define CISOLVE_SET avx2
#include CISOLVE_KERNELS
#undef CISOLVE_SET

#ifdef __x86_64__
#undef CISOLVE_VECTOR_BYTES
#undef CISOLVE_TARGET
#define CISOLVE_VECTOR_BYTES 64
#define CISOLVE_AVX512 gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")
#ifdef __clang__  // it halves vectors where a processor prefers 256 bits
#define CISOLVE_TARGET [[CISOLVE_AVX512, clang::min_vector_width(512)]]
#else
#define CISOLVE_TARGET [[CISOLVE_AVX512]]
#endif
#endif
#define CISOLVE_SET avx512
#include CISOLVE_KERNELS
#undef CISOLVE_SET

#undef CISOLVE_VECTOR_BYTES
#undef CISOLVE_TARGET
#undef CISOLVE_AVX512
#undef CISOLVE_KERNELS
