# SPDX-License-Identifier: GPL-2.0-or-later
# What every target of the project shares, and the one way to add a library.

add_library(rl_flags INTERFACE)
target_compile_options(rl_flags INTERFACE -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes
	-Wno-unused-parameter $<$<BOOL:${RECLAIMLAB_WERROR}>:-Werror>)
target_compile_definitions(rl_flags INTERFACE _GNU_SOURCE)
target_include_directories(rl_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
if(RECLAIMLAB_SANITIZE)
	target_compile_options(rl_flags INTERFACE -fsanitize=address,undefined
		-fno-sanitize-recover=all -fno-omit-frame-pointer)
	target_link_options(rl_flags INTERFACE -fsanitize=address,undefined)
endif()
if(RECLAIMLAB_FUZZ)
	target_compile_options(rl_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# rl_add_library(name SOURCES a.c ... LINK lib ...)
# A static library with the project's flags; headers are included by their path from the root.
function(rl_add_library name)
	cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
	add_library(${name} STATIC ${arg_SOURCES})
	target_link_libraries(${name} PRIVATE rl_flags PUBLIC ${arg_LINK})
endfunction()
