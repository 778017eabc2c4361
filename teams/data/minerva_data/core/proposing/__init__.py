"""New words and terms on their way into a glossary: proposed, reviewed, accepted."""
