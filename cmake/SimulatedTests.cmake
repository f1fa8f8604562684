# Whole programs through the simulator: the examples, cases from the field, the golden modules, and the machine below them.
function(ka_simulated_test name)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  ka_test(${name} SOURCES ${sources} DEPS ka_test_support ka::simulated ka::trace)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests)
endfunction()

add_library(ka_test_support STATIC ${CMAKE_SOURCE_DIR}/tests/simulate.cc)
target_link_libraries(ka_test_support PUBLIC ka::simulated ka::trace GTest::gmock)

ka_simulated_test(examples_tests ${CMAKE_SOURCE_DIR}/tests/examples_test.cc)
ka_simulated_test(field_cases_tests ${CMAKE_SOURCE_DIR}/tests/field_cases/*.cc)
ka_simulated_test(golden_tests ${CMAKE_SOURCE_DIR}/tests/golden_test.cc)
ka_simulated_test(stored_modules_tests ${CMAKE_SOURCE_DIR}/tests/stored_modules_test.cc)
ka_simulated_test(machine_tests ${CMAKE_SOURCE_DIR}/tests/machine/*.cc)
ka_simulated_test(races_tests ${CMAKE_SOURCE_DIR}/tests/races/*.cc)

# Not tests: build/PRESET/bin/bench_*, for bench/compare and for whoever works on the simulator.
ka_program(bench_simulator SOURCES ${CMAKE_SOURCE_DIR}/bench/bench_simulator.cc DEPS ka::simulated ka::trace benchmark::benchmark)
ka_program(bench_modules SOURCES ${CMAKE_SOURCE_DIR}/bench/bench_modules.cc DEPS ka::simulated)
ka_program(measure_machine SOURCES ${CMAKE_SOURCE_DIR}/bench/measure_machine.cc DEPS hwy::hwy)
target_include_directories(measure_machine PRIVATE ${CMAKE_SOURCE_DIR})
