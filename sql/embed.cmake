# SPDX-License-Identifier: GPL-2.0-or-later
# cmake -DOUT=x.c -DMETA=meta.sql -DVIEWS=folder -P embed.cmake
# Turns the SQL files into C: store_meta_sql, and store_views in the order of their file names.

include(${CMAKE_CURRENT_LIST_DIR}/../cmake/EmbedBytes.cmake)

embed_bytes(${META} bytes)
set(text "/* Generated from sql/schema and sql/views. */\n#include \"sql/embedded.h\"\n\n")
string(APPEND text "const char store_meta_sql[] = ${bytes};\n")
file(GLOB views ${VIEWS}/*.sql)
list(SORT views)
set(entries "")
foreach(view IN LISTS views)
	get_filename_component(name ${view} NAME_WE)
	string(MAKE_C_IDENTIFIER ${name} id)
	embed_bytes(${view} bytes)
	string(APPEND text "static const char view_${id}[] = ${bytes};\n")
	string(APPEND entries "\t{ \"${name}\", view_${id} },\n")
endforeach()
string(APPEND text "const struct embedded_view store_views[] = {\n${entries}\t{ 0, 0 },\n};\n")
file(WRITE ${OUT} "${text}")
