# NOUN_SANITIZE="address,undefined" or "thread" instruments noun's own folders, its tests and its sample service.

set(NOUN_SANITIZE "" CACHE STRING "Sanitizers for noun's own folders, as -fsanitize= takes them")

if(NOUN_SANITIZE)
  add_compile_options(-fsanitize=${NOUN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(NOUN_SANITIZE MATCHES "undefined")
    # Its vptr check opens a pipe to learn whether memory can be read, and cries wolf in a process without descriptors.
    add_compile_options(-fno-sanitize=vptr)
  endif()
  add_link_options(-fsanitize=${NOUN_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC loses track of initialisations behind its own instrumentation, as its manual says.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()
