# The program as its users meet it: exit codes, messages, interruption, kill and resume, threads; and the report of a run.
if(TARGET knead_cli)
  add_test(NAME cli COMMAND python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_cli.py $<TARGET_FILE:knead_cli>)
  add_test(NAME report COMMAND python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_report.py $<TARGET_FILE:knead_cli>)
  add_test(NAME render_command COMMAND python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_render.py $<TARGET_FILE:knead_cli>)
endif()
