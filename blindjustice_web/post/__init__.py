"""What passes between the site and the parties: orders until they are answered, keys, health."""
