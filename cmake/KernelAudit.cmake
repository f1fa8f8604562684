# ka_layer(NAME DEPS target...): src/kernel_audit/NAME becomes the target ka::NAME; its *_test.cc files become NAME_tests.
add_library(ka_options INTERFACE)
add_library(ka::options ALIAS ka_options)
target_include_directories(ka_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
# Floating point means what the source says: no contraction into FMA.
target_compile_options(ka_options INTERFACE -Wall -Wextra -Wpedantic -Werror -ffp-contract=off)
# g++ 12 sees overlapping copies in "literal" + std::string that are not there.
target_compile_options(ka_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)

set(KA_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize spells them")
option(KA_FUZZ "Instrument for libFuzzer and build the fuzzers; needs clang" OFF)
if(KA_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(KA_SANITIZE)
  add_compile_options(-fsanitize=${KA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KA_SANITIZE})
endif()

function(ka_layer name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  set(folder ${CMAKE_SOURCE_DIR}/src/kernel_audit/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${folder}/*.h)
  list(FILTER headers EXCLUDE REGEX "_testing\\.h$")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_(test|fuzz|main)|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  add_library(ka_${name} STATIC ${sources})
  add_library(ka::${name} ALIAS ka_${name})
  target_link_libraries(ka_${name} PUBLIC ka::options ${ARG_DEPS})
  # The test headers_compile_alone builds a file for each of these.
  target_sources(ka_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src FILES ${headers})
  set_target_properties(ka_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  if(tests)
    ka_test(${name}_tests SOURCES ${tests} DEPS ka::${name})
  endif()
endfunction()

# ka_compile_quickly(TARGET): for code that takes longer to optimise than it ever runs.
function(ka_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# ka_test(NAME SOURCES file... DEPS target...): one GoogleTest program, one CTest entry.
function(ka_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ka::options ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  ka_compile_quickly(${name})
  target_compile_definitions(${name} PRIVATE KA_SOURCE_DIR="${CMAKE_SOURCE_DIR}" KA_BINARY_DIR="${CMAKE_BINARY_DIR}")
  ka_add_test(${name} ${name})
endfunction()

# ka_add_test(NAME PROGRAM): what a program of GoogleTest needs around it. The PJRT plugin is not instrumented, so what ThreadSanitizer says of it
# is wrong.
function(ka_add_test name program)
  add_test(NAME ${name} COMMAND ${program})
  if(KA_SANITIZE MATCHES address)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "LSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/lsan_suppressions.txt:print_suppressions=0")
  endif()
  if(KA_SANITIZE MATCHES thread)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1")
  endif()
endfunction()

# ka_program(NAME SOURCES file... DEPS target...): a program in build/PRESET/bin.
function(ka_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ka::options ${ARG_DEPS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()
