"""What an officer keeps: one document, written as Markdown, HTML, JSON, SARIF and CSV."""
