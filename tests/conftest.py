"""No test is timed: machines are noisy, and what grows too fast is found by `test_growth`."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
