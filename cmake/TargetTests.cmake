# The whole of `target` on a device that only tests have: it says that it is a TPU and simulates.
ka_test(target_check_tests SOURCES ${CMAKE_SOURCE_DIR}/tests/target_check_test.cc DEPS ka::check)
add_dependencies(target_check_tests ka_candidate_kit)
