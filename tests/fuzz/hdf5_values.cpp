// SPDX-License-Identifier: MIT
#include "fuzz/hdf5_values.hpp"

#include <H5Cpp.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "cisolve/core/error.hpp"
#include "fuzz/memory_file.hpp"
#include "io/hdf5_state.hpp"

namespace cisolve::fuzz {
namespace {

constexpr std::uint64_t most_elements = 1 << 14;  // that are written; a larger shape is a claim

/// What a dataset or an attribute holds.
struct Values {
  H5::DataType type;
  std::vector<hsize_t> shape;
  std::string bytes;               ///< of numbers
  std::vector<std::string> texts;  ///< if they are no numbers

  bool are_texts() const { return type.getClass() == H5T_STRING; }
  std::uint64_t count() const {
    std::uint64_t product = 1;
    for (const hsize_t extent : shape)
      if (__builtin_mul_overflow(product, extent, &product)) return std::numeric_limits<std::uint64_t>::max();
    return product;
  }
  H5::DataSpace space() const {
    return shape.empty() ? H5::DataSpace(H5S_SCALAR)
                         : H5::DataSpace(static_cast<int>(shape.size()), shape.data());
  }
};

void get(const H5::Attribute& from, const H5::DataType& type, void* to) { from.read(type, to); }
void get(const H5::DataSet& from, const H5::DataType& type, void* to) { from.read(to, type); }
void put(const H5::Attribute& to, const H5::DataType& type, const void* from) { to.write(type, from); }
void put(const H5::DataSet& to, const H5::DataType& type, const void* from) { to.write(from, type); }

template <class Object>
Values read(const Object& object) {
  Values values{object.getDataType(), {}, {}, {}};
  const H5::DataSpace space = object.getSpace();
  values.shape.resize(space.getSimpleExtentNdims());
  if (!values.shape.empty()) space.getSimpleExtentDims(values.shape.data());
  const std::uint64_t count = std::min(values.count(), most_elements);
  if (count != values.count()) return values;  // a claim
  if (values.are_texts()) {
    values.texts = hdf5::read_strings(object, count);
  } else {
    values.bytes.resize(count * values.type.getSize());
    if (count > 0) get(object, values.type, values.bytes.data());
  }
  return values;
}

H5::DataType type_in_file(const Values& values, const hdf5::StringsToWrite& texts) {
  if (values.are_texts()) return texts.type();
  return values.type;
}

/// Writes what may be written.
template <class Object>
void write(const Object& object, const Values& values, const hdf5::StringsToWrite& texts) {
  if (values.count() == 0 || values.count() > most_elements) return;
  if (values.are_texts()) put(object, texts.type(), texts.data());
  if (!values.are_texts()) put(object, values.type, values.bytes.data());
}

class Change {
public:
  Change(unsigned seed, const ChangeBytes& change) : random_(seed), change_(change) {}

  /// Goes down from a group to something that it changes.
  /// @return whether there was something: not in groups that are empty
  bool walk(const H5::Group& group) {
    const auto attributes = static_cast<std::uint64_t>(group.getNumAttrs());
    const std::uint64_t links = group.getNumObjs();
    constexpr int draws = 16;
    for (int draw = 0; draw < draws && attributes + links > 0; ++draw) {
      const std::uint64_t at = below(attributes + links);
      if (at < attributes) {
        change_attribute(group, static_cast<unsigned>(at));
        return true;
      }
      const std::string name = group.getObjnameByIdx(at - attributes);
      if (below(32) == 0) {
        const std::string other = group.getObjnameByIdx(below(links));
        group.unlink(name);
        if (other != name) H5Lcreate_hard(group.getId(), other.c_str(), group.getId(), name.c_str(), 0, 0);
        return true;
      }
      if (group.childObjType(name) != H5O_TYPE_GROUP) {
        change_dataset(group, name);
        return true;
      }
      if (walk(group.openGroup(name))) return true;
    }
    return false;
  }

private:
  std::uint64_t below(std::uint64_t count) {
    return std::uniform_int_distribution<std::uint64_t>(0, count - 1)(random_);
  }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }

  void change_attribute(const H5::Group& group, unsigned at) {
    H5::Attribute attribute = group.openAttribute(at);
    const std::string name = attribute.getName();
    Values values = read(attribute);
    const bool is_new = change(values);
    if (values.count() > most_elements) return;  // the library takes memory for all of an attribute
    const hdf5::StringsToWrite texts(values.texts, storage_, hdf5::StringsToWrite::For::attribute);
    if (is_new) {
      group.removeAttr(name);
      if (below(4) == 0) return;
      attribute = group.createAttribute(name, type_in_file(values, texts), values.space());
    }
    write(attribute, values, texts);
  }

  void change_dataset(const H5::Group& group, const std::string& name) {
    H5::DataSet dataset = group.openDataSet(name);
    Values values = read(dataset);
    const bool is_new = change(values);
    const hdf5::StringsToWrite texts(values.texts, storage_, hdf5::StringsToWrite::For::dataset);
    if (is_new) {
      group.unlink(name);
      if (below(4) == 0) return;
      dataset = group.createDataSet(name, type_in_file(values, texts), values.space());
    }
    write(dataset, values, texts);
  }

  /// @return whether it has another shape or type then
  bool change(Values& values) {
    const bool is_fixed_text = values.are_texts() && !H5Tis_variable_str(values.type.getId());
    storage_ = is_fixed_text ? Hdf5Strings::fixed_length : Hdf5Strings::variable_length;
    const std::uint64_t kind = below(16);
    if (kind < 2) change_shape(values.shape);
    if (kind == 2 && !values.are_texts())
      values.type = one_of<H5::DataType>({H5::PredType::NATIVE_INT32, H5::PredType::NATIVE_INT64,
                                          H5::PredType::NATIVE_UINT8, H5::PredType::NATIVE_UINT64,
                                          H5::PredType::NATIVE_DOUBLE, H5::StrType(H5::PredType::C_S1, 4)});
    const std::uint64_t count = values.count() > most_elements ? 0 : values.count();
    if (values.are_texts()) values.texts.resize(count, values.texts.empty() ? "" : values.texts.front());
    if (!values.are_texts())
      values.bytes.resize(count * values.type.getSize(), values.bytes.empty() ? '\0' : values.bytes.front());
    for (std::uint64_t k = kind < 3 || count == 0 ? 0 : kind == 3 ? count : 1 + below(2); k > 0; --k) {
      const std::uint64_t at = kind == 3 ? k - 1 : below(count);
      if (values.are_texts()) {
        values.texts[at] = change_(values.texts[at]);
      } else {
        const std::size_t size = values.type.getSize();
        change_number(values.type.getClass() == H5T_FLOAT, std::span(values.bytes).subspan(at * size, size));
      }
    }
    return kind < 3 || is_fixed_text;
  }

  void change_shape(std::vector<hsize_t>& shape) {
    const auto at = shape.begin() + static_cast<std::ptrdiff_t>(below(shape.size() + 1));
    if (at == shape.end()) {
      shape.push_back(one_of<hsize_t>({0, 1, 2, 3}));
    } else if (below(8) == 0) {
      shape.erase(at);
    } else {
      *at = one_of<hsize_t>({0, 1, *at - std::min<hsize_t>(*at, 1), *at + 1, 2 * *at, 1 << 20, 1ULL << 40});
    }
  }

  void change_number(bool is_real, std::span<char> bytes) {
    std::string changed(bytes.begin(), bytes.end());
    if (below(4) == 0) {
      changed = change_(changed);
    } else if (is_real && bytes.size() == sizeof(double)) {
      using limits = std::numeric_limits<double>;
      const double value = one_of({0.0, 1.0, -1.0, 1e-320, 1e10, limits::max(), limits::quiet_NaN(),
                                   limits::infinity(), -limits::infinity()});
      std::memcpy(changed.data(), &value, sizeof value);
    } else {
      std::uint64_t old = 0;
      std::memcpy(&old, bytes.data(), std::min(bytes.size(), sizeof old));
      const std::uint64_t value = one_of<std::uint64_t>(
          {0, 1, 2, 8, 9, 63, 64, 65, 1000, old + 1, old - 1, 2 * old, 1U << 20, 0x7fffffff, 0x80000000,
           1ULL << 32, 0x7fffffffffffffff, 0x8000000000000000, ~0ULL});
      std::memcpy(changed.data(), &value, std::min(changed.size(), sizeof value));
    }
    changed.resize(bytes.size());
    std::ranges::copy(changed, bytes.begin());
  }

  std::mt19937 random_;
  const ChangeBytes& change_;
  Hdf5Strings storage_ = Hdf5Strings::fixed_length;
};

}  // namespace

bool ends_in_seal(std::string_view file) { return file.ends_with("cisolve seal, version 1\n"); }

std::optional<std::string> change_values(std::string_view file, unsigned seed, const ChangeBytes& change) {
  if (!ends_in_seal(file)) return std::nullopt;
  static MemoryFile memory("values");
  const std::filesystem::path path = memory.with(file);
  try {
    Hdf5FileState state(SealedBytes::open(path, SealedBytes::Use::modify), "values", H5F_ACC_RDWR);
    Change(seed, change).walk(state.file->openGroup("/"));
    state.close();
    return memory.content();
  } catch (const Error&) {  // of ours
    return std::nullopt;
  } catch (const H5::Exception&) {
    return std::nullopt;
  }
}

}  // namespace cisolve::fuzz
