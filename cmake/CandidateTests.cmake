# Wrong and hostile candidates through the checker (tests/candidates), in two halves for two cores, and the program itself
# (tests/check_cli_test.py).
ka_test(candidates_tests SOURCES ${CMAKE_SOURCE_DIR}/tests/candidates_test.cc DEPS ka::check)
add_dependencies(candidates_tests ka_candidate_kit)
add_test(NAME candidates_tests_2 COMMAND candidates_tests)
set_tests_properties(candidates_tests PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=0")
set_tests_properties(candidates_tests_2 PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=2;GTEST_SHARD_INDEX=1")
if(NOT KA_SANITIZE)
  ka_script_test(check_cli tests/check_cli_test.py $<TARGET_FILE:kernel-audit>)
endif()
