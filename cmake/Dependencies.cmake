# Libraries that knead links. Read by the build and, installed beside kneadConfig.cmake, by programs that use knead.
find_package(TBB REQUIRED)
find_package(Imath QUIET REQUIRED)
find_package(PkgConfig REQUIRED)
# `hdf5-serial` by name: plain `hdf5` may mean the MPI build.
pkg_check_modules(HDF5 QUIET IMPORTED_TARGET hdf5-serial)
if(NOT HDF5_FOUND)
  pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5)
endif()
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_package(embree 3 QUIET REQUIRED)
find_package(PNG QUIET REQUIRED)

# OpenVDB comes with find-modules only, and they ask for more than is used here.
if(NOT TARGET OpenVDB::openvdb)
  find_library(OPENVDB_LIBRARY openvdb REQUIRED)
  find_path(OPENVDB_INCLUDE openvdb/openvdb.h REQUIRED)
  mark_as_advanced(OPENVDB_LIBRARY OPENVDB_INCLUDE)
  add_library(OpenVDB::openvdb INTERFACE IMPORTED)
  target_include_directories(OpenVDB::openvdb SYSTEM INTERFACE ${OPENVDB_INCLUDE})
  target_link_libraries(OpenVDB::openvdb INTERFACE ${OPENVDB_LIBRARY} Imath::Imath TBB::tbb)
endif()
