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

# The kit is all that a candidate is compiled with and all of this project that its compiler may read: the front end's headers, the worker's
# main and one archive. It lies beside the programs, in candidate_kit/.
set(KA_KIT_DIR ${CMAKE_BINARY_DIR}/bin/candidate_kit)

# Objects of a layer, sanitized or not as the kit wants them.
function(ka_kit_objects out layer)
  set(${out} $<TARGET_OBJECTS:ka_${layer}> PARENT_SCOPE)
  if(KA_SANITIZE)
    get_target_property(sources ka_${layer} SOURCES)
    set(${out} ${sources} PARENT_SCOPE)
  endif()
endfunction()

set(worker_dir ${CMAKE_SOURCE_DIR}/src/kernel_audit/worker)
ka_kit_objects(core_objects core)
ka_kit_objects(ir_objects ir)
ka_kit_objects(trace_objects trace)
add_library(ka_candidate STATIC ${worker_dir}/request.cc ${worker_dir}/record.cc ${core_objects} ${ir_objects} ${trace_objects})
target_link_libraries(ka_candidate PRIVATE ka::options fmt::fmt tl::expected nlohmann_json::nlohmann_json OpenSSL::Crypto)
add_library(ka_worker_main OBJECT ${worker_dir}/worker_main.cc)
target_link_libraries(ka_worker_main PRIVATE ka::options tl::expected)
ka_confined(ka_candidate)
ka_confined(ka_worker_main)

# The same flags as src/kernel_audit/worker/toolchain.cc gives, else g++ does not take the precompiled header.
set(kit_flags -std=c++20 -O0 -ffp-contract=off)
file(GLOB_RECURSE kit_headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src
  src/kernel_audit/core/*.h src/kernel_audit/ir/*.h src/kernel_audit/ir/*.def src/kernel_audit/trace/*.h)
set(kit_files)
foreach(header kernel_audit/pallas.h ${kit_headers})
  add_custom_command(OUTPUT ${KA_KIT_DIR}/include/${header} DEPENDS ${CMAKE_SOURCE_DIR}/src/${header}
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/src/${header} ${KA_KIT_DIR}/include/${header})
  list(APPEND kit_files ${KA_KIT_DIR}/include/${header})
endforeach()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_custom_command(OUTPUT ${KA_KIT_DIR}/include/kernel_audit/pallas.h.gch DEPENDS ${kit_files}
    COMMAND ${CMAKE_CXX_COMPILER} ${kit_flags} -w -I${KA_KIT_DIR}/include -x c++-header ${KA_KIT_DIR}/include/kernel_audit/pallas.h
            -o ${KA_KIT_DIR}/include/kernel_audit/pallas.h.gch
    COMMENT "Precompiling the front end for candidates")
  list(APPEND kit_files ${KA_KIT_DIR}/include/kernel_audit/pallas.h.gch)
endif()
add_custom_command(OUTPUT ${KA_KIT_DIR}/worker_main.o ${KA_KIT_DIR}/libka_candidate.a
  DEPENDS ka_candidate ka_worker_main $<TARGET_OBJECTS:ka_worker_main>
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_OBJECTS:ka_worker_main> ${KA_KIT_DIR}/worker_main.o
  COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:ka_candidate> ${KA_KIT_DIR}/libka_candidate.a)
add_custom_target(ka_candidate_kit DEPENDS ${kit_files} ${KA_KIT_DIR}/worker_main.o ${KA_KIT_DIR}/libka_candidate.a)

add_dependencies(worker_tests ka_candidate_kit)
