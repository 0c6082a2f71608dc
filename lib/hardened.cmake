# What distributions harden programs with: position independence, checks of the stack and of copies
# into buffers of known size, and relocations that are read-only from the start on.
include(CheckCXXCompilerFlag)
add_compile_options(-fPIE -fstack-protector-strong)
# clang 16 has none for arm64, and warns.
set(CMAKE_REQUIRED_FLAGS -Werror)
check_cxx_compiler_flag(-fstack-clash-protection knows_stack_clash)
unset(CMAKE_REQUIRED_FLAGS)
if(knows_stack_clash)
    add_compile_options(-fstack-clash-protection)
endif()
add_compile_definitions(_FORTIFY_SOURCE=2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    add_compile_options(-mbranch-protection=standard)
endif()
add_link_options(-pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
