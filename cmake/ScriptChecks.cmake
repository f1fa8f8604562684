# Tests that are no GoogleTest programs. The sanitizer presets leave out what does not run our code.
if(NOT KA_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  function(ka_script_test name)
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${ARGN} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  endfunction()
  ka_script_test(layers scripts/check_layers.py)
  ka_script_test(layers_script scripts/check_layers_test.py)
  ka_script_test(summary_script scripts/test_summary_test.py)
  ka_script_test(launcher tests/launcher_test.py)

  add_test(NAME headers_compile_alone COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target all_verify_interface_header_sets)
  set_tests_properties(headers_compile_alone PROPERTIES PROCESSORS 2 TIMEOUT 1500)
endif()
