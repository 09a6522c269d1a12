"""The analysis commands, and what they share: pictures, schemes, and where reports go."""
