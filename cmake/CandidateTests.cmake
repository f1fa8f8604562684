# Wrong and hostile candidates through the checker (tests/candidates), in two halves for two cores, and the program itself
# (tests/check_cli_test.py).
ka_test(candidates_tests SOURCES ${CMAKE_SOURCE_DIR}/tests/candidates_test.cc DEPS ka::check)
add_dependencies(candidates_tests ka_candidate_kit)
# A sanitized process is slow to fork.
set(trace_seconds 1)
if(KA_SANITIZE)
  set(trace_seconds 5)
endif()
target_compile_definitions(candidates_tests PRIVATE KA_TRACE_SECONDS="${trace_seconds}")
ka_add_test(candidates_tests_2 candidates_tests)
set_property(TEST candidates_tests APPEND PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=0)
set_property(TEST candidates_tests_2 APPEND PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=1)
if(NOT KA_SANITIZE)
  ka_script_test(compile_cli tests/compile_cli_test.py $<TARGET_FILE:kernel-audit>)
  ka_script_test(timeline_cli tests/timeline_cli_test.py $<TARGET_FILE:kernel-audit>)
  ka_script_test(check_cli tests/check_cli_test.py $<TARGET_FILE:kernel-audit>)
  ka_script_test(runtime_cli tests/runtime_cli_test.py $<TARGET_FILE:kernel-audit>)
endif()
