# cmake --install: the program, the library as cisolve::cisolve for find_package(cisolve), the
# basis sets, the example inputs and the documentation. Components: cisolve is what a user needs, libcisolve-dev what a
# program that links the library is built from; packages of Debian have these names (CisolvePackage).
option(CISOLVE_INSTALL "Install the program, the library and its CMake package" ${PROJECT_IS_TOP_LEVEL})
if(NOT CISOLVE_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(cisolve_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cisolve)

if(BUILD_SHARED_LIBS)  # the library is found beside the program
  set_target_properties(cisolve-program PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()
install(TARGETS cisolve EXPORT cisolveTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libcisolve-dev
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cisolve
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cisolve)
set_target_properties(cisolve-program PROPERTIES EXPORT_NAME program)
install(TARGETS cisolve-program EXPORT cisolveTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cisolve)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cisolve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT libcisolve-dev FILES_MATCHING PATTERN "*.hpp")

install(EXPORT cisolveTargets NAMESPACE cisolve:: DESTINATION ${cisolve_package_dir} COMPONENT libcisolve-dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/cisolveConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/cisolveConfig.cmake
                              INSTALL_DESTINATION ${cisolve_package_dir}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cisolveConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cisolveConfig.cmake ${PROJECT_BINARY_DIR}/cisolveConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindNCCL.cmake
        DESTINATION ${cisolve_package_dir} COMPONENT libcisolve-dev)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/inputs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cisolve/inputs COMPONENT cisolve)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cisolve COMPONENT cisolve)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT cisolve
        PATTERN man EXCLUDE PATTERN Doxyfile EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT cisolve)
set(cisolve_manual ${PROJECT_BINARY_DIR}/cisolve.1.gz)
file(ARCHIVE_CREATE OUTPUT ${cisolve_manual} PATHS ${PROJECT_SOURCE_DIR}/docs/man/cisolve.1
     FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
install(FILES ${cisolve_manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT cisolve)
