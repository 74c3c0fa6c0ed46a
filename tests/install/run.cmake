# Installs the build folder BUILD to a prefix inside it, and builds and runs the program of this folder against that.
set(work ${BUILD}/install_test)
file(REMOVE_RECURSE ${work})
set(flags)
if(SANITIZE)
  set(flags -fsanitize=${SANITIZE})
endif()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
# The installed tree is moved first: nothing in it may remember where it was put.
file(RENAME ${work}/prefix ${work}/moved)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${work}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${flags}
    -DCMAKE_PREFIX_PATH=${work}/moved -DKNEAD_VERSION=${VERSION})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/outside)
file(REMOVE_RECURSE ${work})
