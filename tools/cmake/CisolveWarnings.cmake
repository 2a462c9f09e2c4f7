# Warnings, optimisation for this machine and sanitizers, as the options say.
function(cisolve_set_warnings target)
  set(cxx_flags -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # False alarms of g++ 12: Eigen's AVX-512 kernels as maybe-uninitialized, std::string's operator+
    # as an overlapping copy (GCC bug 105651). Of g++ 13: buffers of fmt 9 that grow, as overruns.
    list(APPEND cxx_flags -Wno-maybe-uninitialized -Wno-error=uninitialized -Wno-restrict -Wno-array-bounds
                          -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Beyond what the same names ask of g++: indices that have a sign, and loops not made into vectors at -O1.
    list(APPEND cxx_flags -Wno-sign-conversion -Wno-pass-failed)
  endif()
  if(CMAKE_UNITY_BUILD)
    # True of several files in one, not of each alone.
    list(APPEND cxx_flags -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
  if(CISOLVE_WARNINGS_AS_ERRORS)
    list(PREPEND cxx_flags -Werror)
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${cxx_flags}>")
  if(CISOLVE_HAVE_CUDA)
    set(cuda_flags -Xcompiler=-Wall,-Wextra)
    if(CISOLVE_WARNINGS_AS_ERRORS)
      list(APPEND cuda_flags --Werror=all-warnings)
    endif()
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${cuda_flags}>")
  endif()
endfunction()

# Code generation must be the same in the library and whatever includes Eigen with it.
if(CISOLVE_NATIVE)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-march=native CISOLVE_HAS_MARCH_NATIVE)
  if(CISOLVE_HAS_MARCH_NATIVE)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-march=native>")
  endif()
endif()
if(CISOLVE_SANITIZE)
  # What a null pointer, one out of bounds or a wrong object leads to, the address sanitizer sees; checking each access
  # for it would make half of the code, and half of the time to compile it.
  set(sanitize -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr
               -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:${sanitize}>")
  add_link_options(${sanitize})
  add_compile_definitions(CISOLVE_SANITIZE)
endif()
