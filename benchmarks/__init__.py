"""Speed, memory and size, as ratios against a named peer or the naive way in the same run."""
