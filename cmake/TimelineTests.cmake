# Timelines of whole kernels, against the texts, pictures and traces in tests/data/timeline.
ka_simulated_test(timeline_tests ${CMAKE_SOURCE_DIR}/tests/timeline/*.cc)
target_link_libraries(timeline_tests PRIVATE ka::check)
# Places in the goldens are relative to the source folder.
set_tests_properties(timeline_tests PROPERTIES WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
