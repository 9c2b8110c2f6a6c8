# SPDX-License-Identifier: GPL-2.0-or-later
# cmake -DOUT=x.c -DSTYLE="a.css;..." -DSCRIPT="a.js;..." -P embed.cmake
# Turns the style and the script of a page into C, and names the hash that a content security policy
# knows the script by.

include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/EmbedBytes.cmake)

# join(out a b ...): one file of several, which must not end the element that it stands in.
function(join out)
	set(text "")
	foreach(path IN LISTS ARGN)
		execute_process(COMMAND ${CMAKE_COMMAND} -E cat ${path} OUTPUT_VARIABLE part COMMAND_ERROR_IS_FATAL ANY)
		string(APPEND text "${part}\n")
	endforeach()
	if(text MATCHES "</(script|style)")
		message(FATAL_ERROR "${ARGN}: a tag would end the element")
	endif()
	file(WRITE ${out} "${text}")
endfunction()

join(${OUT}.css ${STYLE})
join(${OUT}.js ${SCRIPT})
embed_bytes(${OUT}.css style)
embed_bytes(${OUT}.js script)
file(SHA256 ${OUT}.js hex)
embed_base64(${hex} hash)
file(WRITE ${OUT} "/* Generated from analyze/html. */
#include \"analyze/html_private.h\"

const char html_style[] = ${style};
const char html_script[] = ${script};
const char html_script_hash[] = \"sha256-${hash}\";
")
