// SPDX-License-Identifier: MIT
// Vectors in parts: files beside the one that they belong to.
#include "tasks/files/vector_parts.hpp"

#include <H5Cpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "cisolve/core/error.hpp"
#include "cisolve/tasks/files/result_file.hpp"
#include "io/temporary_folder.hpp"
#include "tasks/files/checkpoint_generations.hpp"
#include "tasks/result_vectors.hpp"
#include "tasks/sample_result.hpp"

namespace cisolve {
namespace test_vector_parts {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t rows = 1000;
constexpr int columns = 3;
constexpr PartLimits small{.whole = 1000, .part = 8 * columns * 300};  // four parts

CheckpointHeader header_of(int number) {
  CheckpointHeader header;
  header.version = "1.2.3";
  header.dimension = rows;
  header.num_vectors = columns;
  header.history = {{.iteration = number, .energies = {-1.0}, .residual_norms = {0.1}}};
  return header;
}

std::vector<double> vectors(int number) {
  std::vector<double> values(rows * columns);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i) + number);
  return values;
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  if (!fs::exists(folder)) return names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

std::set<std::string> generations_in(const fs::path& folder) {
  std::set<std::string> found;
  for (const std::string& name : names_in(folder)) found.insert(name.substr(0, name.find('.')));
  return found;
}

/// As another program reads it.
std::vector<double> seen_by_others(const fs::path& file, const std::string& dataset, std::size_t elements) {
  std::vector<double> values(elements);
  const H5::H5File hdf5(file.string(), H5F_ACC_RDONLY);
  hdf5.openDataSet(dataset).read(values.data(), H5::PredType::NATIVE_DOUBLE);
  return values;
}

/// A run's checkpoints and its log.
struct TestRun {
  TemporaryFolder folder;
  fs::path file = folder / "run.chk.h5", parts = folder / "run.chk.d";
  CheckpointGenerations generations{file, {}, small};
  std::string log;
  RunControl control;

  TestRun() {
    control.log = [this](LogLevel, std::string_view line) { log += std::string(line) + "\n"; };
  }
  void save(int number) {
    const std::vector<double> values = vectors(number);
    generations.say(
        generations.put_in_place(*generations.write(header_of(number), columns_of(values, rows), {})),
        control);
  }
  /// The number of the checkpoint that a restart takes.
  int found() {
    const Checkpoint read = read_newest_checkpoint(file, control).checkpoint;
    const int number = read.header.history.front().iteration;
    EXPECT_TRUE(std::ranges::equal(all_columns(*read.vectors), vectors(number)));
    return number;
  }
  std::string refusal() {
    try {
      read_checkpoint(file);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
};

TEST(VectorParts, OfACheckpointAreOneDataset) {
  TestRun run;
  run.save(1);
  EXPECT_EQ(run.found(), 1);
  EXPECT_THAT(names_in(run.parts), ElementsAre("1.1.h5", "1.2.h5", "1.3.h5", "1.4.h5"));
  EXPECT_EQ(seen_by_others(run.file, "/vectors", rows * columns), vectors(1));
  EXPECT_LT(fs::file_size(run.file), 16'000u + 8 * rows);  // none of them is in it
  // Wherever both are moved to.
  const TemporaryFolder other;
  fs::copy(run.file, other / "run.chk.h5");
  fs::copy(run.parts, other / "run.chk.d", fs::copy_options::recursive);
  fs::remove_all(run.parts);
  EXPECT_EQ(seen_by_others(other / "run.chk.h5", "/vectors", rows * columns), vectors(1));
  EXPECT_TRUE(std::ranges::equal(all_columns(*read_checkpoint(other / "run.chk.h5").vectors), vectors(1)));
  for (const double value : seen_by_others(run.file, "/vectors", rows * columns))
    EXPECT_TRUE(std::isnan(value));
}

TEST(VectorParts, AreNotMadeOfFewVectors) {
  const TemporaryFolder folder;
  const std::vector<double> values = vectors(1);
  for (const std::uint64_t whole : {8 * values.size(), 8 * values.size() - 1}) {
    CheckpointGenerations generations(folder / "run.chk.h5", {}, {.whole = whole});
    generations.put_in_place(*generations.write(header_of(1), columns_of(values, rows), {}));
    const bool is_parted = 8 * values.size() > whole;
    EXPECT_EQ(fs::exists(folder / "run.chk.d"), is_parted);
    const Hdf5File hdf5 = Hdf5File::open(folder / "run.chk.h5");
    EXPECT_EQ(hdf5.root().read_attribute<std::int32_t>("format_version"), is_parted ? 4 : 3);
  }
}

TEST(VectorParts, OfTwoGenerationsAreKept) {
  TestRun run;
  for (const int number : {1, 2, 3}) run.save(number);
  EXPECT_EQ(run.found(), 3);
  EXPECT_THAT(generations_in(run.parts), ElementsAre("2", "3"));
  fs::remove(run.parts / "3.4.h5");
  EXPECT_EQ(run.found(), 2);
  EXPECT_THAT(run.log, AllOf(HasSubstr("part '" + (run.parts / "3.4.h5").string() + "' is missing"),
                             HasSubstr("going on from the one before")));
  // The good one stays while a new one is written, in a run that has not verified the newest itself.
  run.generations = CheckpointGenerations(run.file, {}, small);
  run.save(4);
  EXPECT_EQ(run.found(), 4);
  EXPECT_TRUE(
      std::ranges::equal(all_columns(*read_checkpoint(previous_checkpoint(run.file)).vectors), vectors(2)));
  EXPECT_EQ(names_in(run.parts).size(), 8u);
  remove_checkpoints(run.file);
  EXPECT_EQ(run.folder.size(), 0u);
}

TEST(VectorParts, GoWhereNoneAreWrittenAnyMore) {
  TestRun run;
  run.save(1);
  run.generations = CheckpointGenerations(run.file);
  run.save(2);
  run.save(3);
  EXPECT_EQ(run.found(), 3);
  EXPECT_FALSE(fs::exists(run.parts));
}

TEST(VectorParts, ThatAreNotWhatWasWrittenAreNamed) {
  TestRun run;
  run.save(1);
  run.save(2);
  const fs::path part = run.parts / "2.2.h5";
  const auto refused = [&](const std::string& why) {
    EXPECT_EQ(run.refusal(),
              "'" + run.file.string() + "' is not whole: its part '" + part.string() + "' " + why);
  };
  fs::copy_file(part, run.folder / "good.h5");
  fs::resize_file(part, fs::file_size(part) / 2);
  refused("was cut, or changed by another program");
  fs::copy_file(run.parts / "1.2.h5", part, fs::copy_options::overwrite_existing);
  refused("is of another generation, or another file");
  fs::remove(part);
  refused("is missing");
  fs::copy_file(run.folder / "good.h5", part);
  EXPECT_EQ(run.found(), 2);
  std::fstream(part, std::ios::binary | std::ios::in | std::ios::out).seekp(5000).put('!');
  EXPECT_THAT(run.refusal(), AllOf(HasSubstr(part.string()), HasSubstr("are not those that cisolve wrote")));
}

TEST(VectorParts, LeaveOtherFilesAlone) {
  TestRun run;
  run.save(1);
  std::ofstream(run.parts / "notes.txt") << "mine";
  std::ofstream(run.parts / "7.1.h5") << "of a run that was killed";
  std::ofstream(run.parts / ".7.2.h5.tmp-host-1") << "likewise";
  run.save(2);
  EXPECT_THAT(generations_in(run.parts), ElementsAre("1", "2", "notes"));
  // Where it is not known what is needed, all stays.
  std::ofstream(run.file) << "damaged";
  std::ofstream(run.folder / "run.chk.h5.previous") << "damaged";
  remove_unused_parts(std::vector{run.file, previous_checkpoint(run.file)});
  EXPECT_THAT(generations_in(run.parts), ElementsAre("1", "2", "notes"));
}

TEST(VectorParts, GoWithAFileThatIsNotWritten) {
  const TemporaryFolder folder;
  const fs::path file = folder / "run.chk.h5";
  const auto broken = [](int column, std::int64_t, std::span<double>) {
    if (column == 1) throw SystemError("device lost");
  };
  EXPECT_THROW(write_checkpoint_aside(file, header_of(1), broken, {}, small), SystemError);
  EXPECT_EQ(folder.size(), 0u);
  CheckpointHeader large = header_of(1);
  large.dimension = std::int64_t{1} << 55;
  try {
    write_checkpoint_aside(file, large, broken, {}, {});
    FAIL() << "there is room for 2^60 bytes";
  } catch (const SystemError& error) {
    EXPECT_EQ(error.what(), "cannot write '" + file.string() + "': No space left on device");
  }
  EXPECT_EQ(folder.size(), 0u);
}

TEST(VectorParts, AKillAtAnyInstantLeavesAWholeGeneration) {
  TestRun run;
  run.save(1);
  for (int attempt = 0; attempt < 12; ++attempt) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int number = 2;; ++number) run.save(number);
    }
    ::usleep(static_cast<useconds_t>(2000 + 5300 * attempt));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_GE(run.found(), 1);
  }
  // What they left goes.
  run.generations = CheckpointGenerations(run.file, {}, small);
  run.save(1);
  run.save(2);
  EXPECT_EQ(generations_in(run.parts).size(), 2u);
  EXPECT_EQ(names_in(run.parts).size(), 8u);
}

/// A result, and what replaces it.
TEST(VectorParts, OfAResultAreOneDataset) {
  const TemporaryFolder folder;
  const fs::path file = folder / "job.h5", parts = folder / "job.d";
  const CiResult result = test::sample_result();
  const std::vector<double> expected = test::vectors_of(result.sectors[0]);
  for (const char* const generation : {"1", "2"}) {
    write_result_within(small, file, result, true, true);
    EXPECT_EQ(test::vectors_of(read_result(file, true).sectors[0]), expected);
    EXPECT_EQ(seen_by_others(file, "/states/vector", expected.size()), expected);
    EXPECT_THAT(generations_in(parts), ElementsAre(generation));
  }
  write_result(file, result, true);
  EXPECT_EQ(test::vectors_of(read_result(file, true).sectors[0]), expected);
  EXPECT_FALSE(fs::exists(parts));
}

TEST(VectorParts, OfSeveralSectorsAndComplexNumbers) {
  const TemporaryFolder folder;
  CiResult result = test::sample_result();
  result.sectors.push_back(result.sectors.front());
  CiResult::Sector& second = result.sectors.back();
  Array<double> values(2 * 70 * 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::cos(static_cast<double>(i));
  second.vectors = std::make_shared<HeldVectors>(std::move(values), 2 * 70, 3);
  result.order_roots();
  const PartLimits tiny{.whole = 0, .part = 8 * 3 * 32};
  write_result_within(tiny, folder / "job.h5", result, true, false);
  EXPECT_THAT(names_in(folder / "job.d"), testing::SizeIs(3 + 5));
  const CiResult read = read_result(folder / "job.h5", true);
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_EQ(test::vectors_of(read.sectors[k]), test::vectors_of(result.sectors[k]));
  const std::vector<double> expected = test::vectors_of(second);
  EXPECT_EQ(seen_by_others(folder / "job.h5", "/sector/2/vector", expected.size()), expected);
  const H5::H5File hdf5((folder / "job.h5").string(), H5F_ACC_RDONLY);
  EXPECT_TRUE(hdf5.openDataSet("/sector/2/vector").attrExists("complex"));
  EXPECT_FALSE(hdf5.openDataSet("/sector/1/vector").attrExists("complex"));
}

/// The sectors that a checkpoint has behind it.
TEST(VectorParts, OfFinishedSectors) {
  const TemporaryFolder folder;
  const std::vector<CiResult::Sector> finished = {test::sample_result().sectors.front()};
  CheckpointHeader header = header_of(1);
  header.sector = 2;
  const std::vector<double> values = vectors(1);
  write_checkpoint_aside(folder / "run.chk.h5", header, columns_of(values, rows), finished, small)->commit();
  const Checkpoint read = read_checkpoint(folder / "run.chk.h5");
  EXPECT_TRUE(std::ranges::equal(all_columns(*read.vectors), values));
  ASSERT_EQ(read.finished.size(), 1u);
  EXPECT_EQ(test::vectors_of(read.finished[0]), test::vectors_of(finished[0]));
  EXPECT_THAT(names_in(folder / "run.chk.d"), testing::SizeIs(4 + 1));
}

TEST(VectorParts, HaveAFolderOfTheirOwn) {
  EXPECT_EQ(parts_folder("job.chk.h5"), "job.chk.d");
  EXPECT_EQ(parts_folder("there/job.h5"), "there/job.d");
  EXPECT_EQ(parts_folder("job.chk"), "job.chk.parts");
  EXPECT_EQ(parts_folder(".h5"), ".h5.parts");
}

}  // namespace test_vector_parts
}  // namespace cisolve
