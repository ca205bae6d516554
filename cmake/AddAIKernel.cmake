#===- AddAIKernel.cmake - The one place that decides how things link -------===#
#
# In: source lists. Out: libraries and tools linked against the MLIR and LLVM
# *shared* libraries only. Mixing static MLIR archives with the shared LLVM
# gives two copies of every TypeID and option, so nothing else in this project
# names an MLIR or LLVM library.
#
#===------------------------------------------------------------------------===#

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Debian keeps each LLVM in a folder of its own.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/llvm-22)
find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

set(AIKERNEL_EXPORT AIKernelTargets)

# Installed programs find LLVM's folder as those in the build folder do.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# Usage requirements of everything that includes MLIR headers.
add_library(aikernel_mlir INTERFACE)
target_include_directories(aikernel_mlir SYSTEM INTERFACE
  $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}> $<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>)
target_link_libraries(aikernel_mlir INTERFACE MLIR LLVM)
install(TARGETS aikernel_mlir EXPORT ${AIKERNEL_EXPORT})

function(aikernel_common_options target)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter)
endfunction()

# One precompiled header for every file that speaks MLIR: a pass file takes
# about 3 s with it and 10 s without.
function(aikernel_use_pch target)
  target_precompile_headers(${target} REUSE_FROM aikernel_pch)
  # A precompiled header fits only code compiled for the same kind of address;
  # left alone, CMake compiles programs with -fPIE and libraries with -fPIC.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
endfunction()
file(WRITE ${PROJECT_BINARY_DIR}/pch.cpp "// Carries the precompiled header.\n")
add_library(aikernel_pch OBJECT ${PROJECT_BINARY_DIR}/pch.cpp)
target_link_libraries(aikernel_pch PRIVATE aikernel_mlir)
aikernel_common_options(aikernel_pch)
target_precompile_headers(aikernel_pch PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)

# install_aikernel_library(AIKernelRuntime): a library that is part of the
# installed package. Called for us by add_aikernel_library; libraries without
# MLIR call it themselves.
function(install_aikernel_library name)
  install(TARGETS ${name} EXPORT ${AIKERNEL_EXPORT}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# add_aikernel_library(AIKernelFoo A.cpp B.cpp DEPENDS tablegen-target LINK AIKernelBar)
# A static library of ours that speaks MLIR.
function(add_aikernel_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  aikernel_common_options(${name})
  target_link_libraries(${name} PUBLIC aikernel_mlir ${ARG_LINK})
  aikernel_use_pch(${name})
  add_dependencies(${name} aikernel_headers ${ARG_DEPENDS})
  add_library(AIKernel::${name} ALIAS ${name})
  install_aikernel_library(${name})
endfunction()

# add_aikernel_tool(aikc main.cpp LINK AIKernelFoo): a program in build/bin.
function(add_aikernel_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  aikernel_common_options(${name})
  target_link_libraries(${name} PRIVATE aikernel_mlir ${ARG_LINK})
  aikernel_use_pch(${name})
  add_dependencies(${name} aikernel_headers)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# lld comes only as archives; they use the same shared LLVM.
function(aikernel_link_lld name)
  target_link_libraries(${name} PRIVATE
    ${LLVM_LIBRARY_DIRS}/liblldELF.a ${LLVM_LIBRARY_DIRS}/liblldCommon.a
    ZLIB::ZLIB zstd::libzstd_shared)
endfunction()

# aikernel_tablegen(Ops.h.inc -gen-op-decls): from LLVM_TARGET_DEFINITIONS,
# collected under the target aikernel_headers.
add_custom_target(aikernel_headers)
macro(aikernel_tablegen)
  mlir_tablegen(${ARGN} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR}/include ${MLIR_INCLUDE_DIRS})
endmacro()
function(aikernel_tablegen_target name)
  add_custom_target(${name} DEPENDS ${TABLEGEN_OUTPUT})
  add_dependencies(aikernel_headers ${name})
endfunction()

# The installed package: find_package(AIKernel) gives AIKernel::AIKernelPipeline
# and friends. Our own export set, never MLIR's.
function(install_aikernel_package)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ ${PROJECT_BINARY_DIR}/include/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
  set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/AIKernel)
  install(EXPORT ${AIKERNEL_EXPORT} NAMESPACE AIKernel:: DESTINATION ${config_dir})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/AIKernelConfig.cmake.in
    ${PROJECT_BINARY_DIR}/AIKernelConfig.cmake INSTALL_DESTINATION ${config_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/AIKernelConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/AIKernelConfig.cmake ${PROJECT_BINARY_DIR}/AIKernelConfigVersion.cmake
    DESTINATION ${config_dir})
endfunction()
