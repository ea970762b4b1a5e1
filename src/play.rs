//! Wall time to clip time.
