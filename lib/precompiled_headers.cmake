# Parses the standard headers once for all targets. Off by default: the presets without it (tsan,
# release) and clang-tidy show a source that forgets an include.
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
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(precompiled_headers PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    # The precompiled file names the build folder; with this sum of what it was made of beside it,
    # ccache (CCACHE_PCH_EXTSUM in the presets) finds the objects of other checkouts all the same.
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
    list(JOIN includes "" includes)
    file(CONFIGURE OUTPUT ${source}.sum.cpp CONTENT "${includes}" @ONLY)
    execute_process(
        COMMAND ${CMAKE_CXX_COMPILER} ${flags} -std=c++20 -E -P -x c++ ${source}.sum.cpp
        OUTPUT_VARIABLE preprocessed COMMAND_ERROR_IS_FATAL ANY)
    string(SHA256 sum "${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE} ${flags} ${preprocessed}")
    set(folder ${PROJECT_BINARY_DIR}/CMakeFiles/precompiled_headers.dir)
    file(CONFIGURE OUTPUT ${folder}/cmake_pch.hxx.pch.sum CONTENT "${sum}" @ONLY)
endif()

function(use_precompiled_headers folder)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        if(type MATCHES "^(STATIC_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$")
            target_precompile_headers(${target} REUSE_FROM precompiled_headers)
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
