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

class Merged {
public:
  explicit Merged(GenerationRun& run)
      : run_(run), with_overlap_(run.options.algorithm != host::Algorithm::split),
        functions_(host::functions_by_atom(run.problem, run.options.algorithm)),
        blocks_(type_blocks(run.problem.atom_types, functions_, run.rows_in_block, run.options.stored)),
        maker_(make_coefficients(run.uploads, run.problem, run.panel.first)) {
    Uploads& uploads = run.uploads;
    const std::vector<host::MuffinTin> tins = host::tins_for(run.problem, run.options.algorithm);
    std::vector<host::SignedFactors> own_factors;
    if (run.problem.factors.empty()) own_factors = host::signed_factors(tins);
    for (std::size_t type = 0; type < tins.size(); ++type) {
      const host::MuffinTin& tin = tins[type];
      const host::SignedFactors& factors =
          own_factors.empty() ? run.problem.factors[type] : own_factors[type];
      types_.push_back({.functions = host::num_functions(tin.lmax),
                        .num_plus = factors.plus.columns(),
                        .num_minus = factors.minus.columns(),
                        .plus = upload_matrix(uploads, factors.plus),
                        .minus = upload_matrix(uploads, factors.minus),
                        .norms = uploads(std::span<const double>(host::udot_norms_by_function(tin)))});
    }
    std::int64_t rows = 0, plus = 0, minus = 0;
    for (const TypeBlock& block : blocks_) {
      rows = std::max(rows, 2 * block.rows);
      plus = std::max(plus, signed_rows(block, &Type::num_plus));
      minus = std::max(minus, signed_rows(block, &Type::num_minus));
    }
    ld_ = rows;
    ld_plus_ = plus;
    ld_minus_ = minus;
    x_ = DeviceArray<Complex>(static_cast<std::size_t>(ld_ * run.waves()));
    plus_ = DeviceArray<Complex>(static_cast<std::size_t>(ld_plus_ * run.waves()));
    minus_ = DeviceArray<Complex>(static_cast<std::size_t>(ld_minus_ * run.waves()));
    run.stream.synchronize();
  }

  const std::vector<TypeBlock>& blocks() const { return blocks_; }

  void add(const TypeBlock& block) {
    const std::int64_t n = run_.waves(), columns = run_.columns();
    const bool in_three = run_.options.three_multiplications;
    const std::int64_t plus = signed_rows(block, &Type::num_plus),
                       minus = signed_rows(block, &Type::num_minus);
    run_.time("A and B", [&] {
      for (const TypeRun& run : block.runs) {
        const int functions = types_[run.type].functions;
        maker_->fill(run, functions, to_cuda(x_.data()) + 2 * run.row, ld_, 2 * functions, functions);
      }
      return 0.0;
    });
    run_.time("T times [A; B]", [&] { return multiply_by_t(block); });
    run_.time(with_overlap_ ? "H" : "H, non-spherical", [&] {
      run_.products.herk(n, columns, plus, 1.0, to_cuda(plus_.data()), ld_plus_, run_.to.h, run_.to.ld,
                         in_three);
      run_.products.herk(n, columns, minus, -1.0, to_cuda(minus_.data()), ld_minus_, run_.to.h, run_.to.ld,
                         in_three);
      return run_.herk_flops(static_cast<double>(plus + minus));
    });
    if (!with_overlap_) return;
    run_.time("S", [&] {
      for (const TypeRun& run : block.runs) {
        const Type& type = types_[run.type];
        scale_rows(run_.stream, to_cuda(x_.data()) + 2 * run.row + type.functions, ld_, n,
                   static_cast<int>(run.atoms.size()), type.functions, 2 * type.functions, type.norms.data());
      }
      run_.products.herk(n, columns, 2 * block.rows, 1.0, to_cuda(x_.data()), ld_, run_.to.s, run_.to.ld,
                         in_three);
      return run_.herk_flops(2.0 * static_cast<double>(block.rows));
    });
  }

private:
  struct Type {
    int functions = 0, num_plus = 0, num_minus = 0;
    DeviceArray<Complex> plus, minus;
    DeviceArray<double> norms;
  };

  std::int64_t signed_rows(const TypeBlock& block, int Type::*number) const {
    std::int64_t sum = 0;
    for (const TypeRun& run : block.runs) sum += types_[run.type].*number * std::ssize(run.atoms);
    return sum;
  }

  double multiply_by_t(const TypeBlock& block) {
    std::int64_t plus = 0, minus = 0;
    double flops = 0.0;
    for (const TypeRun& run : block.runs) {
      const Type& type = types_[run.type];
      const int rows = 2 * type.functions, atoms = static_cast<int>(run.atoms.size());
      const cuDoubleComplex* x = to_cuda(x_.data()) + 2 * run.row;
      run_.products.gemm_batch(type.num_plus, run_.waves(), rows, to_cuda(type.plus.data()), rows, x, ld_,
                               rows, 0.0, to_cuda(plus_.data()) + plus, ld_plus_, type.num_plus, atoms);
      run_.products.gemm_batch(type.num_minus, run_.waves(), rows, to_cuda(type.minus.data()), rows, x, ld_,
                               rows, 0.0, to_cuda(minus_.data()) + minus, ld_minus_, type.num_minus, atoms);
      plus += static_cast<std::int64_t>(type.num_plus) * atoms;
      minus += static_cast<std::int64_t>(type.num_minus) * atoms;
      flops += atoms * host::blas::gemm_flops(type.num_plus + type.num_minus,
                                              static_cast<double>(run_.problem.waves()), rows);
    }
    return flops * run_.share();
  }

  GenerationRun& run_;
  bool with_overlap_;
  std::vector<int> functions_;
  std::vector<TypeBlock> blocks_;
  std::unique_ptr<CoefficientMaker> maker_;
  std::vector<Type> types_;
  std::int64_t ld_ = 0, ld_plus_ = 0, ld_minus_ = 0;
  DeviceArray<Complex> x_, plus_, minus_;
};

}  // namespace

void run_merged(GenerationRun& run) { run_algorithm<Merged>(run); }

}  // namespace cisolve::cuda::lapw
