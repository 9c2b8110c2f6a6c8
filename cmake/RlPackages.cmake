# SPDX-License-Identifier: GPL-2.0-or-later
# Debian packages: "cpack -G DEB" in the folder of a build with the prefix /usr (preset package) makes
# reclaimlab, libreclaim0 and libreclaim-dev. Who packages is taken from DEBFULLNAME and DEBEMAIL when
# the build is configured. Without them the packages name nobody who could be written to: ".invalid" is
# the domain that is kept for that (RFC 2606). Set them before packages are handed on.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME reclaimlab)
set(CPACK_PACKAGE_VENDOR reclaimlab)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(packager "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
if("$ENV{DEBEMAIL}" STREQUAL "")
	set(packager "reclaimlab developers <reclaimlab@packages.invalid>")
endif()
set(RECLAIMLAB_PACKAGER "${packager}" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_PACKAGE_CONTACT "${RECLAIMLAB_PACKAGER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/CompressMan.cmake)
set(CPACK_COMPONENTS_ALL reclaimlab libreclaim0 libreclaim-dev)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
	GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/replay/engine)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RECLAIMLAB_PACKAGE_NAME reclaimlab)
set(CPACK_DEBIAN_RECLAIMLAB_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_RECLAIMLAB_DESCRIPTION "capture, analyse and replay Linux memory reclaim
Records the memory-management tracepoints of a machine, turns any such
recording into an SQLite database, summarises and compares runs, and
re-drives the recorded demand through another reclaim policy.")

set(CPACK_DEBIAN_LIBRECLAIM0_PACKAGE_NAME libreclaim0)
set(CPACK_DEBIAN_LIBRECLAIM0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRECLAIM0_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers
	${PROJECT_BINARY_DIR}/debian/shlibs)
set(CPACK_DEBIAN_LIBRECLAIM0_DESCRIPTION "model of a machine's memory under reclaim
A discrete-event model of Linux memory reclaim: allocator, lists, kswapd,
direct reclaim, throttling and devices, with policies as plugins.
This package has the shared library.")

set(CPACK_DEBIAN_LIBRECLAIM-DEV_PACKAGE_NAME libreclaim-dev)
set(CPACK_DEBIAN_LIBRECLAIM-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRECLAIM-DEV_PACKAGE_DEPENDS "libreclaim0 (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRECLAIM-DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_LIBRECLAIM-DEV_DESCRIPTION "model of a machine's memory under reclaim (headers)
A discrete-event model of Linux memory reclaim: allocator, lists, kswapd,
direct reclaim, throttling and devices, with policies as plugins.
This package has what is needed to build programs and policies.")

file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "libreclaim 0 libreclaim0\n")

# What Debian wants of each package: a copyright file and a changelog.
file(WRITE ${PROJECT_BINARY_DIR}/debian/changelog
	"reclaimlab (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * Release.\n\n"
	" -- ${CPACK_PACKAGE_CONTACT}  Mon, 30 Nov 2026 12:00:00 +0000\n")
set(changelog ${PROJECT_BINARY_DIR}/debian/changelog.gz)
execute_process(COMMAND gzip -9nc ${PROJECT_BINARY_DIR}/debian/changelog OUTPUT_FILE ${changelog})
set(copyright ${CMAKE_CURRENT_LIST_DIR}/copyright)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
	install(FILES ${copyright} ${changelog} COMPONENT ${component}
		DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${component})
endforeach()

include(CPack)
