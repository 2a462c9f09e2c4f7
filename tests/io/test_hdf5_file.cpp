// SPDX-License-Identifier: MIT
#include "cisolve/io/hdf5_file.hpp"

#include <H5Cpp.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_hdf5_file {

using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "no error";
}

TEST(Hdf5File, TakesMoreLater) {
  const TemporaryFolder folder;
  const std::vector<double> old_values = {1.0, 2.0}, new_values = {3.0};
  {
    Hdf5File file = Hdf5File::create(folder / "x.h5");
    file.root().create_group("kept").write<double>("a", old_values, {2}, {"1"});
    file.root().create_group("replaced").write<double>("a", old_values, {2}, {"1"});
    file.close();
  }
  {
    Hdf5File file = Hdf5File::modify(folder / "x.h5");
    file.root().remove("replaced");
    file.root().create_group("replaced").write<double>("a", new_values, {1}, {"1"});
    file.close();
  }
  {
    const Hdf5File file = Hdf5File::open(folder / "x.h5");
    EXPECT_EQ(file.root().open_group("kept").read<double>("a", {2}), old_values);
    EXPECT_EQ(file.root().open_group("replaced").read<double>("a", {1}), new_values);
  }
  EXPECT_THAT(message_of<SystemError>([&] { Hdf5File::modify(folder / "x.h5").root().remove("absent"); }),
              HasSubstr("/absent"));
  EXPECT_THAT(message_of<InputError>([&] { Hdf5File::modify(folder / "none.h5"); }), HasSubstr("none.h5"));
}

TEST(Hdf5File, GroupsAreMovedWithAllThatTheyHold) {
  const TemporaryFolder folder;
  const std::vector<double> values = {1.5, -2.5};
  Hdf5File file = Hdf5File::create(folder / "x.h5");
  Hdf5Group root = file.root(), other = root.create_group("other");
  root.create_group("a").create_group("b").write<double>("values", values, {2}, {"1"});
  root.move("a", other, "c");
  EXPECT_FALSE(root.contains("a"));
  EXPECT_EQ(other.open_group("c").open_group("b").read<double>("values", {2}), values);
  EXPECT_THAT(message_of<SystemError>([&] { root.move("absent", other, "d"); }), HasSubstr("/absent"));
}

TEST(Hdf5File, AttributesComeBack) {
  const TemporaryFolder folder;
  {
    Hdf5File file = Hdf5File::create(folder / "x.h5");
    Hdf5Group group = file.root().create_group("a").create_group("b");
    group.write_attribute("i32", std::int32_t{-7});
    group.write_attribute("i64", std::numeric_limits<std::int64_t>::min());
    group.write_attribute("u64", std::numeric_limits<std::uint64_t>::max());
    group.write_attribute("f64", -0.1);
    group.write_attribute("yes", true);
    group.write_attribute("text", "naïve");
    group.write_attribute("empty", std::string());
    file.close();
  }
  const Hdf5File file = Hdf5File::open(folder / "x.h5");
  const Hdf5Group group = file.root().open_group("a").open_group("b");
  EXPECT_EQ(group.name(), "/a/b");
  EXPECT_EQ(group.read_attribute<std::int32_t>("i32"), -7);
  EXPECT_EQ(group.read_attribute<std::int64_t>("i64"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(group.read_attribute<std::uint64_t>("u64"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(group.read_attribute<double>("f64"), -0.1);
  EXPECT_TRUE(group.read_attribute<bool>("yes"));
  EXPECT_EQ(group.read_attribute<std::string>("text"), "naïve");
  EXPECT_EQ(group.read_attribute<std::string>("empty"), "");
  EXPECT_TRUE(group.has_attribute("text"));
  EXPECT_FALSE(group.has_attribute("txt"));
}

TEST(Hdf5File, AttributesOfAnotherTypeAreRefused) {
  const TemporaryFolder folder;
  Hdf5File::create(folder / "x.h5").root().write_attribute("big", std::int64_t{1} << 40);
  const Hdf5File file = Hdf5File::open(folder / "x.h5");
  const Hdf5Group root = file.root();
  EXPECT_THROW(root.read_attribute<std::int32_t>("big"), InputError);
  EXPECT_THROW(root.read_attribute<std::uint64_t>("big"), InputError);
  EXPECT_THROW(root.read_attribute<double>("big"), InputError);
  EXPECT_THROW(root.read_attribute<std::string>("big"), InputError);
  EXPECT_THAT(message_of<InputError>([&] { root.read_attribute<double>("absent"); }),
              AllOf(HasSubstr("x.h5"), HasSubstr("absent")));
}

template <class T>
class Hdf5Numbers : public testing::Test {};
using NumberTypes =
    testing::Types<std::uint16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint64_t, double>;
TYPED_TEST_SUITE(Hdf5Numbers, NumberTypes);

TYPED_TEST(Hdf5Numbers, ArraysOfAnyShapeComeBack) {
  const TemporaryFolder folder;
  // A scalar, empty ones, small, and above the size from which on datasets are chunked.
  const std::vector<Hdf5Shape> shapes = {{},        {0},       {3, 0},      {1},
                                         {2, 3, 5}, {1200001}, {3, 400001}, {400001, 3}};
  for (const Hdf5Packing packing : {Hdf5Packing::plain, Hdf5Packing::compressed}) {
    Hdf5File file = Hdf5File::create(folder / "x.h5");
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      std::vector<TypeParam> values(
          std::accumulate(shapes[k].begin(), shapes[k].end(), std::uint64_t{1}, std::multiplies<>()));
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<TypeParam>(i % 251 + k);
      file.root().template write<TypeParam>(std::to_string(k), values, shapes[k], {"1", "numbers"}, packing);
    }
    file.close();

    file = Hdf5File::open(folder / "x.h5");
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      const auto found = file.root().template read<TypeParam>(std::to_string(k));
      ASSERT_EQ(found.shape, shapes[k]);
      for (std::size_t i = 0; i < found.values.size(); ++i) {
        ASSERT_EQ(found.values[i], static_cast<TypeParam>(i % 251 + k)) << "array " << k << " at " << i;
      }
    }
  }
}

TEST(Hdf5File, BigDatasetsAreChunkedAndLabelled) {
  const TemporaryFolder folder;
  {
    Hdf5File file = Hdf5File::create(folder / "x.h5");
    const std::vector<double> big(300000, 1.0);
    file.root().write<double>("plain", big, {3, 100000}, {"hartree", "numbers"});
    file.root().write<double>("packed", big, {100000, 3}, {.unit = "bohr"}, Hdf5Packing::compressed);
    file.root().write<double>("small", std::vector<double>{1.0}, {1}, {.description = "one"});
    file.close();
  }
  H5::H5File file((folder / "x.h5").string(), H5F_ACC_RDONLY);
  const H5::DataSet plain = file.openDataSet("plain"), packed = file.openDataSet("packed");
  EXPECT_EQ(plain.getCreatePlist().getLayout(), H5D_CHUNKED);
  hsize_t chunk[2];
  plain.getCreatePlist().getChunk(2, chunk);
  EXPECT_EQ(chunk[0], 1u);
  packed.getCreatePlist().getChunk(2, chunk);
  EXPECT_EQ(chunk[1], 3u);
  EXPECT_EQ(plain.getCreatePlist().getNfilters(), 0);
  EXPECT_LT(packed.getStorageSize(), 300000u);  // 2.4 MB of ones
  EXPECT_EQ(file.openDataSet("small").getCreatePlist().getLayout(), H5D_CONTIGUOUS);
  std::string text;
  const H5::Attribute unit = plain.openAttribute("unit");
  unit.read(unit.getStrType(), text);
  EXPECT_EQ(text, "hartree");
  EXPECT_TRUE(unit.getStrType().isVariableStr());
  EXPECT_TRUE(plain.attrExists("description"));
  EXPECT_FALSE(packed.attrExists("description"));
}

TEST(Hdf5File, PiecesAddUpToTheWhole) {
  const TemporaryFolder folder;
  constexpr std::uint64_t columns = 3, rows = 150000, piece = 40000;
  std::vector<double> expected(columns * rows);
  std::iota(expected.begin(), expected.end(), 0.5);
  {
    Hdf5File file = Hdf5File::create(folder / "x.h5");
    auto dataset = file.root().create_dataset<double>("v", {columns, rows}, {"1", "vectors"});
    for (std::uint64_t column = 0; column < columns; ++column) {
      for (std::uint64_t first = 0; first < rows; first += piece) {
        const std::uint64_t count = std::min(piece, rows - first);
        const std::span<const double> all(expected);
        dataset.write(all.subspan(column * rows + first, count), {column, first}, {1, count});
      }
    }
    file.close();
  }
  const Hdf5File file = Hdf5File::open(folder / "x.h5");
  EXPECT_EQ(file.root().read<double>("v", {columns, rows}), expected);
  const auto dataset = file.root().open_dataset<double>("v");
  std::vector<double> box(4);
  dataset.read(box, {1, 65535}, {2, 2});
  const double corner = expected[rows + 65535];
  EXPECT_EQ(box, (std::vector<double>{corner, corner + 1, corner + rows, corner + rows + 1}));
  EXPECT_THROW(dataset.read(box, {1, rows - 1}, {2, 2}), DimensionError);
  EXPECT_THROW(dataset.read(box, {0, 0}, {1, 3}), DimensionError);
  EXPECT_THROW(dataset.read(box, {0}, {4}), DimensionError);
}

TEST(Hdf5File, StringsComeBack) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = {"", "2220", std::string(100000, 'x'), "<S²>"};
  for (const Hdf5Strings storage : {Hdf5Strings::variable_length, Hdf5Strings::fixed_length}) {
    Hdf5File file = Hdf5File::create(folder / "x.h5", {}, storage);
    file.root().write_attribute("empty", "");
    file.root().write_attribute("text", "<S²>");
    file.root().write_strings("s", lines, {2, 2}, {.description = "lines"});
    file.root().write_strings("none", {}, {0}, {.description = "lines"});
    file.root().write_string("one", "a\nb", {.description = "text"});
    file.close();

    file = Hdf5File::open(folder / "x.h5");
    EXPECT_EQ(file.root().read_attribute<std::string>("empty"), "");
    EXPECT_EQ(file.root().read_attribute<std::string>("text"), "<S²>");
    const auto found = file.root().read_strings("s");
    EXPECT_EQ(found.shape, (Hdf5Shape{2, 2}));
    EXPECT_EQ(found.values, lines);
    EXPECT_TRUE(file.root().read_strings("none").values.empty());
    EXPECT_EQ(file.root().read_string("one"), "a\nb");
    EXPECT_THROW(file.root().read_string("s"), InputError);
    EXPECT_THROW(file.root().read<double>("s"), InputError);
  }
}

TEST(Hdf5File, ReadsStringsOfFixedLength) {
  const TemporaryFolder folder;
  {
    H5::H5File file((folder / "x.h5").string(), H5F_ACC_TRUNC);
    const H5::StrType type(H5::PredType::C_S1, 4);
    const hsize_t size = 2;
    file.createDataSet("s", type, H5::DataSpace(1, &size)).write("ab\0\0cdef", type);
  }
  const Hdf5File file = Hdf5File::open(folder / "x.h5");
  EXPECT_EQ(file.root().read_strings("s").values, (std::vector<std::string>{"ab", "cdef"}));
}

/// As TREXIO's library takes them: attributes of fixed length, datasets of variable length that may grow, ASCII, no seal.
TEST(Hdf5File, WritesWhatOtherProgramsMayAddTo) {
  const TemporaryFolder folder;
  const std::vector<std::string> names = {"a", "long name"};
  const std::vector<std::uint16_t> numbers = {1, 65535, 300};
  {
    Hdf5File file = Hdf5File::create(folder / "x.h5", {}, Hdf5Strings::ascii, Hdf5Seal::none);
    file.root().write_attribute("text", "fixed");
    file.root().write_strings("names", names, {2}, {.description = "names"});
    file.root().write<std::uint16_t>("numbers", numbers, {3}, {.description = "numbers"},
                                     Hdf5Packing::extensible);
    file.root().write<double>("nothing", {}, {0}, {.description = "none yet"}, Hdf5Packing::extensible);
    file.close();
  }
  {
    const H5::H5File file((folder / "x.h5").string(), H5F_ACC_RDWR);
    EXPECT_FALSE(file.openGroup("/").attrExists("seal"));
    const H5::StrType text = file.openGroup("/").openAttribute("text").getStrType();
    EXPECT_FALSE(text.isVariableStr());
    EXPECT_EQ(text.getCset(), H5T_CSET_ASCII);
    EXPECT_TRUE(file.openDataSet("names").getStrType().isVariableStr());
    const hsize_t longer[] = {5};
    const H5::DataSet dataset = file.openDataSet("numbers");
    dataset.extend(longer);
    const std::uint16_t five[] = {1, 65535, 300, 4, 5};
    dataset.write(five, H5::PredType::NATIVE_UINT16);
    EXPECT_EQ(dataset.getDataType().getSize(), 2U);
  }
  const Hdf5File file = Hdf5File::open(folder / "x.h5");
  EXPECT_EQ(file.root().read_attribute<std::string>("text"), "fixed");
  EXPECT_EQ(file.root().read_strings("names").values, names);
  const std::vector<std::uint16_t> longer = {1, 65535, 300, 4, 5};
  EXPECT_EQ(file.root().read<std::uint16_t>("numbers").values, longer);
  EXPECT_TRUE(file.root().read<double>("nothing").values.empty());
}

TEST(Hdf5File, ShapesAndTypesAreChecked) {
  const TemporaryFolder folder;
  {
    Hdf5File file = Hdf5File::create(folder / "x.h5");
    Hdf5Group root = file.root();
    const std::vector<double> six(6, 1.0);
    EXPECT_THROW(root.write<double>("d", six, {2, 2}, {"1", ""}), DimensionError);
    EXPECT_THROW(root.write<double>("d", six, {6}, {}), DimensionError);  // says nothing of its meaning
    root.write<double>("d", six, {2, 3}, {"1", ""});
    EXPECT_THAT(message_of<SystemError>([&] {
                  root.write<double>("d", six, {6}, {"1", ""});
                }),
                AllOf(HasSubstr("x.h5"), HasSubstr("/d")));
  }
  Hdf5File file = Hdf5File::create(folder / "y.h5");
  file.root().write<double>("d", std::vector<double>(6, 1.0), {2, 3}, {"1", ""});
  file.close();
  file = Hdf5File::open(folder / "y.h5");
  EXPECT_THAT(message_of<InputError>([&] {
                file.root().read<double>("d", {3, 2});
              }),
              AllOf(HasSubstr("[2, 3]"), HasSubstr("[3, 2]"), HasSubstr("/d"), HasSubstr("y.h5")));
  EXPECT_THROW(file.root().read<std::int64_t>("d"), InputError);
  EXPECT_THROW(file.root().read_strings("d"), InputError);
  EXPECT_THROW(file.root().read<double>("e"), InputError);
  EXPECT_THROW(file.root().open_group("d2"), InputError);
}

TEST(Hdf5File, RefusesWhatIsNoHdf5File) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text") << "just text";
  std::ofstream(folder / "empty");
  const auto open = [&](const std::string& name) {
    return message_of<InputError>([&] { Hdf5File::open(folder / name); });
  };
  EXPECT_THAT(open("text"), AllOf(HasSubstr("text"), HasSubstr("not an HDF5 file")));
  EXPECT_THAT(open("empty"), HasSubstr("not an HDF5 file"));
  EXPECT_THAT(open("absent"), AllOf(HasSubstr("absent"), HasSubstr("No such file")));
  EXPECT_THAT(open("."), HasSubstr("not a plain file"));
}

/// Lets every later write to `file`, which this process has open, fail as on a full disk.
void fill_the_disk(const std::filesystem::path& file) {
  const int full = ::open("/dev/full", O_RDWR);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    if (std::filesystem::read_symlink(entry.path(), ignored) == file) {
      ::dup2(full, std::stoi(entry.path().filename().string()));
    }
  }
  ::close(full);
}

TEST(Hdf5File, FullDiskIsOneErrorAndNoCrash) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  // The library crashes at exit while its buffers cannot be written, so a child has to end orderly.
  for (const int stage : {0, 1, 2, 3}) {
    const TemporaryFolder folder;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const std::string message = message_of<SystemError>([&] {
        Hdf5File file = Hdf5File::create(folder / "x.h5");
        const std::vector<double> values(300000, 1.0);
        const auto full_from = [&](int at) {
          if (at == stage) fill_the_disk(folder / "x.h5");
        };
        full_from(0);
        file.root().write<double>("small", std::span(values).first(2000), {2000}, {"1", ""});
        full_from(1);
        file.root().write<double>("packed", values, {300000}, {"1", ""}, Hdf5Packing::compressed);
        full_from(2);
        file.root().write<double>("big", values, {3, 100000}, {"1", ""});
        full_from(3);
        file.close();
      });
      const bool good = message.find("No space left on device") != std::string::npos &&
                        message.find("x.h5") != std::string::npos;
      std::exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "stage " << stage;
  }
}

}  // namespace test_hdf5_file
}  // namespace cisolve
