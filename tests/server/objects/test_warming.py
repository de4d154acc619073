"""Getting ready: after it, neither tubes nor grasps compile anything."""

from armspan.server.objects.warming import load_objects
from armspan.server.warm import watching_compilation


def test_what_was_loaded_once_is_not_compiled_again():
    load_objects()
    compiled: list[bool] = []
    with watching_compilation(lambda: compiled.append(True)):
        load_objects()
    assert not compiled
