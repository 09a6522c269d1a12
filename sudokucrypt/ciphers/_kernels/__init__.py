"""The kernel that masks coefficients, and its plain twin."""
