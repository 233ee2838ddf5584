"""A site with studies in every state, served without parties: for looking at its pages."""
