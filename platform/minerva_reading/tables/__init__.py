"""Tables of texts and workbooks, row by row, within bounds."""
