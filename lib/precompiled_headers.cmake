# Parses the standard headers once for all targets, with clang. Off by default: the presets without it
# (tsan, release) and clang-tidy show a source that forgets an include.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    return()
endif()
set(headers
    algorithm chrono cstdint functional map memory optional set string string_view tuple utility
    variant vector)
list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n" OUTPUT_VARIABLE includes)
list(TRANSFORM headers REPLACE "(.+)" "<\\1>")
set(source ${PROJECT_BINARY_DIR}/precompiled_headers.cpp)
file(CONFIGURE OUTPUT ${source} CONTENT "" @ONLY)
add_library(precompiled_headers STATIC ${source})
target_link_libraries(precompiled_headers PRIVATE project_options)
target_precompile_headers(precompiled_headers PRIVATE ${headers})
target_compile_options(precompiled_headers PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
set(pch ${PROJECT_BINARY_DIR}/CMakeFiles/precompiled_headers.dir/cmake_pch.hxx.pch)

# The precompiled file names the build folder; with what it was made of beside it, ccache
# (CCACHE_PCH_EXTSUM in the presets) finds the objects of other checkouts all the same. Made with each
# precompiled file, so that an upgrade of the standard library is seen.
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
list(JOIN includes "" includes)
file(CONFIGURE OUTPUT ${source}.sum.cpp CONTENT "${includes}" @ONLY)
add_custom_command(
    OUTPUT ${pch}.sum
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} -std=c++20 -E -P -x c++ ${source}.sum.cpp -o ${pch}.sum
    DEPENDS ${pch}
    VERBATIM)
add_custom_target(precompiled_headers_sum DEPENDS ${pch}.sum)
add_dependencies(precompiled_headers_sum precompiled_headers)

# By hand, because CMake's REUSE_FROM adds an option with a path that ccache does not make relative.
function(use_precompiled_headers folder)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        if(type MATCHES "^(STATIC_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$")
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
        use_precompiled_headers(${below})
    endforeach()
endfunction()
use_precompiled_headers(${PROJECT_SOURCE_DIR}/lib)
use_precompiled_headers(${PROJECT_SOURCE_DIR}/controller)
use_precompiled_headers(${PROJECT_SOURCE_DIR}/test)
