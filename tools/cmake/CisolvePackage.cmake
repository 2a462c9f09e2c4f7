# cpack -G DEB in the build folder: cisolve_*.deb, libcisolve-dev_*.deb. See docs/installing.md and tools/package.
# A package goes to machines whose processors are unknown: there is none of a build that is for this machine's alone.
if(CISOLVE_NATIVE OR NOT CISOLVE_INSTALL)
  return()
endif()
set(CISOLVE_CONTACT "The cisolve developers <developers@cisolve.example>" CACHE STRING "Who answers for a package")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cisolve)
set(CPACK_PACKAGE_VENDOR "The cisolve developers")
set(CPACK_PACKAGE_CONTACT ${CISOLVE_CONTACT})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "configuration-interaction solver for quantum chemistry")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL cisolve libcisolve-dev)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(described "It takes a geometry and a basis, or the integrals of another program,
builds a space of Slater determinants or of configuration state functions,
and finds the lowest eigenstates of the Hamiltonian in it: full CI, truncated
and multireference CI, CASSCF and selected CI with perturbation theory.")

set(CPACK_DEBIAN_CISOLVE_PACKAGE_NAME cisolve)
set(CPACK_DEBIAN_CISOLVE_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_CISOLVE_PACKAGE_SECTION science)
# Threads of the other builds of OpenBLAS start inside those of cisolve; tools/install-dependencies says so, too.
set(CPACK_DEBIAN_CISOLVE_PACKAGE_DEPENDS libopenblas0-openmp)
set(CPACK_DEBIAN_CISOLVE_PACKAGE_SUGGESTS "python3-h5py, python3-matplotlib")
set(CPACK_COMPONENT_CISOLVE_DESCRIPTION "${described}
This package has the program, basis sets, example inputs and documents.")

set(CPACK_DEBIAN_LIBCISOLVE-DEV_PACKAGE_NAME libcisolve-dev)
set(CPACK_DEBIAN_LIBCISOLVE-DEV_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_LIBCISOLVE-DEV_PACKAGE_SECTION libdevel)
# The targets of find_package(cisolve) have the program among them.
set(needed "cisolve (= ${PROJECT_VERSION}-1)" libopenblas-openmp-dev libhdf5-dev zlib1g-dev libfmt-dev libspdlog-dev)
if(CISOLVE_HAVE_LIBINT)
  list(APPEND needed libint2-dev)
endif()
if(CISOLVE_HAVE_MPI)
  list(APPEND needed libopenmpi-dev)
endif()
list(JOIN needed ", " CPACK_DEBIAN_LIBCISOLVE-DEV_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_LIBCISOLVE-DEV_PACKAGE_SUGGESTS "cmake (>= 3.25), g++")
set(CPACK_COMPONENT_LIBCISOLVE-DEV_DESCRIPTION "${described}
This package has the headers, the static library and files for CMake.")

# What Debian asks of every package.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
  foreach(package IN LISTS CPACK_COMPONENTS_ALL)
    set(folder ${PROJECT_BINARY_DIR}/debian/${package})
    file(WRITE ${folder}/changelog "${package} (${PROJECT_VERSION}-1) unstable; urgency=medium

  * See CHANGELOG.md of the source.

 -- ${CISOLVE_CONTACT}  ${now}
")
    file(ARCHIVE_CREATE OUTPUT ${folder}/changelog.Debian.gz PATHS ${folder}/changelog
         FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
    install(FILES ${folder}/changelog.Debian.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${package})
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
            COMPONENT ${package})
  endforeach()
endif()
include(CPack)
