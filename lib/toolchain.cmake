# The compiler of the presets: $CXX where it is set; else clang++-16, which CI builds with; else the
# newest clang++-N with N from 17 on; else clang++ where it is one of these versions. The linker: lld
# where that compiler finds one, else its own. A build folder keeps what it was configured with.
#
# SLUICE_PROCESSOR=arm64 or amd64 compiles for that processor on a Debian that has its libraries
# (test/install_dependencies.sh build arm64).
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SLUICE_PROCESSOR)
if(SLUICE_PROCESSOR STREQUAL "arm64")
    set(wanted_processor aarch64)
elseif(SLUICE_PROCESSOR STREQUAL "amd64")
    set(wanted_processor x86_64)
elseif(SLUICE_PROCESSOR)
    message(FATAL_ERROR "SLUICE_PROCESSOR is ${SLUICE_PROCESSOR}; it may be amd64 or arm64")
endif()
if(SLUICE_PROCESSOR AND NOT wanted_processor STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
    set(CMAKE_SYSTEM_NAME Linux)
    set(CMAKE_SYSTEM_PROCESSOR ${wanted_processor})
    set(CMAKE_CXX_COMPILER_TARGET ${wanted_processor}-linux-gnu)
    set(CMAKE_LIBRARY_ARCHITECTURE ${wanted_processor}-linux-gnu)
endif()

get_property(is_probe GLOBAL PROPERTY IN_TRY_COMPILE)
if(is_probe)
    return()
endif()

function(check_version result candidate)
    execute_process(
        COMMAND ${candidate} -dumpversion
        OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT version VERSION_GREATER_EQUAL 16)
        set(${result} FALSE PARENT_SCOPE)
    endif()
endfunction()

function(choose_compiler result)
    if(DEFINED CACHE{CMAKE_CXX_COMPILER})
        set(found "$CACHE{CMAKE_CXX_COMPILER}")
    elseif(NOT "$ENV{CXX}" STREQUAL "")
        separate_arguments(found UNIX_COMMAND "$ENV{CXX}")
    else()
        set(names clang++-16)
        foreach(version RANGE 99 17 -1)
            list(APPEND names clang++-${version})
        endforeach()
        find_program(found NAMES ${names} clang++ NO_CACHE VALIDATOR check_version)
        if(NOT found)
            message(FATAL_ERROR
                "no clang++ from 16 on was found: run test/install_dependencies.sh, "
                "or name a compiler by the environment variable CXX")
        endif()
        set(CMAKE_CXX_COMPILER ${found} CACHE FILEPATH "the compiler")
    endif()
    set(${result} "${found}" PARENT_SCOPE)
endfunction()

choose_compiler(chosen_compiler)
if(NOT DEFINED CACHE{CMAKE_EXE_LINKER_FLAGS})
    execute_process(
        COMMAND ${chosen_compiler} -fuse-ld=lld -Wl,--version
        RESULT_VARIABLE lld_code OUTPUT_QUIET ERROR_QUIET)
    if(lld_code EQUAL 0)
        set(CMAKE_EXE_LINKER_FLAGS_INIT -fuse-ld=lld)
    endif()
endif()
