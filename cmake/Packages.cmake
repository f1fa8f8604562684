# Everything third-party: Debian packages found here, PyPI packages unpacked by scripts/setup into .deps/.
find_package(fmt 9.1 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(hwy REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(Threads REQUIRED)

# Debian's dnnl-config.cmake asks for an OpenCL SDK that its library does not need.
find_library(KA_DNNL dnnl REQUIRED)
add_library(ka_dnnl INTERFACE)
add_library(ka::dnnl ALIAS ka_dnnl)
target_link_libraries(ka_dnnl INTERFACE ${KA_DNNL})

set(KA_DEPS_DIR ${CMAKE_SOURCE_DIR}/.deps CACHE PATH "Where scripts/setup unpacked the PyPI packages")

add_library(ka_pjrt_headers INTERFACE)
add_library(ka::pjrt_headers ALIAS ka_pjrt_headers)
target_include_directories(ka_pjrt_headers SYSTEM INTERFACE ${KA_DEPS_DIR}/include)
target_link_libraries(ka_pjrt_headers INTERFACE ${CMAKE_DL_LIBS})
target_compile_definitions(ka_pjrt_headers INTERFACE KA_DEPS_DIR="${KA_DEPS_DIR}")
# Struct members there bear the names of their own types: C allows that, g++ asks for this. What it lets through elsewhere stays a
# warning, and so an error.
target_compile_options(ka_pjrt_headers INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fpermissive>)

find_library(KA_SECCOMP seccomp REQUIRED)
add_library(ka_seccomp INTERFACE)
add_library(ka::seccomp ALIAS ka_seccomp)
target_link_libraries(ka_seccomp INTERFACE ${KA_SECCOMP})
