"""`minerva new team`: what a new project is written from."""
