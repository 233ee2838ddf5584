"""Pages and forms that members of both organisations have alike, the role a parameter."""
