// SPDX-License-Identifier: MIT
#include "io/foreign_copy.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "io/hdf5_space.hpp"
#include "io/hdf5_state.hpp"

namespace cisolve::hdf5 {
namespace {

// Far beyond what cisolve writes.
constexpr int most_levels = 16;
constexpr std::int64_t most_objects = 1'000'000;
constexpr int most_attributes = 1000;
constexpr int most_axes = 8;
constexpr std::uint64_t most_attribute_bytes = 1 << 20;
constexpr std::uint64_t most_chunk_bytes = 64 << 20;
// What cisolve writes as a whole shrinks by less than 50.
constexpr std::uint64_t most_inflation = 50, free_inflation = 256 << 20;
constexpr std::uint64_t box_elements = 1 << 18;  // copied at once
constexpr std::uint64_t box_strings = 1 << 12;

struct Link {
  std::string name;
  H5L_type_t type;
};

extern "C" {
static herr_t note_link(hid_t /*group*/, const char* name, const H5L_info_t* info, void* data) {
  auto& links = *static_cast<std::vector<Link>*>(data);
  try {
    links.push_back({name, info->type});
  } catch (const std::exception&) {
    return -1;
  }
  return std::ssize(links) > most_objects ? -1 : 0;
}
}

std::vector<Link> links_of(const H5::Group& group) {
  std::vector<Link> links;
  hsize_t index = 0;
  if (H5Literate(group.getId(), H5_INDEX_NAME, H5_ITER_NATIVE, &index, note_link, &links) < 0) {
    throw H5::GroupIException("links_of", "the links of a group cannot be read");
  }
  return links;
}

std::vector<hsize_t> extents_of(const H5::DataSpace& space) {
  std::vector<hsize_t> shape(space.getSimpleExtentNdims());
  if (!shape.empty()) space.getSimpleExtentDims(shape.data());
  return shape;
}

/// The pointers of strings of variable length; the library's memory behind them goes with this.
class VariableStrings {
public:
  VariableStrings(const H5::DataType& type, const H5::DataSpace& space, std::uint64_t count)
      : type_(type.getId()), space_(space.getId()), pointers(count, nullptr) {}
  ~VariableStrings() { H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, pointers.data()); }
  VariableStrings(const VariableStrings&) = delete;
  VariableStrings& operator=(const VariableStrings&) = delete;

private:
  hid_t type_, space_;

public:
  std::vector<char*> pointers;
};

class ForeignCopy {
public:
  ForeignCopy(std::uint64_t file_bytes, const std::string& name)
      : file_bytes_(file_bytes), name_(name), budget_(free_inflation + most_inflation * file_bytes) {}

  void copy(const H5::Group& from, const H5::Group& to, const std::string& path, int level) {
    if (level > most_levels) refuse("group", path, "lies more than 16 levels deep");
    copy_attributes(from, to, path);
    for (const Link& link : links_of(from)) {
      const std::string object = path + (path == "/" ? "" : "/") + link.name;
      if (link.type != H5L_TYPE_HARD)
        refuse("link", object, "leads elsewhere, which cisolve does not follow");
      if (++objects_ > most_objects) refuse("object", object, "is one of more than a million");
      const hid_t id = H5Oopen(from.getId(), link.name.c_str(), H5P_DEFAULT);
      if (id < 0) throw H5::GroupIException("copy", "an object cannot be opened");
      const H5I_type_t kind = H5Iget_type(id);
      H5Oclose(id);
      if (kind == H5I_GROUP) {
        copy(from.openGroup(link.name), to.createGroup(link.name), object, level + 1);
      } else if (kind == H5I_DATASET) {
        copy_dataset(from.openDataSet(link.name), to, link.name, object);
      } else {
        refuse("object", object, "is neither a group nor a dataset");
      }
    }
  }

private:
  [[noreturn]] void refuse(const char* kind, const std::string& object, const std::string& why) const {
    throw InputError("'" + name_ + "' is damaged, or no file of cisolve: " + kind + " '" + object + "' " +
                     why);
  }

  void spend(std::uint64_t bytes, const char* kind, const std::string& object) {
    if (bytes > budget_) refuse(kind, object, "unpacks to more than a file of its size may hold");
    budget_ -= bytes;
  }

  /// The type that values are copied as.
  H5::DataType copied_type(const H5::AbstractDs& from, const char* kind, const std::string& object) const {
    const H5T_class_t found = from.getTypeClass();
    const H5::DataType type = from.getDataType();
    if (found == H5T_STRING) return type;
    const bool is_number = (found == H5T_INTEGER || found == H5T_FLOAT) && type.getSize() <= 8;
    const bool is_pair = found == H5T_COMPOUND && is_complex(from.getCompType());
    if (!is_number && !is_pair) {
      refuse(kind, object, "holds neither numbers of up to 64 bits, nor complex ones of such, nor text");
    }
    const hid_t native = H5Tget_native_type(type.getId(), H5T_DIR_ASCEND);
    if (native < 0) throw H5::DataTypeIException("copied_type", "a type cannot be read");
    H5::DataType result(native);
    H5Tclose(native);
    return result;
  }

  /// Number of elements, if they and their bytes are countable.
  std::uint64_t elements_of(const std::vector<hsize_t>& shape, std::uint64_t size, const char* kind,
                            const std::string& object) const {
    if (shape.size() > most_axes) refuse(kind, object, "has more than 8 axes");
    std::uint64_t elements = 1, bytes = 0;
    for (const hsize_t extent : shape) {
      if (__builtin_mul_overflow(elements, extent, &elements))
        refuse(kind, object, "has an impossible shape");
    }
    if (__builtin_mul_overflow(elements, size, &bytes)) refuse(kind, object, "has an impossible shape");
    return elements;
  }

  void copy_attributes(const H5::H5Object& from, const H5::H5Object& to, const std::string& object) {
    const int count = from.getNumAttrs();
    if (count > most_attributes) refuse("object", object, "has more than 1000 attributes");
    for (int k = 0; k < count; ++k) {
      const H5::Attribute attribute = from.openAttribute(static_cast<unsigned>(k));
      const std::string path = object + "@" + attribute.getName();
      if (object == "/" && attribute.getName() == "seal") {
        throw InputError(
            "'" + name_ +
            "' was changed by another program, or damaged, since cisolve wrote it: it has lost its "
            "seal");
      }
      const H5::DataType type = copied_type(attribute, "attribute", path);
      const H5::DataSpace space = attribute.getSpace();
      const std::uint64_t elements = elements_of(extents_of(space), type.getSize(), "attribute", path);
      if (elements * type.getSize() > std::min(most_attribute_bytes, file_bytes_)) {
        refuse("attribute", path, "claims more bytes than there are");
      }
      const H5::Attribute copy = to.createAttribute(attribute.getName(), type, space);
      if (elements == 0) continue;
      if (H5Tis_variable_str(type.getId()) > 0) {
        VariableStrings strings(type, space, elements);
        attribute.read(type, strings.pointers.data());
        write_strings(strings.pointers, "attribute", path,
                      [&](const char** texts) { copy.write(type, texts); });
      } else {
        std::vector<char> values(elements * type.getSize());
        attribute.read(type, values.data());
        copy.write(type, values.data());
      }
    }
  }

  template <class Write>
  void write_strings(const std::vector<char*>& pointers, const char* kind, const std::string& object,
                     Write&& write) {
    std::vector<const char*> texts;
    for (const char* text : pointers) {
      texts.push_back(text == nullptr ? "" : text);
      spend(std::char_traits<char>::length(texts.back()), kind, object);
    }
    write(texts.data());
  }

  /// Refuses storage that this program never uses; whether it is compressed.
  bool check_storage(const H5::DSetCreatPropList& properties, const std::string& object) const {
    const H5D_layout_t layout = properties.getLayout();
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) {
      refuse("dataset", object, "is put together from other files or datasets");
    }
    if (properties.getExternalCount() > 0) refuse("dataset", object, "has its values in other files");
    bool compressed = false;
    for (int k = 0; k < properties.getNfilters(); ++k) {
      unsigned flags = 0, config = 0;
      std::size_t count = 0;
      const H5Z_filter_t filter = properties.getFilter(k, flags, count, nullptr, 0, nullptr, config);
      compressed = compressed || filter == H5Z_FILTER_DEFLATE;
      if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32) {
        refuse("dataset", object,
               "is packed by filter " + std::to_string(filter) + ", which cisolve does not use");
      }
    }
    return compressed;
  }

  /// Extents of what is copied at once: a chunk, or rows as far as they fit.
  std::vector<hsize_t> box_of(const H5::DSetCreatPropList& properties, const std::vector<hsize_t>& shape,
                              std::uint64_t element_bytes, bool variable, const std::string& object) const {
    std::uint64_t room = variable ? box_strings : box_elements;
    std::vector<hsize_t> box(shape.size(), 1);
    if (properties.getLayout() == H5D_CHUNKED) {
      const int axes = properties.getChunk(static_cast<int>(box.size()), box.data());
      if (axes != static_cast<int>(box.size())) refuse("dataset", object, "has chunks of another shape");
      const std::uint64_t elements = elements_of(box, element_bytes, "chunk of dataset", object);
      if (elements == 0 || elements * element_bytes > most_chunk_bytes) {
        refuse("dataset", object, "has chunks of more than 64 MiB");
      }
      if (elements >= room) return box;
    }
    std::ranges::fill(box, 1);
    for (std::size_t axis = shape.size(); axis-- > 0 && room > 1;) {
      box[axis] = std::max<hsize_t>(1, std::min<hsize_t>(shape[axis], room));
      room /= box[axis];
    }
    return box;
  }

  void copy_dataset(const H5::DataSet& from, const H5::Group& to, const std::string& name,
                    const std::string& object) {
    const H5::DataType type = copied_type(from, "dataset", object);
    const H5::DSetCreatPropList properties = from.getCreatePlist();
    const bool compressed = check_storage(properties, object);
    const H5::DataSpace space = from.getSpace();
    const std::vector<hsize_t> shape = extents_of(space);
    const std::uint64_t stored_size = from.getDataType().getSize();
    const std::uint64_t elements =
        elements_of(shape, std::max<std::uint64_t>(stored_size, type.getSize()), "dataset", object);
    const std::uint64_t stored = std::min<std::uint64_t>(from.getStorageSize(), file_bytes_);
    if (elements * stored_size / (compressed ? deflate_limit : 1) > stored) {
      refuse("dataset", object, "claims more values than there are bytes");
    }
    spend(elements * type.getSize(), "dataset", object);
    const bool variable = H5Tis_variable_str(type.getId()) > 0;
    const std::vector<hsize_t> box = box_of(properties, shape, stored_size, variable, object);

    H5::DSetCreatPropList plain;
    if (!variable) plain.setFillTime(H5D_FILL_TIME_NEVER);
    // Of what may grow, what there is: other storage than chunks has one size.
    const H5::DataSpace as_it_is =
        shape.empty() ? space : H5::DataSpace(static_cast<int>(shape.size()), shape.data());
    const H5::DataSet copy = to.createDataSet(name, type, as_it_is, plain);
    copy_attributes(from, copy, object);
    if (elements == 0) return;
    for_each_box(shape, box, [&](const std::vector<hsize_t>& start, const std::vector<hsize_t>& count) {
      copy_box(from, copy, type, variable, start, count, object);
    });
  }

  template <class F>
  static void for_each_box(const std::vector<hsize_t>& shape, const std::vector<hsize_t>& box, F&& f) {
    std::vector<hsize_t> start(shape.size(), 0), count(shape.size());
    for (bool more = true; more;) {
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        count[axis] = std::min(box[axis], shape[axis] - start[axis]);
      }
      f(start, count);
      more = false;
      for (std::size_t axis = shape.size(); axis-- > 0 && !more;) {
        start[axis] += box[axis];
        more = start[axis] < shape[axis];
        if (!more) start[axis] = 0;
      }
    }
  }

  void copy_box(const H5::DataSet& from, const H5::DataSet& to, const H5::DataType& type, bool variable,
                const std::vector<hsize_t>& start, const std::vector<hsize_t>& count,
                const std::string& object) {
    H5::DataSpace in_memory(H5S_SCALAR), in_file = from.getSpace();
    std::uint64_t elements = 1;
    if (!start.empty()) {
      in_memory = H5::DataSpace(static_cast<int>(count.size()), count.data());
      in_file.selectHyperslab(H5S_SELECT_SET, count.data(), start.data());
      for (const hsize_t extent : count) elements *= extent;
    }
    if (variable) {
      VariableStrings strings(type, in_memory, elements);
      from.read(strings.pointers.data(), type, in_memory, in_file);
      write_strings(strings.pointers, "dataset", object,
                    [&](const char** texts) { to.write(texts, type, in_memory, in_file); });
    } else {
      std::vector<char> values(elements * type.getSize());
      from.read(values.data(), type, in_memory, in_file);
      to.write(values.data(), type, in_memory, in_file);
    }
  }

  std::uint64_t file_bytes_;
  const std::string& name_;
  std::uint64_t budget_;  ///< bytes that may still be unpacked
  std::int64_t objects_ = 0;
};

}  // namespace

void copy_foreign(const H5::Group& from, const H5::Group& to, std::uint64_t file_bytes,
                  const std::string& name) {
  ForeignCopy(file_bytes, name).copy(from, to, "/", 0);
}

}  // namespace cisolve::hdf5
