# Evidence: what must not compile, and a writer that is made to fail everywhere.
if(NOT KA_SANITIZE)
  add_executable(write_bundle ${CMAKE_SOURCE_DIR}/tests/evidence/write_bundle.cc)
  target_link_libraries(write_bundle PRIVATE ka::options ka::evidence)
  set_target_properties(write_bundle PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  ka_script_test(bundle_writer tests/bundle_writer_test.py $<TARGET_FILE:write_bundle>)
  set_tests_properties(bundle_writer PROPERTIES SKIP_RETURN_CODE 77)
  ka_script_test(must_not_compile tests/must_not_compile_test.py ${CMAKE_CXX_COMPILER} ${CMAKE_SOURCE_DIR})
  ka_script_test(evidence_cli tests/evidence_cli_test.py $<TARGET_FILE:kernel-audit> $<TARGET_FILE:target_check_tests>)
  set_tests_properties(evidence_cli PROPERTIES SKIP_RETURN_CODE 77)
  # Debian's Python has Debian's Selenium.
  add_test(NAME report COMMAND /usr/bin/python3 tests/report_test.py $<TARGET_FILE:kernel-audit> WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(report PROPERTIES SKIP_RETURN_CODE 77)
endif()
