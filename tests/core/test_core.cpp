// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "cisolve/core/array.hpp"
#include "cisolve/core/hash.hpp"
#include "cisolve/core/memory.hpp"
#include "cisolve/core/names.hpp"

namespace cisolve {
namespace test_core {

TEST(Array, IsAlignedAtEverySize) {
  for (const std::size_t bytes : {1U, 63U, 64U, 65U, 8U << 20, (8U << 20) + 1, 33U << 20}) {
    Array<char> array(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % 64, 0U) << bytes;
    std::memset(array.data(), 1, bytes);  // all of it is ours
    EXPECT_EQ(array.size_bytes(), bytes);
  }
  EXPECT_EQ(Array<double>(0).data(), nullptr);
}

TEST(Array, MovesItsMemory) {
  Array<int> a(3);
  a[2] = 7;
  const int* data = a.data();
  Array<int> b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(b[2], 7);
  a = Array<int>(5);
  std::swap(a, b);
  EXPECT_EQ(a.data(), data);
  EXPECT_EQ(b.size(), 5U);
}

TEST(Hash, DependsOnValuesAndTheirOrder) {
  const auto digest = [](std::int64_t first, std::int64_t second) {
    Hasher hasher;
    hasher.add("name");
    hasher.add(first);
    hasher.add(second);
    return hasher.digest();
  };
  EXPECT_EQ(digest(1, 2), digest(1, 2));
  EXPECT_NE(digest(1, 2), digest(2, 1));
  Hasher ab;
  ab.add("ab");
  ab.add("c");
  Hasher a;
  a.add("a");
  a.add("bc");
  EXPECT_NE(ab.digest(), a.digest());
}

TEST(Memory, AvailableAndPeakAreSensible) {
  EXPECT_GT(available_memory(), std::int64_t{1} << 20);
  const std::int64_t before = peak_memory();
  constexpr std::size_t bytes = std::size_t{96} << 20;
  Array<char> array(bytes);
  std::memset(array.data(), 1, bytes);
  EXPECT_GE(peak_memory(), static_cast<std::int64_t>(bytes));
  EXPECT_GE(peak_memory(), before);
}

TEST(Names, NearestIgnoresCase) {
  const std::vector<std::string> names = {"C2v", "D2h", "Cs"};
  EXPECT_EQ(nearest_name("d2H", names), "D2h");
  EXPECT_EQ(nearest_name("c2u", names), "C2v");
  EXPECT_TRUE(equal_ignoring_case("D2h", "d2H"));
  EXPECT_FALSE(equal_ignoring_case("D2h", "D2"));
}

TEST(Names, EditDistanceCountsSwapsOnce) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", "acb"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Names, EditDistanceIsCountedAsFarAsAsked) {
  const std::vector<std::string> words = {
      "", "a", "abc", "acb", "kitten", "sitting", "solver.tolerance", "tolernace"};
  for (const std::string& a : words) {
    for (const std::string& b : words) {
      const std::size_t all = edit_distance(a, b);
      for (std::size_t enough = 1; enough < 20; ++enough) {
        const std::size_t found = edit_distance(a, b, enough);
        EXPECT_LE(found, all) << a << ' ' << b;
        EXPECT_GE(found, std::min(all, enough)) << a << ' ' << b;
      }
    }
  }
}

}  // namespace test_core
}  // namespace cisolve
