// SPDX-License-Identifier: MIT
#include "integrals/fcidump_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "cisolve/core/names.hpp"
#include "integrals/fortran_number.hpp"

namespace cisolve {
namespace {

const std::vector<std::string> known_keys = {"NORB", "NELEC", "MS2", "ORBSYM", "ISYM"};

/// Keys of other programs that leave the meaning of a restricted file as it is.
const std::set<std::string> harmless_keys = {"OCC",   "CLOSED",     "UHF",       "IUHF", "KSYM",
                                             "KMOD",  "IGENERAL",   "ITGENERAL", "SYML", "SYMLZ",
                                             "NPROP", "PROPBITLEN", "PNTGRP",    "ST"};

/// The integers of a namelist value, repeat counts (2*1) expanded. At most `max_count` of them: a
/// repeat count must not decide how much memory is taken.
std::vector<int> integers(const TextReader& reader, const NamelistEntry& entry, int max_count) {
  std::vector<int> result;
  for (const NamelistValue& value : entry.values) {
    const std::size_t star = value.text.find('*');
    std::int64_t count = 1;
    std::string_view text = value.text;
    if (star != std::string::npos) {
      count = parse_integer(text.substr(0, star)).value_or(0);
      text.remove_prefix(star + 1);
    }
    const auto number = parse_integer(text);
    if (value.is_string || !number || count < 1 || *number != static_cast<int>(*number)) {
      reader.refuse_at(value.line, "{}: found {}, expected an integer", entry.key, quote(value.text));
    }
    if (count > max_count - std::ssize(result)) {
      reader.refuse_at(value.line, "{}: found more values than the {} expected", entry.key, max_count);
    }
    result.insert(result.end(), count, static_cast<int>(*number));
  }
  return result;
}

/// The keys by name, with typed access.
class Keys {
public:
  Keys(const TextReader& reader, const Namelist& namelist)
      : reader_(reader), first_line_(namelist.first_line) {
    for (const NamelistEntry& entry : namelist.entries) {
      if (!entries_.emplace(entry.key, &entry).second) {
        reader.refuse_at(entry.line, "{}: found for the second time in the header, expected once", entry.key);
      }
    }
  }

  const NamelistEntry* find(const std::string& key) const {
    const auto at = entries_.find(key);
    return at == entries_.end() ? nullptr : at->second;
  }

  int integer(const NamelistEntry& entry) const {
    const std::vector<int> values = integers(reader_, entry, 1);
    if (values.empty()) {
      reader_.refuse_at(entry.line, "{}: found no value, expected an integer", entry.key);
    }
    return values.front();
  }

  int positive_integer(const std::string& key, std::string_view meaning) const {
    const NamelistEntry* const entry = find(key);
    if (entry == nullptr) {
      reader_.refuse_at(first_line_, "{}: not found in the header, expected the number of {}", key, meaning);
    }
    const int value = integer(*entry);
    if (value <= 0) {
      reader_.refuse_at(entry->line, "{}: found {}, expected the number of {}, 1 or more", key, value,
                        meaning);
    }
    return value;
  }

  /// Warns of keys that no program is known to write.
  void warn_of_unknown(std::vector<std::string>& warnings) const {
    for (const auto& [key, entry] : entries_) {
      if (std::ranges::find(known_keys, key) != known_keys.end() || harmless_keys.contains(key)) continue;
      warnings.push_back(
          fmt::format("{}: unknown key {} in the header is ignored; the nearest known one is {}",
                      reader_.where(entry->line), key, nearest_name(key, known_keys)));
    }
  }

private:
  const TextReader& reader_;
  std::int64_t first_line_;
  std::map<std::string, const NamelistEntry*> entries_;
};

bool is_set(const NamelistEntry* entry) {
  if (entry == nullptr || entry->values.empty()) return false;
  const std::string& text = entry->values.front().text;
  const std::string_view letters = std::string_view(text).substr(text.starts_with('.') ? 1 : 0);
  if (!letters.empty() && (letters.front() == 'T' || letters.front() == 't')) return true;
  return parse_integer(text).value_or(0) != 0;
}

/// Files of other programs that an FCIDUMP header announces and whose integrals are not those of records of a Hermitian
/// Hamiltonian.
void refuse_others(const TextReader& reader, const Keys& keys) {
  const NamelistEntry* const transformed = keys.find("ST");  // ElemCo's is a number
  if (const auto* entry = transformed; is_set(entry) && parse_integer(entry->values.front().text)) {
    reader.refuse_at(
        entry->line,
        "found ST={}, similarity-transformed integrals, whose Hamiltonian is not Hermitian, expected "
        "ST=0: integrals that were not transformed",
        entry->values.front().text);
  }
  for (const char* const key : {"NPY2", "NPY1", "NPY", "ENUC"}) {
    const NamelistEntry* const entry = keys.find(key);
    if (entry == nullptr) continue;
    reader.refuse_at(
        entry->line,
        "found {}, integrals in NumPy files beside this one as ElemCo writes them, expected records "
        "'value i j k l' in this file",
        key);
  }
}

void read_labels(const TextReader& reader, const NamelistEntry& entry, FcidumpHeader& header) {
  header.orbsym_line = entry.line;
  header.orbsym = integers(reader, entry, header.norb);
  if (std::ssize(header.orbsym) < header.norb) {
    reader.refuse_at(entry.line, "ORBSYM: found {} labels, expected one for each of the NORB={} orbitals",
                     header.orbsym.size(), header.norb);
  }
}

}  // namespace

FcidumpHeader read_fcidump_header(TextReader& reader) {
  const Namelist namelist = read_fci_namelist(reader);
  const Keys keys(reader, namelist);
  refuse_others(reader, keys);

  FcidumpHeader header;
  header.norb = keys.positive_integer("NORB", "orbitals");
  header.norb_line = keys.find("NORB")->line;
  if (header.norb > max_fcidump_orbitals) {
    reader.refuse_at(header.norb_line, "NORB: found {} orbitals, expected at most {}", header.norb,
                     max_fcidump_orbitals);
  }
  header.nelec = keys.positive_integer("NELEC", "electrons");
  header.nelec_line = keys.find("NELEC")->line;
  if (const NamelistEntry* const entry = keys.find("MS2")) {
    header.ms2 = keys.integer(*entry);
    header.ms2_given = true;
    header.ms2_line = entry->line;
  }
  header.iuhf = is_set(keys.find("IUHF"));
  header.uhf = is_set(keys.find("UHF"));
  if (const NamelistEntry* const entry = keys.find("ISYM")) header.isym = keys.integer(*entry);
  if (const NamelistEntry* const entry = keys.find("ORBSYM")) read_labels(reader, *entry, header);
  keys.warn_of_unknown(header.warnings);
  return header;
}

void check_electrons(const TextReader& reader, const FcidumpHeader& header, int num_orbitals,
                     bool are_spinors) {
  const std::int64_t places = std::int64_t{num_orbitals} * (are_spinors ? 1 : 2);
  const std::string orbitals = num_orbitals == header.norb && !are_spinors
                                   ? fmt::format("NORB={} orbitals", num_orbitals)
                                   : fmt::format("{} {}", num_orbitals, are_spinors ? "spinors" : "orbitals");
  if (header.nelec > places) {
    reader.refuse_at(header.nelec_line, "NELEC: found {} electrons, expected at most {} in {}", header.nelec,
                     places, orbitals);
  }
  if (!header.ms2_given || are_spinors) return;
  const std::int64_t ms2 = header.ms2;
  if ((ms2 - header.nelec) % 2 != 0) {
    reader.refuse_at(header.ms2_line, "MS2: found {}, expected an {} number as NELEC={} is", ms2,
                     header.nelec % 2 == 0 ? "even" : "odd", header.nelec);
  }
  const std::int64_t most = std::min<std::int64_t>(header.nelec, places - header.nelec);
  if (ms2 > most || ms2 < -most) {
    reader.refuse_at(header.ms2_line, "MS2: found {}, expected {} to {} for NELEC={} electrons in {}", ms2,
                     -most, most, header.nelec, orbitals);
  }
}

}  // namespace cisolve
