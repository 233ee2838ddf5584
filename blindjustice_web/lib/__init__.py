"""What several domains of the site share: ids, times, errors, pushes."""
