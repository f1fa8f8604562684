# The whole of `target` on a device that only tests have: it says that it is a TPU and simulates.
ka_test(target_check_tests SOURCES ${CMAKE_SOURCE_DIR}/tests/target_check_test.cc DEPS ka::check)
add_dependencies(target_check_tests ka_candidate_kit)

# The real compiler, where it has been fetched, in two halves for two cores. A sanitizer's address space has no room for it.
if(NOT KA_SANITIZE)
  ka_simulated_test(libtpu_tests ${CMAKE_SOURCE_DIR}/tests/libtpu/*.cc ${CMAKE_SOURCE_DIR}/tests/races/patterns.cc ${CMAKE_SOURCE_DIR}/tests/front_end/kernels.cc)
  target_link_libraries(libtpu_tests PRIVATE ka::target)
  add_dependencies(libtpu_tests libtpu_compiler)
  ka_add_test(libtpu_tests_2 libtpu_tests)
  set_property(TEST libtpu_tests APPEND PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=0)
  set_property(TEST libtpu_tests_2 APPEND PROPERTY ENVIRONMENT GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=1)
endif()

# The same code path over PJRT, on a plugin of the tests' own.
add_library(ka_test_plugin MODULE ${CMAKE_SOURCE_DIR}/tests/target/test_plugin.cc)
target_link_libraries(ka_test_plugin PRIVATE ka::options ka::pjrt_headers)
set_target_properties(ka_test_plugin PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin PREFIX "" OUTPUT_NAME kernel_audit_test_plugin)
ka_test(pjrt_device_tests SOURCES ${CMAKE_SOURCE_DIR}/tests/target/pjrt_device_test.cc DEPS ka::target)
target_compile_definitions(pjrt_device_tests PRIVATE KA_TEST_PLUGIN="$<TARGET_FILE:ka_test_plugin>")
add_dependencies(pjrt_device_tests ka_test_plugin)
# One entry for each thing that a machine may lack, so that a skip is counted.
if(NOT KA_SANITIZE)
  function(ka_target_script name)
    ka_script_test(${name} tests/target_cli_test.py $<TARGET_FILE:kernel-audit> $<TARGET_FILE:ka_test_plugin> ${ARGN})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endfunction()
  ka_target_script(target_cli OnTheTestPlugin)
  ka_target_script(target_refuses WithoutATpu.test_refuses)
  ka_target_script(target_makes_no_file WithoutATpu.test_no_file_is_made_by_any_system_call WithoutATpu.test_the_proof_sees_a_receipt)
  ka_target_script(target_libtpu WithoutATpu.test_libtpu_itself_finds_none)
  ka_target_script(doctor_cli Doctor)
endif()
