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

void refuse_unrestricted(const TextReader& reader, const Keys& keys) {
  if (is_set(keys.find("IUHF"))) {
    reader.refuse_at(keys.find("IUHF")->line,
                     "found IUHF=1, unrestricted (UHF) integrals in blocks as Molpro writes them, expected "
                     "restricted integrals with one set of orbitals");
  }
  if (is_set(keys.find("UHF"))) {
    reader.refuse_at(keys.find("UHF")->line,
                     "found UHF=.TRUE., unrestricted (UHF) integrals over spin orbitals as Psi4 writes them, "
                     "expected restricted integrals with one set of orbitals");
  }
}

void check_electrons(const TextReader& reader, const Keys& keys, const FcidumpHeader& header) {
  const std::int64_t nelec_line = keys.find("NELEC")->line;
  if (header.nelec > 2 * header.norb) {
    reader.refuse_at(nelec_line, "NELEC: found {} electrons, expected at most {} in NORB={} orbitals",
                     header.nelec, 2 * header.norb, header.norb);
  }
  if (!header.ms2_given) return;
  const std::int64_t line = keys.find("MS2")->line;
  const std::int64_t ms2 = header.ms2;
  if ((ms2 - header.nelec) % 2 != 0) {
    reader.refuse_at(line, "MS2: found {}, expected an {} number as NELEC={} is", ms2,
                     header.nelec % 2 == 0 ? "even" : "odd", header.nelec);
  }
  const std::int64_t most = std::min(header.nelec, 2 * header.norb - header.nelec);
  if (ms2 > most || ms2 < -most) {
    reader.refuse_at(line, "MS2: found {}, expected {} to {} for NELEC={} electrons in NORB={} orbitals", ms2,
                     -most, most, header.nelec, header.norb);
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
  refuse_unrestricted(reader, keys);

  FcidumpHeader header;
  header.norb = keys.positive_integer("NORB", "orbitals");
  header.norb_line = keys.find("NORB")->line;
  if (header.norb > max_fcidump_orbitals) {
    reader.refuse_at(header.norb_line, "NORB: found {} orbitals, expected at most {}", header.norb,
                     max_fcidump_orbitals);
  }
  header.nelec = keys.positive_integer("NELEC", "electrons");
  if (const NamelistEntry* const entry = keys.find("MS2")) {
    header.ms2 = keys.integer(*entry);
    header.ms2_given = true;
  }
  if (const NamelistEntry* const entry = keys.find("ISYM")) header.isym = keys.integer(*entry);
  check_electrons(reader, keys, header);
  if (const NamelistEntry* const entry = keys.find("ORBSYM")) read_labels(reader, *entry, header);
  keys.warn_of_unknown(header.warnings);
  return header;
}

}  // namespace cisolve
