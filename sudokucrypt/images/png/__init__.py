"""PNG and APNG."""
