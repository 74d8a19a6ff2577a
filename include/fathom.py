"""libfathom for Python: capacity, latency and bandwidth of this machine's memory. One file, no packages.

    import fathom
    for level in fathom.Fathom().levels(budget_ms=1000):
        print(level.level, level.capacity_bytes, level.latency_ns)
    points = fathom.read("run.json").points()      # dictionaries, as pandas and polars take them

fathom.h is the reference: names, units and errors are as there, and what it returns as NAN is nan here. Errors are
raised as fathom.Error. Documents and handles free themselves. The library is libfathom.so.0, or what FATHOM_LIBRARY
names. It needs Python 3.9.
"""
from __future__ import annotations

import ctypes as c
import os
from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Annotated, Any, Callable, Iterator, Optional, Sequence, get_type_hints

try:
    _library = c.CDLL(os.environ.get("FATHOM_LIBRARY") or "libfathom.so.0")
except OSError as error:
    raise OSError(f"{error}: install fathom, or name its shared library in FATHOM_LIBRARY") from None

_Unsigned = Annotated[int, c.c_uint]
_Size = Annotated[int, c.c_size_t]
_Bool = Annotated[bool, c.c_int]
_Text = Annotated[str, c.c_char_p]
_TextOrNone = Annotated[Optional[str], c.c_char_p]


class Source(IntEnum):
    """Where an answer is from."""
    DECLARED = 1
    MEASURED = 2
    CACHED = 3


class Code(IntEnum):
    USAGE = -2
    IMPOSSIBLE = -3
    CANCELLED = -4
    SYSTEM = -5
    BUSY = -6


class Error(Exception):
    """One line that says what happened and what to do; `code` is its kind."""

    def __init__(self, code: Code, text: str):
        super().__init__(text)
        self.code = code


# The members of each struct of the header, in its order, without `size`, which is the first of all of them.

@dataclass(frozen=True)
class Level:
    level: _Unsigned
    source: Annotated[Source, c.c_int]
    capacity_bytes: Annotated[int, c.c_uint64]
    declared_bytes: Annotated[int, c.c_uint64]
    latency_ns: Annotated[float, c.c_double]
    latency_cycles: Annotated[float, c.c_double]
    line_bytes: _Unsigned
    doubtful: _Bool
    kind: _TextOrNone
    disturbance: Annotated[float, c.c_double]


@dataclass(frozen=True)
class Value:
    name: _Text
    unit: _Text
    value: Annotated[float, c.c_double]
    low: Annotated[float, c.c_double]
    high: Annotated[float, c.c_double]
    quiet: Annotated[float, c.c_double]
    quiet_low: Annotated[float, c.c_double]
    quiet_high: Annotated[float, c.c_double]
    declared: Annotated[float, c.c_double]
    doubtful: _Bool
    sentence: _TextOrNone
    kind: _TextOrNone
    disturbance: Annotated[float, c.c_double]


@dataclass(frozen=True)
class Series:
    probe: _Text
    name: _Text
    factors: Annotated[str, c.c_char * 128]
    x_name: _TextOrNone
    x_unit: _TextOrNone
    y_name: _TextOrNone
    y_unit: _TextOrNone
    matrix: _Bool
    points: _Size


@dataclass(frozen=True)
class Point:
    x: Annotated[float, c.c_double]
    from_: Annotated[int, c.c_int]
    to: Annotated[int, c.c_int]
    median: Annotated[float, c.c_double]
    low: Annotated[float, c.c_double]
    high: Annotated[float, c.c_double]
    quiet: Annotated[float, c.c_double]
    cycles: Annotated[float, c.c_double]
    trials: _Unsigned
    disturbance: Annotated[float, c.c_double]


@dataclass(frozen=True)
class Comparison:
    values: _Size
    changed: _Size
    uncertain: _Size


@dataclass(frozen=True)
class Advice:
    name: Annotated[str, c.c_char * 32]
    unit: _Text
    value: Annotated[float, c.c_double]
    low: Annotated[float, c.c_double]
    high: Annotated[float, c.c_double]
    told: _Bool
    doubtful: _Bool
    text: Annotated[str, c.c_char * 128]
    reason: Annotated[str, c.c_char * 256]
    source: Annotated[str, c.c_char * 64]
    experiment: Annotated[str, c.c_char * 128]
    command: Annotated[str, c.c_char * 64]


class _Error(c.Structure):
    _fields_ = [("code", c.c_int), ("text", c.c_char * 512)]


_Progress = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_char_p, c.c_double, c.c_double)


class _Plan(c.Structure):
    _fields_ = [("size", c.c_size_t), ("probes", c.POINTER(c.c_char_p)), ("settings", c.POINTER(c.c_char_p)),
                ("budget_ms", c.c_uint), ("progress", _Progress), ("argument", c.c_void_p)]


class _Options(c.Structure):
    _fields_ = [("size", c.c_size_t), ("cache_folder", c.c_char_p), ("measure_anew", c.c_int)]


def _kinds(of: type) -> dict[str, Any]:
    return {name: hint.__metadata__[0] for name, hint in get_type_hints(of, include_extras=True).items()}


_structs: dict[type, Any] = {
    of: type("_" + of.__name__, (c.Structure,), {"_fields_": [("size", c.c_size_t), *_kinds(of).items()]})
    for of in (Level, Value, Series, Point, Comparison, Advice)}


def _array(of: type, count: int = 1) -> Any:
    """Structs of the header for the library to fill."""
    array = (_structs[of] * max(count, 1))()
    array[0].size = c.sizeof(_structs[of])
    return array


def _plain(of: Any, struct: Any) -> Any:
    values = {}
    for name, kind in get_type_hints(of).items():
        value = getattr(struct, name)
        values[name] = (value.decode() if isinstance(value, bytes) else
                        kind(value) if kind in (bool, Source) else value)
    return of(**values)


def _call(name: str, *arguments: Any) -> int:
    """Calls with an error as the last argument, and raises it."""
    error = _Error()
    code: int = getattr(_library, name)(*arguments, c.byref(error))
    if code < 0:
        raise Error(Code(code), error.text.decode())
    return code


def _ms(budget_ms: int) -> int:
    """C would take -1 for 49 days."""
    if not 0 <= budget_ms < 1 << 32:
        raise ValueError(f"budget_ms is {budget_ms}: give 0 to {(1 << 32) - 1}")
    return budget_ms


def _texts(texts: Optional[Sequence[str]]) -> Any:
    return None if texts is None else (c.c_char_p * (len(texts) + 1))(*(text.encode() for text in texts))


def _taken(text: c.c_void_p) -> str:
    value = c.string_at(text).decode() if text else ""
    _library.fathom_free(text)
    return value


_library.fathom_open.restype = c.c_void_p
_library.fathom_version.restype = c.c_char_p


def version() -> str:
    text: bytes = _library.fathom_version()
    return text.decode()


class Document:
    """What was measured; read() and Fathom.run() make one."""

    def __init__(self, pointer: c.c_void_p):
        self._pointer = pointer

    def __del__(self) -> None:
        _library.fathom_document_free(self._pointer)

    def write(self, path: str) -> None:
        _call("fathom_write", self._pointer, os.fsencode(path))

    def analyse(self) -> None:
        _call("fathom_analyse", self._pointer)

    def render(self, format: str) -> str:
        text = c.c_void_p()
        _call("fathom_render", self._pointer, format.encode(), c.byref(text))
        return _taken(text)

    def compare(self, after: Document, tolerance: float = 0) -> tuple[Comparison, str]:
        """How many values changed from this document to another one, and which in words."""
        into, text = _array(Comparison), c.c_void_p()
        _call("fathom_compare", self._pointer, after._pointer, c.c_double(tolerance), into, b"text", c.byref(text))
        return _plain(Comparison, into[0]), _taken(text)

    def _each(self, function: str, of: Any) -> Iterator[Any]:
        into, i = _array(of), 0
        while getattr(_library, function)(self._pointer, c.c_size_t(i), into) == 0:
            yield _plain(of, into[0])
            i += 1

    def findings(self) -> list[Value]:
        return list(self._each("fathom_finding_at", Value))

    def finding(self, name: str) -> Value:
        """The finding of the default experiment; KeyError where there is none."""
        into = _array(Value)
        if _library.fathom_finding(self._pointer, name.encode(), into) < 0:
            raise KeyError(name)
        value: Value = _plain(Value, into[0])
        return value

    def advise(self) -> list[Advice]:
        """What programs take from the figures, each with its reason."""
        room = 64
        into = _array(Advice, room)
        count = _call("fathom_advise", self._pointer, into, c.c_size_t(room))
        return [_plain(Advice, advice) for advice in into[:min(count, room)]]

    def series(self) -> list[Series]:
        return list(self._each("fathom_series_at", Series))

    def points_of(self, i: int, count: int) -> list[Point]:
        """Up to `count` points of the i-th series."""
        if i < 0 or i >> 63 or count < 1:
            return []
        into = _array(Point, count)
        there = _library.fathom_points(self._pointer, c.c_size_t(i), into, c.c_size_t(count))
        return [_plain(Point, point) for point in into[:max(0, min(count, there))]]

    def points(self) -> list[dict[str, Any]]:
        """Every point with its series' probe, name, factors and units: rows of a table."""
        return [{"probe": series.probe, "series": series.name, "factors": series.factors, "x_name": series.x_name,
                 "x_unit": series.x_unit, "y_name": series.y_name, "y_unit": series.y_unit, **asdict(point)}
                for i, series in enumerate(self.series()) for point in self.points_of(i, series.points)]


def read(path: str) -> Document:
    pointer = c.c_void_p()
    _call("fathom_read", os.fsencode(path), c.byref(pointer))
    return Document(pointer)


class Fathom:
    """A handle: the three questions, and runs."""

    def __init__(self, cache_folder: Optional[str] = None, measure_anew: bool = False):
        options = _Options(c.sizeof(_Options), None if cache_folder is None else os.fsencode(cache_folder), measure_anew)
        error = _Error()
        self._pointer = c.c_void_p(_library.fathom_open(c.byref(options), c.byref(error)))
        if not self._pointer:
            raise Error(Code(error.code), error.text.decode())

    def __del__(self) -> None:
        _library.fathom_close(getattr(self, "_pointer", None))

    def cancel(self) -> None:
        _library.fathom_cancel(self._pointer)

    def levels(self, budget_ms: int = 0) -> list[Level]:
        room = 16
        into = _array(Level, room)
        count = _call("fathom_levels", self._pointer, into, c.c_size_t(room), c.c_uint(_ms(budget_ms)))
        return [_plain(Level, level) for level in into[:min(count, room)]]

    def distance(self, cpu_a: int, cpu_b: int, budget_ms: int = 0) -> tuple[float, Source]:
        """Nanoseconds until one CPU sees what the other wrote."""
        ns = c.c_double()
        source = _call("fathom_distance", self._pointer, c.c_int(cpu_a), c.c_int(cpu_b), c.byref(ns), c.c_uint(_ms(budget_ms)))
        return ns.value, Source(source)

    def padding(self, budget_ms: int = 0) -> tuple[int, Source]:
        """Bytes between two words that two CPUs write."""
        size = c.c_size_t()
        source = _call("fathom_padding", self._pointer, c.byref(size), c.c_uint(_ms(budget_ms)))
        return size.value, Source(source)

    def run(self, probes: Optional[Sequence[str]] = None, settings: Optional[Sequence[str]] = None, budget_ms: int = 0,
            progress: Optional[Callable[[str, float, float], bool]] = None) -> Document:
        """Measures: settings are like "quick" or "size=32K". A progress function that returns True ends the run, and
        what was measured until then is the result; one that raises ends it too."""
        raised: list[BaseException] = []

        def tell(_: Any, probe: bytes, done: float, left_s: float) -> int:
            try:
                return bool(progress and progress(probe.decode(), done, left_s))
            except BaseException as error:   # C can't pass it on
                raised.append(error)
                return 1
        plan = _Plan(c.sizeof(_Plan), _texts(probes), _texts(settings), _ms(budget_ms), _Progress(tell), None)
        pointer = c.c_void_p()
        try:
            _call("fathom_run", self._pointer, c.byref(plan), c.byref(pointer))
        except Error as error:
            if error.code != Code.CANCELLED or not pointer:
                raise
        document = Document(pointer)
        if raised:
            raise raised[0]
        return document
