// SPDX-License-Identifier: MIT
#include "tasks/files/checkpoint_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cisolve/core/error.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_checkpoint_writer {

using test::TemporaryFolder;

constexpr std::int64_t rows = 1 << 20;
constexpr int columns = 9;
static_assert(8 * rows * columns > CheckpointWriter::large_bytes);

CheckpointHeader header(int iteration) {
  CheckpointHeader header;
  header.dimension = rows;
  header.num_vectors = columns;
  header.history = {{.iteration = iteration, .energies = {-1.0}, .residual_norms = {0.1}}};
  return header;
}

/// Vectors of the solver, which it changes as soon as the writer has seen them.
class Vectors {
public:
  explicit Vectors(double shift) : values_(rows * columns) {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = std::sin(static_cast<double>(i) + shift);
  }
  ColumnSource source() const {
    return [this](int column, std::int64_t first, std::span<double> out) {
      std::copy_n(values_.begin() + column * rows + first, out.size(), out.begin());
    };
  }
  std::vector<double> take() {
    std::vector<double> before = values_;
    std::ranges::fill(values_, 0.0);
    return before;
  }

private:
  std::vector<double> values_;
};

class CheckpointWriters : public testing::TestWithParam<std::int64_t> {};

/// With a buffer that takes the vectors, and with one that does not.
TEST_P(CheckpointWriters, WriteWhatTheVectorsWere) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "run.chk.h5";
  const RunControl control;
  CheckpointGenerations generations(file);
  CheckpointWriter writer({generations, {}, GetParam(), control});
  Vectors first(0.0), second(0.5);
  writer.write(header(1), first.source());
  first.take();
  writer.write(header(2), second.source());  // after the first
  const std::vector<double> expected = second.take();
  writer.finish();
  EXPECT_FALSE(writer.is_busy());
  const Checkpoint read = read_checkpoint(file);
  EXPECT_EQ(read.header.history.back().iteration, 2);
  EXPECT_TRUE(std::ranges::equal(all_columns(*read.vectors), expected));
}

INSTANTIATE_TEST_SUITE_P(Buffers, CheckpointWriters, testing::Values(std::int64_t{0}, 8 * rows * columns));

TEST(CheckpointWriters, SayWhatFailed) {
  const TemporaryFolder folder;
  const RunControl control;
  CheckpointGenerations generations(folder.path() / "absent" / "run.chk.h5");
  CheckpointWriter writer({generations, {}, 8 * rows * columns, control});
  const Vectors vectors(0.0);
  writer.write(header(1), vectors.source());
  EXPECT_THROW(writer.finish(), SystemError);
  EXPECT_FALSE(writer.is_busy());  // said once
}

}  // namespace test_checkpoint_writer
}  // namespace cisolve
