"""Reading text: languages, YAML with line numbers, files of examples, commands as typed."""
