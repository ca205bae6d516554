#===- EmbedOpDocs.cmake - Text files become C++ literals ---------------------===#
#
# In: INPUTS, Markdown files named <Family>Ops.md. Out: OUTPUT, one initialiser
# {"<Family>", R"aikdoc(text)aikdoc"} for each.
#
#===------------------------------------------------------------------------===#

set(text "")
foreach(file IN LISTS INPUTS)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "Ops$" "" family "${name}")
  file(READ ${file} content)
  string(APPEND text "{\"${family}\", R\"aikdoc(${content})aikdoc\"},\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
