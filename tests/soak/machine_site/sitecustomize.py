"""Makes a command believe that it runs on another host, at another time; Python imports this file
by itself where PYTHONPATH names its folder.

SOAK_HOST is the host's name, SOAK_SHIFT by how many seconds the clock is ahead, SOAK_STOPPED the
time at which it stands, in seconds since 1970. What measures how long something takes goes on.
"""

import datetime
import os
import platform
import socket
import time

_shift = float(os.environ.get("SOAK_SHIFT", "0"))
_stopped = float(os.environ.get("SOAK_STOPPED", "0"))
_host = os.environ.get("SOAK_HOST", "")

if _shift or _stopped:
    _time, _now = time.time, datetime.datetime

    def _tell_time() -> float:
        return _stopped or _time() + _shift

    class _Same(type(_now)):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, _now)

    class _Shifted(_now, metaclass=_Same):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
            return _now.fromtimestamp(_tell_time(), tz)

        @classmethod
        def today(cls) -> datetime.datetime:
            return cls.now()

    _Shifted.__name__ = _Shifted.__qualname__ = "datetime"
    _Shifted.__module__ = "datetime"
    datetime.datetime = _Shifted  # type: ignore[misc]
    time.time = _tell_time
    time.time_ns = lambda: int(_tell_time() * 1e9)

if _host:
    _uname = os.uname()
    _named = os.uname_result((_uname.sysname, _host, *_uname[2:]))
    os.uname = lambda: _named
    socket.gethostname = lambda: _host
    platform.node = lambda: _host
