"""From words to a standard name: candidates, composition, decision."""
