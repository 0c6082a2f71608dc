# Parses headers that most sources of a folder include once for all its targets, with clang. Off by
# default; the presets have it. Our own headers that are named here are those that most sources
# would parse anyway: a change of one builds the folder anew. clang-tidy reads each source without
# it, and shows one that forgets an include.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
endif()
set(headers
    algorithm chrono cstdint functional map memory optional set string string_view tuple utility
    variant vector base/error.hpp boost/container/small_vector.hpp boost/system/result.hpp
    fmt/format.h json/value.hpp)

# Makes ${name}, whose precompiled file ${result} then names.
function(precompile name result)
    list(TRANSFORM ARGN REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE includes)
    list(TRANSFORM ARGN REPLACE "(.+)" "<\\1>" OUTPUT_VARIABLE names)
    set(source ${PROJECT_BINARY_DIR}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "" @ONLY)
    add_library(${name} STATIC ${source})
    target_link_libraries(${name} PRIVATE project_options)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/test)
    target_precompile_headers(${name} PRIVATE ${names})
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    set(pch ${PROJECT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.pch)

    # The precompiled file names the build folder; with what it was made of beside it, ccache
    # (CCACHE_PCH_EXTSUM in the presets) finds the objects of other checkouts all the same. Made
    # with each precompiled file, so that an upgrade of a library is seen.
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
    list(JOIN includes "" text)
    file(CONFIGURE OUTPUT ${source}.sum.cpp CONTENT "${text}" @ONLY)
    add_custom_command(
        OUTPUT ${pch}.sum
        COMMAND ${CMAKE_CXX_COMPILER} ${flags} -DFMT_HEADER_ONLY=0 -std=c++20
            -I${PROJECT_SOURCE_DIR}/lib -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/test -E -P -x c++
            ${source}.sum.cpp -o ${pch}.sum
        DEPENDS ${pch}
        VERBATIM)
    add_custom_target(${name}_sum DEPENDS ${pch}.sum)
    add_dependencies(${name}_sum ${name})
    set(${result} ${pch} PARENT_SCOPE)
endfunction()

# All targets of a folder that have none yet.
# By hand, because CMake's REUSE_FROM adds an option with a path that ccache does not make relative.
function(use_precompiled_headers pch folder)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        get_target_property(has_one ${target} has_precompiled_headers)
        if(NOT has_one AND type MATCHES "^(STATIC_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$")
            set_target_properties(${target} PROPERTIES has_precompiled_headers TRUE)
            target_compile_options(${target}
                BEFORE PRIVATE "SHELL:-Xclang -include-pch -Xclang ${pch}")
            get_target_property(sources ${target} SOURCES)
            list(TRANSFORM sources PREPEND ${folder}/ REGEX "^[^/]")
            set_property(SOURCE ${sources} TARGET_DIRECTORY ${target}
                APPEND PROPERTY OBJECT_DEPENDS ${pch}.sum)
        endif()
    endforeach()
    get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    foreach(below IN LISTS folders)
        use_precompiled_headers(${pch} ${below})
    endforeach()
endfunction()
set(controller_headers
    api/kueue/cluster_queue.hpp api/core/pod.hpp api/kueue/workload.hpp boost/asio/any_io_executor.hpp
    boost/asio/awaitable.hpp config/configuration.hpp controller/jobs/job/generic_job.hpp
    controller/reconcile/stores.hpp engine/state/state.hpp net/http/http_server.hpp
    workload/translation/translator.hpp)
precompile(precompiled_headers lib ${headers})
use_precompiled_headers(${lib} ${PROJECT_SOURCE_DIR}/lib)
precompile(precompiled_controller_headers controller ${headers} ${controller_headers})
use_precompiled_headers(${controller} ${PROJECT_SOURCE_DIR}/controller)
if(SLUICE_TESTS)
    list(APPEND headers catch2/catch_test_macros.hpp)
    precompile(precompiled_controller_test_headers controller_tests
        ${headers} ${controller_headers} controller/mini_cluster.hpp)
    use_precompiled_headers(${controller_tests} ${PROJECT_SOURCE_DIR}/test/controller)
    precompile(precompiled_test_headers tests ${headers})
    use_precompiled_headers(${tests} ${PROJECT_SOURCE_DIR}/test)
endif()
