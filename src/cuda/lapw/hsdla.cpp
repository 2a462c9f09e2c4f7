// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "cuda/lapw/coefficient_blocks.hpp"
#include "cuda/lapw/generation_run.hpp"
#include "cuda/lapw/kernels.hpp"
#include "lapw/blas.hpp"

namespace cisolve::cuda::lapw {
namespace {

using host::Complex;
using host::ComplexMatrix;
using Op = Products::Op;

/// Algorithm 1 of the paper with its loops over atoms as batches, which it left on the host.
class Hsdla {
public:
  explicit Hsdla(GenerationRun& run)
      : run_(run), maker_(make_coefficients(run.uploads, run.problem, run.panel.first)) {
    for (const host::MuffinTin& tin : run.problem.tins) types_.push_back(make_type(run.uploads, tin));
    std::vector<bool> definite;
    for (const Type& type : types_) definite.push_back(type.is_definite);
    functions_ = host::functions_by_atom(run.problem, host::Algorithm::hsdla);
    blocks_ =
        type_blocks(run.problem.atom_types, functions_, run.rows_in_block, run.options.stored, definite);
    for (const TypeBlock& block : blocks_) ld_ = std::max(ld_, block.rows);
    ab_ = DeviceArray<Complex>(static_cast<std::size_t>(2 * ld_ * run.waves()));
    z_ = DeviceArray<Complex>(static_cast<std::size_t>(ld_ * run.waves()));
    run.stream.synchronize();
  }

  const std::vector<TypeBlock>& blocks() const { return blocks_; }

  void add(const TypeBlock& block) {
    const std::int64_t n = run_.waves(), columns = run_.columns();
    const auto order = static_cast<double>(columns), rows = static_cast<double>(block.rows);
    const bool in_three = run_.options.three_multiplications;
    std::int64_t definite = 0;
    double squares = 0.0, last_flops = 0.0;
    for (const TypeRun& run : block.runs) {
      const Type& type = types_[run.type];
      const double of_run = static_cast<double>(run.atoms.size()) * type.functions * type.functions;
      if (type.is_definite) definite += std::ssize(run.atoms) * type.functions;
      squares += of_run;
      last_flops += (type.is_definite ? 4.0 : 8.0) * of_run * order;
    }
    run_.time("A and B", [&] {
      for (const TypeRun& run : block.runs) {
        const int functions = types_[run.type].functions;
        maker_->fill(run, functions, a(run.row), ld_, functions, to_b());
      }
      return 0.0;
    });
    run_.time("loop 1 (4-9)", [&] {
      for (const TypeRun& run : block.runs) {
        batch(run, types_[run.type].t_ab, a(), 0.0, z());
        batch(run, types_[run.type].half_t_bb, b(), 1.0, z());
      }
      return 16.0 * squares * order;
    });
    run_.time("H1 (10)", [&] {
      run_.products.her2k(n, columns, block.rows, z(), ld_, b(), ld_, run_.to.h, run_.to.ld);
      return 2.0 * run_.herk_flops(rows);
    });
    run_.time("S1 (13)", [&] {
      run_.products.herk(n, columns, block.rows, 1.0, a(), ld_, run_.to.s, run_.to.ld, in_three);
      return run_.herk_flops(rows);
    });
    run_.time("U (14)", [&] {
      for (const TypeRun& run : block.runs) {
        const Type& type = types_[run.type];
        scale_rows(run_.stream, b(run.row), ld_, n, static_cast<int>(run.atoms.size()), type.functions,
                   type.functions, type.norms.data());
      }
      return 2.0 * rows * order;
    });
    run_.time("S2 (15)", [&] {
      run_.products.herk(n, columns, block.rows, 1.0, b(), ld_, run_.to.s, run_.to.ld, in_three);
      return run_.herk_flops(rows);
    });
    run_.time("loop 2 (17-27)", [&] {
      // T_AA is Hermitian: its adjoint is itself.
      for (const TypeRun& run : block.runs) batch(run, types_[run.type].last, a(), 0.0, z());
      return last_flops;
    });
    if (definite < block.rows) {
      run_.time("H2 (28)", [&] {
        run_.products.gemm(Op::adjoint, n, columns, block.rows - definite, 1.0, a(definite), ld_, z(definite),
                           ld_, 1.0, run_.to.h, run_.to.ld);
        return host::blas::gemm_flops(static_cast<double>(n), order, rows - static_cast<double>(definite));
      });
    }
    if (definite > 0) {
      run_.time("H3 (29)", [&] {
        run_.products.herk(n, columns, definite, 1.0, z(), ld_, run_.to.h, run_.to.ld, in_three);
        return run_.herk_flops(static_cast<double>(definite));
      });
    }
  }

private:
  struct Type {
    int functions = 0;
    bool is_definite = false;
    DeviceArray<Complex> t_ab;
    DeviceArray<Complex> half_t_bb;
    DeviceArray<Complex> last;  ///< C of T_AA = C C^H, or T_AA
    DeviceArray<double> norms;
  };

  static Type make_type(Uploads& uploads, const host::MuffinTin& tin) {
    ComplexMatrix half = tin.t_bb, last = tin.t_aa;
    const int n = half.rows();
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) half(i, j) *= 0.5;
    }
    const bool is_definite = host::blas::potrf(n, last.data(), n);
    if (!is_definite) last = tin.t_aa;
    for (int j = 0; is_definite && j < n; ++j) {
      for (int i = 0; i < j; ++i) last(i, j) = 0.0;  // LAPACK leaves what was there
    }
    return {.functions = n,
            .is_definite = is_definite,
            .t_ab = upload_matrix(uploads, tin.t_ab),
            .half_t_bb = upload_matrix(uploads, half),
            .last = upload_matrix(uploads, last),
            .norms = uploads(std::span<const double>(host::udot_norms_by_function(tin)))};
  }

  std::int64_t to_b() const { return ld_ * run_.waves(); }
  cuDoubleComplex* a(std::int64_t row = 0) { return to_cuda(ab_.data()) + row; }
  cuDoubleComplex* b(std::int64_t row = 0) { return a(row) + to_b(); }
  cuDoubleComplex* z(std::int64_t row = 0) { return to_cuda(z_.data()) + row; }

  /// Y = M^H X + beta Y of each atom of a run.
  void batch(const TypeRun& run, const DeviceArray<Complex>& m, const cuDoubleComplex* x, double beta,
             cuDoubleComplex* y) const {
    const int n = types_[run.type].functions;
    run_.products.gemm_batch(n, run_.waves(), n, to_cuda(m.data()), n, x + run.row, ld_, n, beta, y + run.row,
                             ld_, n, static_cast<int>(run.atoms.size()));
  }

  GenerationRun& run_;
  std::unique_ptr<CoefficientMaker> maker_;
  std::vector<Type> types_;
  std::vector<int> functions_;
  std::vector<TypeBlock> blocks_;
  std::int64_t ld_ = 0;
  DeviceArray<Complex> ab_, z_;
};

}  // namespace

void run_hsdla(GenerationRun& run) { run_algorithm<Hsdla>(run); }

}  // namespace cisolve::cuda::lapw
