# Finds NCCL: NCCL_ROOT, beside the CUDA toolkit, in the system, or the package nvidia-nccl-cu12 or -cu13 of the python3 in PATH.
# Sets NCCL_FOUND, NCCL_VERSION and the target NCCL::NCCL.
if(NOT NCCL_INCLUDE_DIR OR NOT NCCL_LIBRARY)
  find_program(NCCL_PYTHON python3)
  mark_as_advanced(NCCL_PYTHON)
  set(nccl_package "")
  if(NCCL_PYTHON)
    execute_process(COMMAND ${NCCL_PYTHON} -c "import nvidia.nccl; print(list(nvidia.nccl.__path__)[0])"
                    OUTPUT_VARIABLE nccl_package OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
set(nccl_beside_cuda ${CUDAToolkit_INCLUDE_DIRS})
list(TRANSFORM nccl_beside_cuda APPEND /..)
find_path(NCCL_INCLUDE_DIR nccl.h PATH_SUFFIXES include
          HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT} ${CUDAToolkit_INCLUDE_DIRS} ${nccl_package})
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 PATH_SUFFIXES lib lib64
             HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT} ${CUDAToolkit_LIBRARY_DIR} ${nccl_beside_cuda} ${nccl_package})
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
if(NCCL_INCLUDE_DIR)
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h nccl_numbers REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) +[0-9]+")
  string(REGEX REPLACE "[^0-9;]" "" nccl_numbers "${nccl_numbers}")
  string(REPLACE ";" "." NCCL_VERSION "${nccl_numbers}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET NCCL::NCCL)
  add_library(NCCL::NCCL UNKNOWN IMPORTED)
  set_target_properties(NCCL::NCCL PROPERTIES IMPORTED_LOCATION ${NCCL_LIBRARY}
                                              INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
