# Whole programs through the front end: the solution, the examples and tests/front_end/kernels.cc.
file(GLOB front_end_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/front_end/*.cc)
list(FILTER front_end_tests EXCLUDE REGEX "_main\\.cc$")
ka_test(front_end_tests SOURCES ${front_end_tests} DEPS ka::trace)
target_include_directories(front_end_tests PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests)
set(front_end_sanitized 0)
if(KA_SANITIZE)
  set(front_end_sanitized 1)
endif()
target_compile_definitions(front_end_tests PRIVATE KA_IS_SANITIZED=${front_end_sanitized}
  KA_ARCHIVES="$<TARGET_FILE:ka_trace> $<TARGET_FILE:ka_ir> $<TARGET_FILE:ka_core>")

# The starter compiles, and without a warning.
add_library(starter_model OBJECT ${CMAKE_SOURCE_DIR}/projects/kernel-audit/starter/model.cpp)
target_link_libraries(starter_model PRIVATE ka::trace)
