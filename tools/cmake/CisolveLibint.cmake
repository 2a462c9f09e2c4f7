# Libint2, if wanted and found. Its target Libint2::int2 is the library; Libint2::cxx would add Boost and
# Eigen, which its header finds by itself.
set(CISOLVE_HAVE_LIBINT OFF)
if(CISOLVE_LIBINT)
  if(CISOLVE_LIBINT STREQUAL "ON")
    find_package(Libint2 2.7 REQUIRED CONFIG)
  else()
    find_package(Libint2 2.7 QUIET CONFIG)
  endif()
  set(CISOLVE_HAVE_LIBINT ${Libint2_FOUND})
endif()
if(NOT CISOLVE_HAVE_LIBINT)
  message(STATUS "Without Libint2: an input with [molecule] will be refused; FCIDUMP files work")
endif()
