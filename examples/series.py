#!/usr/bin/env python3
"""A document's series as lists, or as arrays where numpy is there: series.py DOCUMENT"""
import ctypes as c
import sys

f = c.CDLL("libfathom.so.0")


class Error(c.Structure):
    _fields_ = [("code", c.c_int), ("text", c.c_char * 512)]


class Series(c.Structure):
    _fields_ = [("size", c.c_size_t), ("probe", c.c_char_p), ("name", c.c_char_p), ("factors", c.c_char * 128),
                *((name, c.c_char_p) for name in ("x_name", "x_unit", "y_name", "y_unit")),
                ("matrix", c.c_int), ("points", c.c_size_t)]


class Point(c.Structure):
    _fields_ = [("size", c.c_size_t), ("x", c.c_double), ("from_", c.c_int), ("to", c.c_int),
                *((name, c.c_double) for name in ("median", "low", "high", "quiet", "cycles")), ("trials", c.c_uint)]


error, document, series, i = Error(), c.c_void_p(), Series(c.sizeof(Series)), 0
if f.fathom_read(sys.argv[1].encode(), c.byref(document), c.byref(error)) < 0:
    sys.exit(error.text.decode())
while f.fathom_series_at(document, c.c_size_t(i), c.byref(series)) == 0:
    points = (Point * max(series.points, 1))(Point(c.sizeof(Point)))
    f.fathom_points(document, c.c_size_t(i), points, c.c_size_t(series.points))
    rows = [(p.from_, p.to, p.median) if series.matrix else (p.x, p.median) for p in points[:series.points]]
    try:
        import numpy
        rows = numpy.array(rows)
    except ImportError:
        pass
    print(series.probe.decode(), series.name.decode(), series.factors.decode(), len(rows), *rows[0] if len(rows) else ())
    i += 1
f.fathom_document_free(document)
