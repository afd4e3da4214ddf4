"""Human techniques: nothing stands here yet."""
