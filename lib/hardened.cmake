# What distributions harden programs with: position independence, checks of the stack and of copies
# into buffers of known size, and relocations that are read-only from the start on.
add_compile_options(-fPIE -fstack-protector-strong -fstack-clash-protection)
add_compile_definitions(_FORTIFY_SOURCE=2)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-fcf-protection)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    add_compile_options(-mbranch-protection=standard)
endif()
add_link_options(-pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
