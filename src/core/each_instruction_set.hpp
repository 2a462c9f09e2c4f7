// SPDX-License-Identifier: MIT
// Includes the file CISOLVE_KERNELS once for each InstructionSet. There CISOLVE_SET is a namespace of that name,
// CISOLVE_VECTOR_BYTES the size of its vectors, and CISOLVE_TARGET stands before every function that is to be compiled for it.
// Functions from elsewhere are so where the compiler puts them in line, lambdas never: kernels keep to loops over plain arrays.
//   #define CISOLVE_KERNELS "room/some_kernels.hpp"
//   #include "core/each_instruction_set.hpp"

#define CISOLVE_SET baseline
#define CISOLVE_VECTOR_BYTES 16
#define CISOLVE_TARGET
#include CISOLVE_KERNELS
#undef CISOLVE_SET

// Elsewhere the same again: no processor is said to have these.
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
#define CISOLVE_TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]]
#endif
#define CISOLVE_SET avx512
#include CISOLVE_KERNELS
#undef CISOLVE_SET

#undef CISOLVE_VECTOR_BYTES
#undef CISOLVE_TARGET
#undef CISOLVE_KERNELS
