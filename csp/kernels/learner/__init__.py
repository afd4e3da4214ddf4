"""The clause learner over exactly-one sets."""
