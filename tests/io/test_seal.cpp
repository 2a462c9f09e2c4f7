// SPDX-License-Identifier: MIT
#include "cisolve/io/seal.hpp"

#include <H5Cpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>

#include "cisolve/core/error.hpp"
#include "cisolve/core/hash.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "io/sealed_bytes.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_seal {

using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// What sample_file holds, as one text.
std::string content_of(const std::filesystem::path& path) {
  const Hdf5File file = Hdf5File::open(path);
  const Hdf5Group root = file.root();
  std::string text = root.read_attribute<std::string>("title") + root.read_string("text");
  for (const double value : root.open_group("states").read<double>("energy", {100}))
    text += std::to_string(value);
  return text;
}

/// Less than a block.
void write_small_file(const std::filesystem::path& path) {
  std::vector<double> values(100);
  std::iota(values.begin(), values.end(), -76.0);
  Hdf5File file = Hdf5File::create(path);
  file.root().write_attribute("title", "water");
  file.root().write_string("text", "an input", {.description = "text"});
  file.root().create_group("states").write<double>("energy", values, {100}, {"hartree"});
  file.close();
}

std::vector<double> noise(std::size_t size) {
  std::vector<double> values(size);
  std::mt19937_64 random(1);
  for (double& value : values) value = std::uniform_real_distribution(-1.0, 1.0)(random);
  return values;
}

/// Several blocks: chunked datasets, compressed ones, and attributes between them.
void write_large_file(const std::filesystem::path& path, const std::vector<double>& values) {
  Hdf5File file = Hdf5File::create(path);
  Hdf5Group root = file.root();
  root.write<double>("first", values, {3, values.size() / 3}, {"1"});
  for (int k = 0; k < 12; ++k) root.create_group("g" + std::to_string(k)).write_attribute("number", k);
  std::vector<std::int64_t> steps(400000);
  std::iota(steps.begin(), steps.end(), 0);
  root.write<std::int64_t>("packed", steps, {steps.size()}, {"1"}, Hdf5Packing::compressed);
  root.write<double>("second", values, {values.size()}, {"1"});
  file.close();
}

/// The seal as docs/output.md describes it, made from the bytes of a file.
void expect_seal_of_content(const std::string& bytes) {
  std::uint64_t content = 0, block = 0, blocks = 0;
  const char* footer = bytes.data() + bytes.size() - 64;
  std::memcpy(&content, footer, 8);
  std::memcpy(&block, footer + 8, 8);
  std::memcpy(&blocks, footer + 16, 8);
  ASSERT_EQ(block, 65536U);
  ASSERT_EQ(content + 8 * blocks + 64, bytes.size());
  for (std::uint64_t k = 0; k < blocks; ++k) {
    std::uint64_t stored = 0;
    std::memcpy(&stored, bytes.data() + content + 8 * k, 8);
    const auto all = std::as_bytes(std::span(bytes)).first(content);
    EXPECT_EQ(stored, hash_bytes(all.subspan(k * block, std::min(block, content - k * block)))) << k;
  }
}

TEST(Seal, HoldsTheHashesOfAllBlocks) {
  const TemporaryFolder folder;
  write_small_file(folder / "small.h5");
  expect_seal_of_content(read_bytes(folder / "small.h5"));
  const std::vector<double> values = noise(300000);
  write_large_file(folder / "large.h5", values);
  expect_seal_of_content(read_bytes(folder / "large.h5"));
  verify_seal(folder / "large.h5");
  const Hdf5File file = Hdf5File::open(folder / "large.h5");
  EXPECT_EQ(file.root().read<double>("second").values, values);
  EXPECT_EQ(file.root().read<double>("first").values, values);
  EXPECT_EQ(file.root().read<std::int64_t>("packed").values[399999], 399999);
}

/// In any order, over one another, in parts of blocks and whole ones: as the HDF5 library may.
TEST(Seal, HoldsTheHashesWhateverTheOrderOfWrites) {
  const TemporaryFolder folder;
  constexpr std::uint64_t block = Seal::block_bytes, size = 3 * block + 1000;
  std::mt19937_64 random(5);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::byte> expected(size);
    SealedBytes bytes = SealedBytes::open(folder / "x", SealedBytes::Use::create);
    bytes.write(0, expected);
    for (int k = 0; k < 12; ++k) {
      const std::uint64_t edges[] = {0, 48, block, block + 48, 2 * block, size};
      std::uint64_t first = edges[random() % 6], last = edges[random() % 6];
      if (first > last) std::swap(first, last);
      for (std::uint64_t i = first; i < last; ++i) expected[i] = static_cast<std::byte>(random());
      bytes.write(first, std::span(expected).subspan(first, last - first));
    }
    bytes.seal();
    ASSERT_FALSE(bytes.has_failed());
    ASSERT_NO_THROW(verify_seal(folder / "x")) << "round " << round;
  }
}

/// Longer than what the disk is bidden to write meanwhile, in pieces, with and without a seal.
TEST(Seal, LongFilesAreWhatWasWritten) {
  const TemporaryFolder folder;
  const std::vector<double> values = noise(1400000);
  const auto expected = std::as_bytes(std::span(values));
  constexpr std::size_t piece = 100003, skipped = 30 * piece;
  for (const auto use : {SealedBytes::Use::create, SealedBytes::Use::create_unsealed}) {
    SealedBytes bytes = SealedBytes::open(folder / "x", use);
    for (std::size_t at = skipped; at < expected.size(); at += piece) {
      bytes.write(at, expected.subspan(at, std::min(piece, expected.size() - at)));
    }
    bytes.write(0, expected.first(skipped));
    std::vector<std::byte> read(expected.size());
    EXPECT_TRUE(bytes.read(0, read));
    EXPECT_TRUE(std::ranges::equal(read, expected));
    bytes.seal();
    ASSERT_FALSE(bytes.has_failed());
    const std::string content = read_bytes(folder / "x");
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(content)).first(expected.size()), expected));
    if (use == SealedBytes::Use::create) {
      expect_seal_of_content(content);
    } else {
      EXPECT_EQ(content.size(), expected.size());
    }
  }
}

TEST(Seal, AnyChangedByteOfASmallFileIsRefused) {
  const TemporaryFolder folder;
  write_small_file(folder / "x.h5");
  const std::string good = read_bytes(folder / "x.h5");
  const std::string content = content_of(folder / "x.h5");
  const auto copy = folder / "changed.h5";
  const std::size_t seal = good.size() - 64 - 8;
  for (std::size_t at = 0; at < good.size(); at += at < 96 || at + 8 >= seal ? 1 : 29) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
    write_bytes(copy, bytes);
    EXPECT_THAT(refusal([&] { content_of(copy); }), AllOf(HasSubstr("changed.h5"), HasSubstr("damaged")))
        << "byte " << at << " of " << good.size();
  }
  EXPECT_EQ(content_of(folder / "x.h5"), content);
}

TEST(Seal, ShortenedAndLengthenedFilesAreRefused) {
  const TemporaryFolder folder;
  write_small_file(folder / "x.h5");
  const std::string good = read_bytes(folder / "x.h5");
  const auto copy = folder / "changed.h5";
  const auto refuses = [&](const std::string& bytes) {
    write_bytes(copy, bytes);
    return testing::Value(refusal([&] { content_of(copy); }), HasSubstr("changed.h5"));
  };
  for (std::size_t length = 0; length < good.size(); length += length + 80 < good.size() ? 97 : 1)
    EXPECT_TRUE(refuses(good.substr(0, length))) << length;
  for (const std::size_t more : {1, 8, 64, 70000})
    EXPECT_TRUE(refuses(good + std::string(more, '\0'))) << more;
  EXPECT_TRUE(refuses(good + good.substr(good.size() - 64)));
  EXPECT_TRUE(refuses(good + good));
}

TEST(Seal, NamesWhatIsReadFromADamagedBlock) {
  const TemporaryFolder folder;
  const std::vector<double> values = noise(300000);
  write_large_file(folder / "x.h5", values);
  std::string bytes = read_bytes(folder / "x.h5");
  // Of a pair that stands in the file twice, once per dataset.
  const std::string_view pair(reinterpret_cast<const char*>(&values[250000]), 16);
  const std::size_t second = bytes.rfind(pair);
  ASSERT_NE(second, bytes.find(pair));
  bytes[second + 3] = static_cast<char>(bytes[second + 3] ^ 4);
  write_bytes(folder / "x.h5", bytes);
  const Hdf5File file = Hdf5File::open(folder / "x.h5");
  EXPECT_EQ(file.root().read<double>("first").values, values);  // what isn't read does no harm
  EXPECT_THAT(
      refusal([&] { file.root().read<double>("second"); }),
      AllOf(HasSubstr("'/second' of '"), HasSubstr("x.h5"), HasSubstr("are not those that cisolve wrote")));
  EXPECT_THAT(refusal([&] { verify_seal(folder / "x.h5"); }), HasSubstr("x.h5"));
}

TEST(Seal, FilesChangedByOtherProgramsAreRefused) {
  const TemporaryFolder folder;
  const std::string refused = "was changed by another program, or damaged, since cisolve wrote it";
  write_small_file(folder / "opened.h5");
  H5::H5File(folder / "opened.h5", H5F_ACC_RDWR).close();
  EXPECT_THAT(refusal([&] { content_of(folder / "opened.h5"); }),
              AllOf(HasSubstr("opened.h5"), HasSubstr(refused)));
  write_small_file(folder / "more.h5");
  {
    const H5::H5File file(folder / "more.h5", H5F_ACC_RDWR);
    for (int k = 0; k < 20; ++k) file.createGroup("mine" + std::to_string(k));
  }
  EXPECT_THAT(refusal([&] { content_of(folder / "more.h5"); }),
              AllOf(HasSubstr("more.h5"), HasSubstr(refused)));
}

TEST(Seal, OtherProgramsReadTheFile) {
  const TemporaryFolder folder;
  write_small_file(folder / "x.h5");
  const std::string before = read_bytes(folder / "x.h5");
  {
    const H5::H5File file(folder / "x.h5", H5F_ACC_RDONLY);
    double values[100];
    file.openDataSet("/states/energy").read(values, H5::PredType::NATIVE_DOUBLE);
    EXPECT_EQ(values[99], 23.0);
  }
  EXPECT_EQ(read_bytes(folder / "x.h5"), before);
}

/// The seal of a file behind the content of another of the same size.
TEST(Seal, BelongsToOneFile) {
  const TemporaryFolder folder;
  write_small_file(folder / "x.h5");
  const std::string good = read_bytes(folder / "x.h5");
  std::string other = good;
  const std::size_t at = good.find("water");
  ASSERT_NE(at, std::string::npos);
  other.replace(at, 5, "steam");
  write_bytes(folder / "other.h5", other);
  EXPECT_THAT(refusal([&] { content_of(folder / "other.h5"); }), HasSubstr("not those that cisolve wrote"));
}

TEST(Seal, ModifiedFilesAreSealedAnew) {
  const TemporaryFolder folder;
  const std::vector<double> values = noise(300000);
  write_large_file(folder / "x.h5", values);
  {
    Hdf5File file = Hdf5File::modify(folder / "x.h5");
    file.root().remove("first");
    file.root().write<double>("third", values, {values.size()}, {"1"});
    file.root().write_attribute("note", "more");
    file.close();
  }
  expect_seal_of_content(read_bytes(folder / "x.h5"));
  const Hdf5File file = Hdf5File::open(folder / "x.h5");
  EXPECT_EQ(file.root().read<double>("second").values, values);
  EXPECT_EQ(file.root().read<double>("third").values, values);
}

/// Damage from before stays damage: it must not get a seal of its own.
TEST(Seal, ModifyingDoesNotSealDamage) {
  const TemporaryFolder folder;
  const std::vector<double> values = noise(300000);
  write_large_file(folder / "x.h5", values);
  const std::string good = read_bytes(folder / "x.h5");
  int refused = 0;
  constexpr std::size_t step = 200003;
  for (std::size_t at = 1000; at < good.size(); at += step) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write_bytes(folder / "x.h5", bytes);
    const std::string message = refusal([&] {
      Hdf5File file = Hdf5File::modify(folder / "x.h5");
      file.root().write<double>("third", values, {values.size()}, {"1"});
      file.close();
      verify_seal(folder / "x.h5");
    });
    EXPECT_THAT(message, HasSubstr("x.h5")) << at;
    ++refused;
  }
  EXPECT_EQ(refused, static_cast<int>((good.size() - 1000 + step - 1) / step));
}

TEST(Seal, DigestTellsFilesApart) {
  const TemporaryFolder folder;
  for (const char* const name : {"one.h5", "same.h5", "other.h5"}) write_small_file(folder / name);
  const std::string whole = read_bytes(folder / "one.h5");
  EXPECT_EQ(seal_digest(folder / "one.h5"), seal_digest(folder / "same.h5"));
  {
    Hdf5File file = Hdf5File::modify(folder / "other.h5");
    file.root().write_attribute("more", 1);
    file.close();
  }
  EXPECT_NE(seal_digest(folder / "one.h5"), seal_digest(folder / "other.h5"));
  write_bytes(folder / "cut.h5", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(refusal([&] { seal_digest(folder / "cut.h5"); }), HasSubstr("has no seal"));
}

}  // namespace test_seal
}  // namespace cisolve
