# The untrusted-module fuzzer: a seeded walk in the tests, libFuzzer itself in the preset `fuzz` (clang).
set(fuzz_dir ${CMAKE_SOURCE_DIR}/tests/fuzz)
ka_test(module_fuzz_tests SOURCES ${fuzz_dir}/module_fuzz.cc ${fuzz_dir}/module_fuzz_test.cc DEPS ka::import ka::sim)
if(KA_FUZZ)
  ka_program(module_fuzz SOURCES ${fuzz_dir}/module_fuzz.cc ${fuzz_dir}/module_fuzz_main.cc DEPS ka::import ka::sim)
  target_compile_definitions(module_fuzz PRIVATE KA_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_options(module_fuzz PRIVATE -fsanitize=fuzzer)
endif()
