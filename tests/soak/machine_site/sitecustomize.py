"""Makes a command believe that it runs on another host, at another time; Python imports this file
by itself where PYTHONPATH names its folder.

SOAK_HOST is the host's name, SOAK_SHIFT by how many seconds the clock is ahead. What measures how
long something takes is not shifted.
"""

import datetime
import os
import platform
import socket
import time

_shift = float(os.environ.get("SOAK_SHIFT", "0"))
_host = os.environ.get("SOAK_HOST", "")

if _shift:
    _time, _time_ns, _now = time.time, time.time_ns, datetime.datetime

    class _Same(type(_now)):
        def __instancecheck__(cls, one: object) -> bool:
            return isinstance(one, _now)

    class _Shifted(_now, metaclass=_Same):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
            return _now.now(tz) + datetime.timedelta(seconds=_shift)

        @classmethod
        def today(cls) -> datetime.datetime:
            return cls.now()

    _Shifted.__name__ = _Shifted.__qualname__ = "datetime"
    _Shifted.__module__ = "datetime"
    datetime.datetime = _Shifted  # type: ignore[misc]
    time.time = lambda: _time() + _shift
    time.time_ns = lambda: _time_ns() + int(_shift * 1e9)

if _host:
    _uname = os.uname()
    _named = os.uname_result((_uname.sysname, _host, *_uname[2:]))
    os.uname = lambda: _named
    socket.gethostname = lambda: _host
    platform.node = lambda: _host
