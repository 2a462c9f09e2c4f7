// SPDX-License-Identifier: MIT
// Complex numbers in HDF5 files, ours and those of other programs, and what is known of data before they are read.
#include <H5Cpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_hdf5_complex {

using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Complex = std::complex<double>;
using Kind = Hdf5Content::Kind;

/// Numbers that floats hold exactly.
std::vector<Complex> some_numbers(std::size_t count) {
  std::vector<Complex> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = {0.25 * static_cast<double>(i), -1.0 - static_cast<double>(i)};
  return values;
}

/// A file that another program made.
std::filesystem::path make_foreign(const TemporaryFolder& folder,
                                   const std::function<void(H5::H5File&)>& fill) {
  const std::filesystem::path path = folder / "x.h5";
  H5::H5File file(path, H5F_ACC_TRUNC);
  fill(file);
  return path;
}

H5::CompType pair_of(const H5::DataType& part, const char* first, const char* second) {
  H5::CompType type(2 * part.getSize());
  type.insertMember(first, 0, part);
  type.insertMember(second, part.getSize(), part);
  return type;
}

TEST(Hdf5Complex, ComesBackWholeAndInPieces) {
  const TemporaryFolder folder;
  constexpr std::uint64_t rows = 300, columns = 400;  // above a mebibyte: chunked
  const std::vector<Complex> values = some_numbers(rows * columns);
  {
    Hdf5File file = Hdf5File::create(folder / "x.h5");
    file.root().write<Complex>("whole", values, {rows, columns}, {"hartree"});
    auto pieces =
        file.root().create_dataset<Complex>("pieces", {rows, columns}, {"hartree"}, Hdf5Packing::compressed);
    for (std::uint64_t row = 0; row < rows; row += 100) {
      pieces.write(std::span(values).subspan(row * columns, 100 * columns), {row, 0}, {100, columns});
    }
    file.close();
  }
  const Hdf5File file = Hdf5File::open(folder / "x.h5");
  EXPECT_EQ(file.root().read<Complex>("pieces", {rows, columns}), values);
  const auto whole = file.root().open_dataset<Complex>("whole");
  EXPECT_EQ(whole.shape(), (Hdf5Shape{rows, columns}));
  std::vector<Complex> box(2 * 3);
  whole.read(box, {298, 397}, {2, 3});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(box[i], values[(298 + i / 3) * columns + 397 + i % 3]);
  EXPECT_THROW(file.root().read<double>("whole"), InputError);
}

TEST(Hdf5Complex, IsWrittenAsH5pyDoes) {
  const TemporaryFolder folder;
  Hdf5File ours = Hdf5File::create(folder / "x.h5");
  ours.root().write<Complex>("v", std::vector<Complex>{{1.5, -2.0}}, {1}, {"1"});
  ours.close();
  const H5::H5File file(folder / "x.h5", H5F_ACC_RDONLY);
  const H5::DataSet dataset = file.openDataSet("v");
  EXPECT_TRUE(dataset.getDataType() == pair_of(H5::PredType::NATIVE_DOUBLE, "r", "i"));
  double parts[2];
  dataset.read(parts, dataset.getDataType());
  EXPECT_THAT(parts, ElementsAre(1.5, -2.0));
}

TEST(Hdf5Complex, OfOtherProgramsIsConverted) {
  const TemporaryFolder folder;
  const std::vector<Complex> values = some_numbers(2000);
  const std::vector<hsize_t> shape = {50, 40}, with_pairs = {50, 40, 2}, chunk = {7, 11};
  const auto path = make_foreign(folder, [&](H5::H5File& file) {
    const H5::DataSpace space(2, shape.data()), pairs(3, with_pairs.data());
    const H5::CompType in_memory = pair_of(H5::PredType::NATIVE_DOUBLE, "re", "im");
    H5::DSetCreatPropList packed;
    packed.setChunk(2, chunk.data());
    packed.setShuffle();
    packed.setDeflate(4);
    packed.setFletcher32();
    file.createDataSet("floats", pair_of(H5::PredType::IEEE_F32BE, "re", "im"), space, packed)
        .write(values.data(), in_memory);
    file.createDataSet("doubles", pair_of(H5::PredType::IEEE_F64BE, "re", "im"), space)
        .write(values.data(), in_memory);
    file.createDataSet("pairs", H5::PredType::IEEE_F64BE, pairs)
        .write(values.data(), H5::PredType::NATIVE_DOUBLE);
  });
  const Hdf5File file = Hdf5File::open(path);
  for (const char* name : {"floats", "doubles", "pairs"}) {
    EXPECT_EQ(file.root().read<Complex>(name, {50, 40}), values) << name;
  }
  std::vector<Complex> box(4);
  file.root().open_dataset<Complex>("pairs").read(box, {48, 3}, {2, 2});
  EXPECT_THAT(
      box, ElementsAre(values[48 * 40 + 3], values[48 * 40 + 4], values[49 * 40 + 3], values[49 * 40 + 4]));
  EXPECT_THROW(file.root().read<Complex>("pairs", {50, 40, 2}), InputError);
}

TEST(Hdf5Content, IsKnownBeforeReading) {
  const TemporaryFolder folder;
  const auto path = make_foreign(folder, [](H5::H5File& file) {
    const hsize_t extents[] = {2, 3};
    const H5::DataSpace space(2, extents);
    const float zeros[12] = {};
    const H5::CompType pair = pair_of(H5::PredType::NATIVE_FLOAT, "r", "i");
    file.createDataSet("complex", pair, space).write(zeros, pair);
    file.createDataSet("real", H5::PredType::IEEE_F32LE, space).write(zeros, H5::PredType::NATIVE_FLOAT);
    file.createDataSet("integer", H5::PredType::STD_U16BE, space).write(zeros, H5::PredType::NATIVE_FLOAT);
    const H5::StrType text(H5::PredType::C_S1, 2);
    file.createDataSet("text", text, space).write(zeros, text);
    file.createGroup("group");
    const std::int8_t numbers[] = {-1, 2, 3, 4, 5, 6};
    file.createAttribute("numbers", H5::PredType::STD_I8LE, space).write(H5::PredType::NATIVE_INT8, numbers);
    file.createAttribute("none", H5::PredType::STD_I8LE, H5::DataSpace(H5S_NULL));
  });
  const Hdf5File file = Hdf5File::open(path);
  const Hdf5Group root = file.root();
  const Hdf5Shape shape = {2, 3};
  const auto describes = [&](const Hdf5Content& content, Kind kind, std::size_t bytes, bool is_signed) {
    return content.kind == kind && content.bytes == bytes && content.is_signed == is_signed &&
           content.shape == shape;
  };
  EXPECT_TRUE(describes(root.content_of("complex"), Kind::complex, 4, true));
  EXPECT_TRUE(describes(root.content_of("real"), Kind::real, 4, true));
  EXPECT_TRUE(describes(root.content_of("integer"), Kind::integer, 2, false));
  EXPECT_TRUE(describes(root.content_of("text"), Kind::text, 0, true));
  EXPECT_TRUE(describes(root.attribute_content("numbers"), Kind::integer, 1, true));
  EXPECT_THAT(root.read_attribute_values<std::int64_t>("numbers"), ElementsAre(-1, 2, 3, 4, 5, 6));
  EXPECT_TRUE(root.read_attribute_values<std::int64_t>("none").empty());
  EXPECT_THROW(root.read_attribute<std::int64_t>("numbers"), InputError);  // not a single value
  EXPECT_THROW(root.read_attribute_values<double>("numbers"), InputError);
  EXPECT_THAT(root.names(), ElementsAre("complex", "group", "integer", "real", "text"));
  for (const char* name : {"group", "absent"}) {
    try {
      root.content_of(name);
      ADD_FAILURE() << name << " is no dataset";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("x.h5"), HasSubstr(std::string("no dataset '/") + name + "'")));
    }
  }
}

TEST(Hdf5Content, TextIsReadAsFortranPadsIt) {
  const TemporaryFolder folder;
  const auto path = make_foreign(folder, [](H5::H5File& file) {
    H5::StrType padded(H5::PredType::C_S1, 8);
    padded.setStrpad(H5T_STR_SPACEPAD);
    file.createAttribute("kind", padded, H5::DataSpace(H5S_SCALAR)).write(padded, "a b     ");
    file.createAttribute("blank", padded, H5::DataSpace(H5S_SCALAR)).write(padded, "        ");
  });
  const Hdf5File file = Hdf5File::open(path);
  EXPECT_EQ(file.root().read_attribute<std::string>("kind"), "a b");
  EXPECT_EQ(file.root().read_attribute<std::string>("blank"), "");
}

}  // namespace test_hdf5_complex
}  // namespace cisolve
