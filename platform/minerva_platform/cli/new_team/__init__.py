"""`minerva new team`: the sources that a new project is written from."""
