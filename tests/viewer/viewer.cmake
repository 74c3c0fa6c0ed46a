# The viewer from outside: its server by plain requests, its page in a real browser.
if(TARGET knead_cli AND TARGET knead_viewer)
  add_test(NAME viewer_server COMMAND python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_server.py $<TARGET_FILE:knead_cli>)
  add_test(NAME viewer COMMAND python3 -B ${CMAKE_CURRENT_LIST_DIR}/run_browser_tests.py $<TARGET_FILE:knead_cli>
                               ${CMAKE_CURRENT_BINARY_DIR}/viewer ${KNEAD_NODE} ${KNEAD_NPM})
  set_tests_properties(viewer PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()
