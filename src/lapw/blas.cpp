// SPDX-License-Identifier: MIT
#include "lapw/blas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/error.hpp"
#include "core/instruction_set.hpp"
#include "core/serial_blas.hpp"
#include "core/stopwatch.hpp"

// The Fortran interface; lengths of texts, which compilers pass behind the rest, are not read for texts of one letter.
extern "C" {
using Z = std::complex<double>;
void zgemm_(const char*, const char*, const int*, const int*, const int*, const Z*, const Z*, const int*,
            const Z*, const int*, const Z*, Z*, const int*);
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*, const int*,
            const double*, double*, const int*);
void zherk_(const char*, const char*, const int*, const int*, const double*, const Z*, const int*,
            const double*, Z*, const int*);
void zher2k_(const char*, const char*, const int*, const int*, const Z*, const Z*, const int*, const Z*,
             const int*, const double*, Z*, const int*);
void zhemm_(const char*, const char*, const int*, const int*, const Z*, const Z*, const int*, const Z*,
            const int*, const Z*, Z*, const int*);
void ztrmm_(const char*, const char*, const char*, const char*, const int*, const int*, const Z*, const Z*,
            const int*, Z*, const int*);
void ztrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const Z*, const Z*,
            const int*, Z*, const int*);
void zpotrf_(const char*, const int*, Z*, const int*, int*);
void zhegst_(const int*, const char*, const int*, Z*, const int*, const Z*, const int*, int*);
void zheevd_(const char*, const char*, const int*, Z*, const int*, double*, Z*, const int*, double*,
             const int*, int*, const int*, int*);
void zheevr_(const char*, const char*, const char*, const int*, Z*, const int*, const double*, const double*,
             const int*, const int*, const double*, int*, double*, Z*, const int*, int*, Z*, const int*,
             double*, const int*, int*, const int*, int*);
// Of OpenBLAS; absent in others.
__attribute__((weak)) char* openblas_get_corename();
__attribute__((weak)) char* openblas_get_config();
}

namespace cisolve::lapw::blas {
namespace {

int to_int(std::int64_t number) { return static_cast<int>(number); }

void require(int info, const char* routine) {
  if (info != 0) throw Error(fmt::format("{} of LAPACK failed with info = {}", routine, info));
}

/// Work arrays are longer than asked for: level 2 kernels of OpenBLAS 0.3.21 read beyond their ends.
template <class T>
Array<T> work_array(std::int64_t size) {
  constexpr std::int64_t margin = 64;
  return Array<T>(static_cast<std::size_t>(std::max<std::int64_t>(size, 1) + margin));
}

void all_eigenpairs(int n, Complex* a, int lda, double* values, bool vectors) {
  const char job = vectors ? 'V' : 'N', lower = 'L';
  int info = 0, int_size = 0;
  Complex size;
  double real_size = 0.0;
  const int ask = -1;
  zheevd_(&job, &lower, &n, a, &lda, values, &size, &ask, &real_size, &ask, &int_size, &ask, &info);
  require(info, "zheevd");
  const int lwork = static_cast<int>(size.real()), lrwork = static_cast<int>(real_size);
  auto work = work_array<Complex>(lwork);
  auto real_work = work_array<double>(lrwork);
  auto int_work = work_array<int>(int_size);
  zheevd_(&job, &lower, &n, a, &lda, values, work.data(), &lwork, real_work.data(), &lrwork, int_work.data(),
          &int_size, &info);
  require(info, "zheevd");
}

void lowest_eigenpairs(int n, Complex* a, int lda, int count, double* values, Complex* vectors, int ldv) {
  const char job = vectors != nullptr ? 'V' : 'N', range = 'I', lower = 'L';
  const double none = 0.0, tolerance = 0.0;
  const int first = 1, ask = -1;
  int found = 0, info = 0, int_size = 0;
  Complex size, no_vector;
  double real_size = 0.0;
  std::vector<double> all(static_cast<std::size_t>(n));
  std::vector<int> support(2 * static_cast<std::size_t>(count));
  Complex* out = vectors != nullptr ? vectors : &no_vector;
  zheevr_(&job, &range, &lower, &n, a, &lda, &none, &none, &first, &count, &tolerance, &found, all.data(),
          out, &ldv, support.data(), &size, &ask, &real_size, &ask, &int_size, &ask, &info);
  require(info, "zheevr");
  const int lwork = static_cast<int>(size.real()), lrwork = static_cast<int>(real_size);
  auto work = work_array<Complex>(lwork);
  auto real_work = work_array<double>(lrwork);
  auto int_work = work_array<int>(int_size);
  zheevr_(&job, &range, &lower, &n, a, &lda, &none, &none, &first, &count, &tolerance, &found, all.data(),
          out, &ldv, support.data(), work.data(), &lwork, real_work.data(), &lrwork, int_work.data(),
          &int_size, &info);
  require(info, "zheevr");
  if (found != count) throw Error(fmt::format("zheevr of LAPACK found {} of {} eigenvalues", found, count));
  std::copy_n(all.begin(), count, values);
}

}  // namespace

void gemm(Op op_a, Op op_b, std::int64_t m, std::int64_t n, std::int64_t k, Complex alpha, const Complex* a,
          std::int64_t lda, const Complex* b, std::int64_t ldb, Complex beta, Complex* c, std::int64_t ldc) {
  if (m == 0 || n == 0) return;
  const char ta = static_cast<char>(op_a), tb = static_cast<char>(op_b);
  const int im = to_int(m), in = to_int(n), ik = to_int(k), la = to_int(lda), lb = to_int(ldb),
            lc = to_int(ldc);
  zgemm_(&ta, &tb, &im, &in, &ik, &alpha, a, &la, b, &lb, &beta, c, &lc);
}

void herk(std::int64_t n, std::int64_t k, double alpha, const Complex* x, std::int64_t ldx, double beta,
          Complex* c, std::int64_t ldc) {
  if (n == 0 || (k == 0 && beta == 1.0)) return;
  const char lower = 'L', adjoint = 'C';
  const int in = to_int(n), ik = to_int(k), lx = to_int(ldx), lc = to_int(ldc);
  zherk_(&lower, &adjoint, &in, &ik, &alpha, x, &lx, &beta, c, &lc);
}

void gemm(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, std::int64_t lda, const double* b,
          std::int64_t ldb, double* c, std::int64_t ldc) {
  const char transpose = 'T', none = 'N';
  const int im = to_int(m), in = to_int(n), ik = to_int(k), la = to_int(lda), lb = to_int(ldb),
            lc = to_int(ldc);
  const double one = 1.0, zero = 0.0;
  dgemm_(&transpose, &none, &im, &in, &ik, &one, a, &la, b, &lb, &zero, c, &lc);
}

void syrk(std::int64_t n, std::int64_t k, double alpha, const double* x, std::int64_t ldx, double beta,
          double* c, std::int64_t ldc) {
  const char lower = 'L', transpose = 'T';
  const int in = to_int(n), ik = to_int(k), lx = to_int(ldx), lc = to_int(ldc);
  dsyrk_(&lower, &transpose, &in, &ik, &alpha, x, &lx, &beta, c, &lc);
}

void her2k(std::int64_t n, std::int64_t k, const Complex* x, std::int64_t ldx, const Complex* y,
           std::int64_t ldy, double beta, Complex* c, std::int64_t ldc) {
  const char lower = 'L', adjoint = 'C';
  const int in = to_int(n), ik = to_int(k), lx = to_int(ldx), ly = to_int(ldy), lc = to_int(ldc);
  const Complex one = 1.0;
  zher2k_(&lower, &adjoint, &in, &ik, &one, x, &lx, y, &ly, &beta, c, &lc);
}

void hemm(std::int64_t m, std::int64_t n, Complex alpha, const Complex* a, std::int64_t lda, const Complex* b,
          std::int64_t ldb, Complex beta, Complex* c, std::int64_t ldc) {
  const char left = 'L', lower = 'L';
  const int im = to_int(m), in = to_int(n), la = to_int(lda), lb = to_int(ldb), lc = to_int(ldc);
  zhemm_(&left, &lower, &im, &in, &alpha, a, &la, b, &lb, &beta, c, &lc);
}

void trmm_adjoint(std::int64_t m, std::int64_t n, const Complex* l, std::int64_t ldl, Complex* b,
                  std::int64_t ldb) {
  const char left = 'L', lower = 'L', adjoint = 'C', no_unit = 'N';
  const int im = to_int(m), in = to_int(n), ll = to_int(ldl), lb = to_int(ldb);
  const Complex one = 1.0;
  ztrmm_(&left, &lower, &adjoint, &no_unit, &im, &in, &one, l, &ll, b, &lb);
}

void trsm(Op op, std::int64_t m, std::int64_t n, const Complex* l, std::int64_t ldl, Complex* b,
          std::int64_t ldb) {
  const char left = 'L', lower = 'L', which = static_cast<char>(op), no_unit = 'N';
  const int im = to_int(m), in = to_int(n), ll = to_int(ldl), lb = to_int(ldb);
  const Complex one = 1.0;
  ztrsm_(&left, &lower, &which, &no_unit, &im, &in, &one, l, &ll, b, &lb);
}

bool potrf(std::int64_t n, Complex* a, std::int64_t lda) {
  const char lower = 'L';
  const int in = to_int(n), la = to_int(lda);
  int info = 0;
  zpotrf_(&lower, &in, a, &la, &info);
  if (info < 0) require(info, "zpotrf");
  return info == 0;
}

void hegst(std::int64_t n, Complex* a, std::int64_t lda, const Complex* l, std::int64_t ldl) {
  const char lower = 'L';
  const int kind = 1, in = to_int(n), la = to_int(lda), ll = to_int(ldl);
  int info = 0;
  zhegst_(&kind, &lower, &in, a, &la, l, &ll, &info);
  require(info, "zhegst");
}

void heev(std::int64_t n, Complex* a, std::int64_t lda, std::int64_t count, double* values, Complex* vectors,
          std::int64_t ldv) {
  if (n == 0 || count == 0) return;
  constexpr std::int64_t largest_divided = 32000;  // divide and conquer counts its 2 n^2 numbers in 32 bits
  if (count < n || n > largest_divided)
    return lowest_eigenpairs(to_int(n), a, to_int(lda), to_int(count), values, vectors,
                             to_int(std::max<std::int64_t>(ldv, 1)));
  all_eigenpairs(to_int(n), a, to_int(lda), values, vectors != nullptr);
  if (vectors == nullptr) return;
  for (std::int64_t k = 0; k < n; ++k) std::copy_n(a + k * lda, n, vectors + k * ldv);
}

std::string name() {
  if (openblas_get_config == nullptr || openblas_get_corename == nullptr) return "BLAS";
  const std::string_view config = openblas_get_config();  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  const auto end = config.find(' ', config.find(' ') + 1);
  return fmt::format("{}, {} kernels", config.substr(0, end), openblas_get_corename());
}

std::string warning() {
  if (blas_has_own_threads())
    return "OpenBLAS is a build with threads of its own, which get in the way of those of cisolve: take that "
           "for OpenMP "
           "(libopenblas0-openmp of Debian and Ubuntu)";
  if (openblas_get_corename == nullptr || instruction_set() != InstructionSet::avx512) return {};
  const std::string_view core = openblas_get_corename();
  constexpr std::string_view with_avx512[] = {"SkylakeX",   "SKYLAKEX",       "Cooperlake",
                                              "COOPERLAKE", "SapphireRapids", "SAPPHIRERAPIDS"};
  if (std::ranges::find(with_avx512, core) != std::end(with_avx512)) return {};
  return fmt::format(
      "OpenBLAS uses its {} kernels, but this processor has AVX-512: with OPENBLAS_CORETYPE=SkylakeX in the "
      "environment products of matrices are faster, up to five times",
      core);
}

double gemm_rate(std::int64_t n, double seconds) {
  const auto elements = static_cast<std::size_t>(n * n);
  Array<Complex> a(elements), b(elements), c(elements);
  for (std::size_t k = 0; k < elements; ++k) {
    a[k] = {1.0 + static_cast<double>(k % 7), 0.5};
    b[k] = {0.25, static_cast<double>(k % 5) - 2.0};
    c[k] = 0.0;
  }
  double best = 0.0;
  const Stopwatch whole;
  do {
    const Stopwatch watch;
    gemm(Op::adjoint, Op::none, n, n, n, 1.0, a.data(), n, b.data(), n, 0.0, c.data(), n);
    const auto order = static_cast<double>(n);
    best = std::max(best, gemm_flops(order, order, order) / watch.seconds());
  } while (whole.seconds() < seconds);
  return best;
}

}  // namespace cisolve::lapw::blas
