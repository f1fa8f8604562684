# What is built to be run in confinement. None of it is sanitized: a sanitizer's address space and its /proc do not fit in the sandbox.
function(ka_confined target)
  set_target_properties(${target} PROPERTIES COMPILE_OPTIONS "-O2" LINK_OPTIONS "")
  target_link_libraries(${target} PRIVATE Threads::Threads)
endfunction()

# The attacks that sandbox_tests makes.
add_executable(sandbox_probe ${CMAKE_SOURCE_DIR}/src/kernel_audit/sandbox/probe_main.cc)
ka_confined(sandbox_probe)
target_compile_definitions(sandbox_tests PRIVATE KA_SANDBOX_PROBE="$<TARGET_FILE:sandbox_probe>")
add_dependencies(sandbox_tests sandbox_probe)
