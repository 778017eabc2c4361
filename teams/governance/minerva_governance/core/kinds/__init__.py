"""The kinds of personal data, as tables: one a country, and what people add in YAML."""
