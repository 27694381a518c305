"""Pictures of experiments, drawn by matplotlib from what a run folder has."""
