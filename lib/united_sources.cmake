# Compiles the sources of a target several at a time, each group as one: what they all include is
# parsed, and what they all instantiate is compiled, once for a group. A build from nothing takes
# half as long; a changed source takes its group along, so that the dev preset is without it. Names
# in anonymous namespaces must differ within a library. A build tells where they do not but for
# functions with other parameters, which would be overloads: the rule `overloads` of test/lint tells
# of those. The name of a source says which group it is in, so that a new one moves no other, but
# where a target outgrows its groups and gets twice as many.
# By hand, because CMake's UNITY_BUILD includes sources by their absolute paths, and ccache would
# not find the objects of other checkouts.

# The most sources that a group has on average; the least is half of it.
set(united_count 16)

# All targets of a folder whose sources are included from ${root} on.
function(unite_sources folder root)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        get_target_property(type ${target} TYPE)
        get_target_property(sources ${target} SOURCES)
        if(NOT type STREQUAL "STATIC_LIBRARY" OR NOT sources)
            continue()
        endif()
        list(LENGTH sources count)
        set(groups 1)
        while(count GREATER united_count)
            math(EXPR groups "${groups} * 2")
            math(EXPR count "${count} / 2")
        endwhile()
        # Generated sources are large; others have options or names of their own: they stay alone.
        set(alone "")
        set(united "")
        foreach(source IN LISTS sources)
            set(path ${source})
            cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY ${folder})
            get_property(skipped
                SOURCE ${path} DIRECTORY ${folder} PROPERTY SKIP_UNITY_BUILD_INCLUSION)
            get_property(options SOURCE ${path} DIRECTORY ${folder} PROPERTY COMPILE_OPTIONS)
            get_property(definitions SOURCE ${path} DIRECTORY ${folder} PROPERTY COMPILE_DEFINITIONS)
            if(IS_ABSOLUTE ${source} OR skipped OR options OR definitions)
                list(APPEND alone ${path})
                continue()
            endif()
            string(SHA1 hash ${source})
            string(SUBSTRING ${hash} 0 6 digits)
            math(EXPR number "0x${digits} % ${groups}")
            if(NOT number IN_LIST united)
                list(APPEND united ${number})
                set(text_${number} "")
            endif()
            file(RELATIVE_PATH included ${root} ${path})
            string(APPEND text_${number} "#include \"${included}\"\n")
        endforeach()
        set(sources ${alone})
        foreach(number IN LISTS united)
            set(group ${PROJECT_BINARY_DIR}/united/${target}_${number}.cpp)
            file(CONFIGURE OUTPUT ${group} CONTENT "${text_${number}}" @ONLY)
            list(APPEND sources ${group})
        endforeach()
        set_property(TARGET ${target} PROPERTY SOURCES ${sources})
    endforeach()
    get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    foreach(below IN LISTS folders)
        unite_sources(${below} ${root})
    endforeach()
endfunction()

unite_sources(${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/lib)
unite_sources(${PROJECT_SOURCE_DIR}/controller ${PROJECT_SOURCE_DIR})
