"""A glossary in memory: words, domains, terms and how they are merged."""
