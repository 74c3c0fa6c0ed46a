# An outside program finds, links and runs an installed knead.
add_test(NAME install
         COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -D SOURCE=${CMAKE_CURRENT_LIST_DIR} -D GENERATOR=${CMAKE_GENERATOR}
                 -D COMPILER=${CMAKE_CXX_COMPILER} -D SANITIZE=${KNEAD_SANITIZE} -D VERSION=${PROJECT_VERSION}
                 -P ${CMAKE_CURRENT_LIST_DIR}/run.cmake)
