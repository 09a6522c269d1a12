"""What the analysis commands share: reading pictures, naming schemes, writing reports."""
