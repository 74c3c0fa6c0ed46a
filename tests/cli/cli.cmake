# The program as its users meet it: exit codes, messages, interruption, kill and resume, threads.
if(TARGET knead_cli)
  add_test(NAME cli COMMAND python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_cli.py $<TARGET_FILE:knead_cli>)
endif()
