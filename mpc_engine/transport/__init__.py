"""The line between the two parties: framed, metered, strict; TLS 1.3 in production."""
