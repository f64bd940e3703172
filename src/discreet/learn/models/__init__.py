"""What learning returns: models that everybody may use, keep and look at. Nothing here costs anything."""
