# Small libraries whose packages differ between distributions, as imported targets.
find_path(CISOLVE_TOMLPLUSPLUS_INCLUDE NAMES toml++/toml.h REQUIRED)
add_library(cisolve_tomlplusplus INTERFACE)
add_library(cisolve::tomlplusplus ALIAS cisolve_tomlplusplus)
target_include_directories(cisolve_tomlplusplus SYSTEM INTERFACE ${CISOLVE_TOMLPLUSPLUS_INCLUDE})
target_compile_definitions(cisolve_tomlplusplus INTERFACE TOML_HEADER_ONLY=1)

find_path(CISOLVE_XXHASH_INCLUDE NAMES xxhash.h REQUIRED)
add_library(cisolve_xxhash INTERFACE)
add_library(cisolve::xxhash ALIAS cisolve_xxhash)
target_include_directories(cisolve_xxhash SYSTEM INTERFACE ${CISOLVE_XXHASH_INCLUDE})
target_compile_definitions(cisolve_xxhash INTERFACE XXH_INLINE_ALL=1)
