# cmake --install: the program, the libraries with their headers, and find_package(knead).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY KNEAD_ROOMS)
foreach(room ${rooms})
  string(REPLACE "knead_" "" name ${room})
  set_target_properties(${room} PROPERTIES EXPORT_NAME ${name})  # knead_base is knead::base outside
endforeach()
install(TARGETS knead ${rooms} EXPORT knead_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/engine ${PROJECT_SOURCE_DIR}/engine/*.h)
foreach(header ${headers})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES engine/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/knead/${folder})
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/knead)
configure_package_config_file(cmake/kneadConfig.cmake.in kneadConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(kneadConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kneadConfig.cmake ${PROJECT_BINARY_DIR}/kneadConfigVersion.cmake cmake/Dependencies.cmake
        DESTINATION ${package_folder})
install(EXPORT knead_targets NAMESPACE knead:: FILE kneadTargets.cmake DESTINATION ${package_folder})

if(TARGET knead_cli)
  install(TARGETS knead_cli DESTINATION ${CMAKE_INSTALL_BINDIR})
  # The schema is what the program says it is.
  if(NOT CMAKE_CROSSCOMPILING)
    add_custom_command(OUTPUT scene.schema.json DEPENDS knead_cli VERBATIM
                       COMMAND knead_cli schema > scene.schema.json.part
                       COMMAND ${CMAKE_COMMAND} -E rename scene.schema.json.part scene.schema.json)
    add_custom_target(knead_schema ALL DEPENDS scene.schema.json)
    install(FILES ${PROJECT_BINARY_DIR}/scene.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/knead)
  endif()
endif()

install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/knead)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
