# cmake --install: the program, the library as cisolve::cisolve for find_package(cisolve), the
# basis sets, the example inputs and the documentation.
option(CISOLVE_INSTALL "Install the program, the library and its CMake package" ${PROJECT_IS_TOP_LEVEL})
if(NOT CISOLVE_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(cisolve_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cisolve)

# A shared library (BUILD_SHARED_LIBS) is found beside the program.
set_target_properties(cisolve-program PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS cisolve EXPORT cisolveTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set_target_properties(cisolve-program PROPERTIES EXPORT_NAME program)
install(TARGETS cisolve-program EXPORT cisolveTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cisolve DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")

install(EXPORT cisolveTargets NAMESPACE cisolve:: DESTINATION ${cisolve_package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/cisolveConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/cisolveConfig.cmake
                              INSTALL_DESTINATION ${cisolve_package_dir}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cisolveConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cisolveConfig.cmake ${PROJECT_BINARY_DIR}/cisolveConfigVersion.cmake
        DESTINATION ${cisolve_package_dir})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/inputs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cisolve/inputs)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cisolve)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
