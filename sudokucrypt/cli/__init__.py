"""The command line: one small module per command; `main` turns errors into messages and codes."""
