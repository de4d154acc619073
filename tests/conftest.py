"""Settings that every test shares."""

from hypothesis import settings

# No deadline, because a first call compiles; the same examples every time, because a test that
# fails only now and then is worth little.
settings.register_profile("armspan", deadline=None, derandomize=True, database=None)
settings.load_profile("armspan")
