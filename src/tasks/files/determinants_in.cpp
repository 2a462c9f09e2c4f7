// SPDX-License-Identifier: MIT
#include "tasks/files/determinants_in.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>

#include "cisolve/analysis/spin.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/problem/listed_states.hpp"
#include "core/text_file.hpp"
#include "tasks/ci/function_lists.hpp"
#include "tasks/files/read_trexio.hpp"
#include "tasks/files/trexio_reader.hpp"
#include "tasks/files/whole_string.hpp"

namespace cisolve {
namespace {

using WideString = BitString<most_string_words>;

/// Determinants over the active orbitals.
struct ActiveDeterminants {
  std::vector<Determinant<most_string_words>> determinants;
  std::vector<double> coefficients;
};

bool has_orbital(const std::uint64_t* words, int p) { return (words[p / 64] >> (p % 64) & 1U) != 0; }

WideString active_part(const std::uint64_t* words, const std::vector<int>& active) {
  WideString string;
  for (std::size_t p = 0; p < active.size(); ++p) {
    if (has_orbital(words, active[p])) string.set(static_cast<int>(p));
  }
  return string;
}

/// The orbitals outside the active ones that a determinant occupies doubly; none if it occupies one of them singly.
std::optional<std::vector<int>> occupied_core(const std::uint64_t* alpha, const std::uint64_t* beta,
                                              const OrbitalPlaces& places) {
  std::vector<bool> is_active(static_cast<std::size_t>(places.num_orbitals), false);
  for (const int p : places.active) is_active[static_cast<std::size_t>(p)] = true;
  std::vector<int> core;
  for (int p = 0; p < places.num_orbitals; ++p) {
    if (is_active[static_cast<std::size_t>(p)]) continue;
    if (has_orbital(alpha, p) != has_orbital(beta, p)) return std::nullopt;
    if (has_orbital(alpha, p)) core.push_back(p);
  }
  return core;
}

ActiveDeterminants of_trexio(const std::filesystem::path& file, const ActiveIntegrals& active,
                             int num_electrons, const std::string& name) {
  const TrexioDeterminants read = read_trexio_determinants(file);
  OrbitalPlaces places{read.num_orbitals, {}, active.active_orbitals};
  if (read.num_orbitals == active.integrals.num_orbitals) {  // the frozen ones are not in the file
    std::iota(places.active.begin(), places.active.end(), 0);
  } else if (places.active.back() >= read.num_orbitals) {
    throw InputError(fmt::format("{} has {} orbitals; this job has {} active ones, the last is number {}",
                                 name, read.num_orbitals, active.integrals.num_orbitals,
                                 places.active.back() + 1));
  }
  ActiveDeterminants found;
  bool has_core = false;
  const auto words = static_cast<std::size_t>(read.words);
  for (std::size_t d = 0; d < read.coefficients.size(); ++d) {
    const std::uint64_t *alpha = read.alpha.data() + d * words, *beta = read.beta.data() + d * words;
    const Determinant<most_string_words> part{active_part(alpha, places.active),
                                              active_part(beta, places.active)};
    if (part.alpha.count() + part.beta.count() != num_electrons) continue;
    const auto core = occupied_core(alpha, beta, places);
    if (!core || (has_core && *core != places.core)) continue;
    places.core = *core;
    has_core = true;
    const bool negative =
        whole_string(part.alpha, places).negative != whole_string(part.beta, places).negative;
    found.determinants.push_back(part);
    found.coefficients.push_back(negative ? -read.coefficients[d] : read.coefficients[d]);
  }
  return found;
}

/// Words of a line of text.
class Words {
public:
  explicit Words(std::string_view line) : rest_(line) {}
  std::string_view next() {
    const std::size_t first = rest_.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return rest_ = {};
    rest_.remove_prefix(first);
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(word.size());
    return word;
  }

private:
  std::string_view rest_;
};

template <class T>
std::optional<T> number_of(std::string_view word) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || word.empty()) return std::nullopt;
  return value;
}

/// Nothing if a character is none of 2, u, d, 0.
std::optional<Determinant<most_string_words>> occupied(std::string_view text) {
  Determinant<most_string_words> determinant;
  for (std::size_t p = 0; p < text.size(); ++p) {
    const char c = text[p];
    if (c != '2' && c != 'u' && c != 'd' && c != '0') return std::nullopt;
    if (c == '2' || c == 'u') determinant.alpha.set(static_cast<int>(p));
    if (c == '2' || c == 'd') determinant.beta.set(static_cast<int>(p));
  }
  return determinant;
}

/// A line "determinants orbitals alpha beta", then lines "coefficient occupation".
ActiveDeterminants of_text(const std::filesystem::path& file, const ActiveIntegrals& active,
                           int num_electrons, const std::string& name) {
  constexpr std::size_t most_bytes = std::size_t{16} << 30;
  const std::string text = detail::read_text_file(file, "determinants as text", most_bytes);
  std::string_view rest = text;
  std::int64_t line_number = 0;
  const auto next_line = [&] {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    ++line_number;
    return line;
  };
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{}: line {}: {}", name, line_number, what));
  };
  Words header(next_line());
  const auto count = number_of<std::int64_t>(header.next());
  const auto orbitals = number_of<int>(header.next()), alpha = number_of<int>(header.next()),
             beta = number_of<int>(header.next());
  if (!count || !orbitals || !alpha || !beta)
    refuse("four numbers are expected: of determinants, of orbitals, of alpha and of beta electrons");
  if (*orbitals != active.integrals.num_orbitals || *alpha + *beta != num_electrons)
    refuse(fmt::format("it has {} electrons in {} orbitals, this job {} in {}", *alpha + *beta, *orbitals,
                       num_electrons, active.integrals.num_orbitals));
  ActiveDeterminants found;
  while (!rest.empty()) {
    Words words(next_line());
    const std::string_view first = words.next();
    if (first.empty()) continue;
    const auto coefficient = number_of<double>(first);
    const std::string_view occupation = words.next();
    const auto determinant =
        static_cast<int>(occupation.size()) == *orbitals ? occupied(occupation) : std::nullopt;
    if (!coefficient || !std::isfinite(*coefficient) || !determinant ||
        determinant->alpha.count() != *alpha || determinant->beta.count() != *beta)
      refuse(fmt::format(
          "a coefficient and an occupation of {} alpha and {} beta electrons in {} orbitals by 2, u, "
          "d and 0 are expected",
          *alpha, *beta, *orbitals));
    found.determinants.push_back(*determinant);
    found.coefficients.push_back(*coefficient);
  }
  if (std::ssize(found.coefficients) != *count)
    refuse(fmt::format("the file ends after {} of {} determinants", found.coefficients.size(), *count));
  return found;
}

void require_different(std::vector<Determinant<most_string_words>> determinants, int num_orbitals,
                       const std::string& name) {
  std::ranges::sort(determinants);
  const auto twice = std::ranges::adjacent_find(determinants);
  if (twice == determinants.end()) return;
  std::string occupation;
  for (int p = 0; p < num_orbitals; ++p)
    occupation += "0ud2"[(twice->alpha.test(p) ? 1 : 0) + (twice->beta.test(p) ? 2 : 0)];
  throw InputError(fmt::format("{} has the determinant {} twice", name, occupation));
}

/// <S^2> of a normalised vector.
double spin_of(const FunctionView& functions, std::span<const double> vector, int num_orbitals) {
  const std::vector<int> irreps(static_cast<std::size_t>(num_orbitals), 0);
  double s_squared = 0.0;
  with_string_words(num_orbitals, [&]<int W>() {
    const std::span<const double> vectors[] = {vector};
    const ListedStates<W> states = in_determinants<W>(functions, irreps, vectors);
    s_squared = SpinExpectation<W>(*states.space)(states.vectors, 1)(0, 0);
  });
  return s_squared;
}

void normalise(std::vector<double>& vector, const std::string& name) {
  const double norm = std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0));
  if (!(norm > 0.0) || !std::isfinite(norm))
    throw InputError(fmt::format("{}: the coefficients of its determinants have the norm {}", name, norm));
  for (double& c : vector) c /= norm;
}

}  // namespace

bool holds_determinants(const std::filesystem::path& file) {
  return is_trexio(file) || file.extension() == ".txt";
}

CiResult read_determinants(const std::filesystem::path& file, const ActiveIntegrals& active,
                           int num_electrons, const std::string& name) {
  ActiveDeterminants read = is_trexio(file) ? of_trexio(file, active, num_electrons, name)
                                            : of_text(file, active, num_electrons, name);
  if (read.determinants.empty())
    throw InputError(
        fmt::format("{} has no determinant of {} electrons in the {} active orbitals of this job", name,
                    num_electrons, active.integrals.num_orbitals));
  require_different(read.determinants, active.integrals.num_orbitals, name);
  normalise(read.coefficients, name);
  CiResult result;
  result.system.n_orbitals = active.integrals.num_orbitals;
  result.system.n_electrons = num_electrons;
  for (const int p : active.active_orbitals) result.system.active_orbitals.push_back(p + 1);
  CiResult::Sector& sector = result.sectors.front();
  CiResult::Space& space = sector.space;
  const auto& first = read.determinants.front();
  space.dimension = std::ssize(read.determinants);
  space.words = (result.system.n_orbitals + 63) / 64;
  sector.ms2 = first.alpha.count() - first.beta.count();
  for (const auto& determinant : read.determinants) {
    if (determinant.alpha.count() != first.alpha.count())
      throw InputError(fmt::format("{} has determinants of several Ms: {} and {} alpha electrons", name,
                                   first.alpha.count(), determinant.alpha.count()));
    for (std::size_t w = 0; w < static_cast<std::size_t>(space.words); ++w) {
      space.alpha.push_back(determinant.alpha.words[w]);
      space.beta.push_back(determinant.beta.words[w]);
    }
  }
  try {
    Root root;
    root.s_squared = spin_of(functions_of(space), read.coefficients, result.system.n_orbitals);
    sector.roots.push_back(root);
  } catch (const DimensionError& error) {
    throw InputError(fmt::format("{}: {}", name, error.what()));
  }
  Array<double> values(read.coefficients.size());
  std::ranges::copy(read.coefficients, values.begin());
  sector.vectors = std::make_shared<HeldVectors>(std::move(values), space.dimension, 1);
  result.order_roots();
  return result;
}

}  // namespace cisolve
