"""Fair training on shared sensitive attributes: logistic regression with Lagrange multipliers."""
