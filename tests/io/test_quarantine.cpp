// SPDX-License-Identifier: MIT
// HDF5 files without a seal, made by others, as a damaged or hostile one may be.
#include <H5Cpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <chrono>
#include <functional>
#include <numeric>

#include "cisolve/core/error.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve {
namespace test_quarantine {

using test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

/// Why a file is not read that `fill` made.
std::string refusal(const std::function<void(H5::H5File&)>& fill) {
  const TemporaryFolder folder;
  {
    H5::FileAccPropList properties;
    properties.setLibverBounds(H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
    H5::H5File file(folder / "x.h5", H5F_ACC_TRUNC, H5::FileCreatPropList::DEFAULT, properties);
    fill(file);
  }
  try {
    Hdf5File::open(folder / "x.h5");
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("x.h5' is damaged"));
    return error.what();
  }
  return "accepted";
}

H5::DataSpace list_of(hsize_t extent) { return H5::DataSpace(1, &extent); }

TEST(Quarantine, NumbersAndTextComeThrough) {
  const TemporaryFolder folder;
  std::vector<std::int64_t> many(300000);
  std::iota(many.begin(), many.end(), -5);
  {
    const H5::H5File file(folder / "x.h5", H5F_ACC_TRUNC);
    const H5::Group group = file.createGroup("a").createGroup("b");
    H5::DSetCreatPropList packed;
    const hsize_t chunk = 1000;
    packed.setChunk(1, &chunk);
    packed.setShuffle();
    packed.setDeflate(4);
    packed.setFletcher32();
    group.createDataSet("many", H5::PredType::STD_I64BE, list_of(many.size()), packed)
        .write(many.data(), H5::PredType::NATIVE_INT64);
    const H5::StrType text(H5::PredType::C_S1, H5T_VARIABLE);
    const char* words[] = {"two", "", "words"};
    group.createDataSet("words", text, list_of(3)).write(words, text);
    file.createAttribute("title", text, H5::DataSpace(H5S_SCALAR)).write(text, std::string("water"));
    const H5::StrType fixed(H5::PredType::C_S1, 4);
    group.createDataSet("fixed", fixed, list_of(2)).write("ab\0\0cdef", fixed);
    const double value = 0.5;
    group.createDataSet("value", H5::PredType::IEEE_F32LE, H5::DataSpace(H5S_SCALAR))
        .write(&value, H5::PredType::NATIVE_DOUBLE);
    group.createDataSet("nothing", H5::PredType::NATIVE_INT, list_of(0));
  }
  const Hdf5File file = Hdf5File::open(folder / "x.h5");
  EXPECT_EQ(file.root().read_attribute<std::string>("title"), "water");
  const Hdf5Group group = file.root().open_group("a").open_group("b");
  EXPECT_EQ(group.read<std::int64_t>("many").values, many);
  EXPECT_EQ(group.read_strings("words", {3}), (std::vector<std::string>{"two", "", "words"}));
  EXPECT_EQ(group.read_strings("fixed", {2}), (std::vector<std::string>{"ab", "cdef"}));
  EXPECT_EQ(group.read<double>("value", {}), std::vector<double>{0.5});
  EXPECT_TRUE(group.read<std::int32_t>("nothing").values.empty());
}

TEST(Quarantine, AFileWithoutASealGetsOneWhenItIsModified) {
  const TemporaryFolder folder;
  { H5::H5File(folder / "x.h5", H5F_ACC_TRUNC).createGroup("old"); }
  {
    Hdf5File file = Hdf5File::modify(folder / "x.h5");
    file.root().create_group("new");
    file.close();
  }
  const Hdf5File file = Hdf5File::open(folder / "x.h5");
  EXPECT_TRUE(file.root().contains("old") && file.root().contains("new") &&
              file.root().has_attribute("seal"));
}

TEST(Quarantine, LinksAreNotFollowed) {
  EXPECT_THAT(refusal([](H5::H5File& file) {
                H5Lcreate_external("/etc/other.h5", "/", file.getId(), "away", H5P_DEFAULT, H5P_DEFAULT);
              }),
              HasSubstr("link '/away' leads elsewhere"));
  EXPECT_THAT(refusal([](H5::H5File& file) {
                const H5::Group group = file.createGroup("a");
                H5Lcreate_soft("/a/b", group.getId(), "b", H5P_DEFAULT, H5P_DEFAULT);  // to itself
              }),
              HasSubstr("link '/a/b' leads elsewhere"));
  EXPECT_THAT(refusal([](H5::H5File& file) {
                const H5::Group group = file.createGroup("a");
                H5Lcreate_hard(file.getId(), "/a", group.getId(), "again", H5P_DEFAULT, H5P_DEFAULT);
              }),
              HasSubstr("more than 16 levels deep"));
}

TEST(Quarantine, DatasetsHaveTheirValuesInThisFile) {
  EXPECT_THAT(refusal([](H5::H5File& file) {
                H5::DSetCreatPropList elsewhere;
                elsewhere.setExternal("/etc/passwd", 0, 80);
                file.createDataSet("secret", H5::PredType::NATIVE_DOUBLE, list_of(10), elsewhere);
              }),
              HasSubstr("'/secret' has its values in other files"));
  EXPECT_THAT(refusal([](H5::H5File& file) {
                const H5::DataSpace space = list_of(10);
                const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
                H5Pset_virtual(properties, space.getId(), "other.h5", "/x", space.getId());
                H5Dclose(H5Dcreate2(file.getId(), "view", H5T_NATIVE_DOUBLE, space.getId(), H5P_DEFAULT,
                                    properties, H5P_DEFAULT));
                H5Pclose(properties);
              }),
              HasSubstr("'/view' is put together from other files"));
}

TEST(Quarantine, SizesAreCheckedBeforeTheyAreTaken) {
  EXPECT_THAT(refusal([](H5::H5File& file) {
                H5::DSetCreatPropList properties;
                const hsize_t chunk = 1 << 27;
                properties.setChunk(1, &chunk);
                file.createDataSet("huge", H5::PredType::NATIVE_DOUBLE, list_of(hsize_t{1} << 40),
                                   properties);
              }),
              HasSubstr("'/huge' claims more values than there are bytes"));
  EXPECT_THAT(refusal([](H5::H5File& file) {
                H5::DSetCreatPropList properties;
                const hsize_t chunk = 1 << 24;
                properties.setChunk(1, &chunk);
                properties.setDeflate(9);
                const std::vector<double> values(chunk, 0.0);
                file.createDataSet("chunk", H5::PredType::NATIVE_DOUBLE, list_of(chunk), properties)
                    .write(values.data(), H5::PredType::NATIVE_DOUBLE);
              }),
              HasSubstr("'/chunk' has chunks of more than 64 MiB"));
}

/// 640 MiB of zeros in 640 KiB.
TEST(Quarantine, DecompressionBombsAreNotUnpacked) {
  const std::vector<Bytef> zeros(16 << 20, 0);
  std::vector<Bytef> packed(1 << 20);
  uLongf size = packed.size();
  ASSERT_EQ(::compress2(packed.data(), &size, zeros.data(), zeros.size(), 9), Z_OK);
  EXPECT_THAT(refusal([&](H5::H5File& file) {
                H5::DSetCreatPropList properties;
                const hsize_t chunk = zeros.size();
                properties.setChunk(1, &chunk);
                properties.setDeflate(9);
                const H5::DataSet bomb =
                    file.createDataSet("bomb", H5::PredType::NATIVE_UINT8, list_of(40 * chunk), properties);
                for (hsize_t k = 0; k < 40; ++k) {
                  const hsize_t at = k * chunk;
                  H5Dwrite_chunk(bomb.getId(), H5P_DEFAULT, 0, &at, size, packed.data());
                }
              }),
              HasSubstr("'/bomb' unpacks to more than a file of its size may hold"));
}

TEST(Quarantine, OtherTypesAndFiltersAreRefused) {
  EXPECT_THAT(refusal([](H5::H5File& file) {
                H5::CompType three(std::size_t{24});
                for (const char* name : {"x", "y", "z"}) {
                  three.insertMember(name, 8 * static_cast<std::size_t>(*name - 'x'),
                                     H5::PredType::NATIVE_DOUBLE);
                }
                file.createDataSet("vectors", three, list_of(2));
              }),
              HasSubstr("'/vectors' holds neither numbers"));
  EXPECT_THAT(refusal([](H5::H5File& file) {
                H5::CompType pair(std::size_t{16});
                pair.insertMember("r", 0, H5::PredType::NATIVE_DOUBLE);
                pair.insertMember("i", 8, H5::PredType::NATIVE_INT64);
                file.createDataSet("pair", pair, list_of(2));
              }),
              HasSubstr("'/pair' holds neither numbers"));
  EXPECT_THAT(
      refusal([](H5::H5File& file) { file.createDataSet("long", H5::PredType::NATIVE_LDOUBLE, list_of(2)); }),
      HasSubstr("'/long' holds neither numbers"));
  EXPECT_THAT(refusal([](H5::H5File& file) {
                file.createAttribute("link", H5::PredType::STD_REF_OBJ, H5::DataSpace(H5S_SCALAR));
              }),
              HasSubstr("'/@link' holds neither numbers"));
  EXPECT_THAT(refusal([](H5::H5File& file) { H5::IntType(H5::PredType::NATIVE_INT).commit(file, "kind"); }),
              HasSubstr("'/kind' is neither a group nor a dataset"));
  EXPECT_THAT(refusal([](H5::H5File& file) {
                H5::DSetCreatPropList properties;
                const hsize_t chunk = 4;
                properties.setChunk(1, &chunk);
                properties.setNbit();
                file.createDataSet("packed", H5::PredType::NATIVE_INT, list_of(4), properties);
              }),
              HasSubstr("'/packed' is packed by filter 5"));
}

/// Files that ended in memory errors, or not at all, inside the HDF5 library.
TEST(Quarantine, WhatTheLibraryDiesOfIsASentence) {
  const std::filesystem::path folder = std::filesystem::path(CISOLVE_TEST_DATA) / "damaged";
  const auto begin = std::chrono::steady_clock::now();
  for (const char* name : {"string_crashes.h5", "string_frees_nothing.h5", "heap_without_end.h5"}) {
    std::string message = "accepted";
    try {
      Hdf5File::open(folder / name);
    } catch (const InputError& error) {
      message = error.what();
    }
    EXPECT_THAT(message, AllOf(HasSubstr(name), HasSubstr("is damaged")));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

}  // namespace test_quarantine
}  // namespace cisolve
