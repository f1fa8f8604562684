# The whole of `target` on a device that only tests have: it says that it is a TPU and simulates.
ka_test(target_check_tests SOURCES ${CMAKE_SOURCE_DIR}/tests/target_check_test.cc DEPS ka::check)
add_dependencies(target_check_tests ka_candidate_kit)

# The real compiler, where it has been fetched. A sanitizer's address space has no room for it.
if(NOT KA_SANITIZE)
  ka_simulated_test(libtpu_tests ${CMAKE_SOURCE_DIR}/tests/libtpu_test.cc ${CMAKE_SOURCE_DIR}/tests/races/patterns.cc ${CMAKE_SOURCE_DIR}/tests/front_end/kernels.cc)
  target_link_libraries(libtpu_tests PRIVATE ka::target)
  add_dependencies(libtpu_tests libtpu_compiler)
endif()
