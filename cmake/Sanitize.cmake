# Sanitizers and linker for every target; included before the first one is made.
set(KNEAD_SANITIZE "" CACHE STRING "Sanitizers of the whole build, as for -fsanitize: \"address,undefined\", \"thread\" or empty")
if(KNEAD_SANITIZE)
  # What a sanitizer finds ends the program: a test that only prints would pass.
  add_compile_options(-fsanitize=${KNEAD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${KNEAD_SANITIZE})
endif()

find_program(KNEAD_LLD ld.lld)
mark_as_advanced(KNEAD_LLD)
if(KNEAD_LLD AND NOT CMAKE_CROSSCOMPILING)
  add_link_options(-fuse-ld=lld)
endif()
