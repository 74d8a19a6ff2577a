"""A parser of DCPerf's benchpress for `fathom run -f csv`: metrics by finding, "DRAM.latency_ns", with _low and _high for the
interval. Copy it to benchpress/plugins/parsers/fathom.py and register it in that folder's __init__.py:

    from .fathom import FathomParser
    factory.register("fathom", FathomParser)

Findings of one name (clusters, other experiments) keep the first: the document has them all."""
import csv

from benchpress.lib.parser import Parser


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


class FathomParser(Parser):
    def parse(self, stdout, stderr, returncode):
        metrics = {}
        for row in csv.DictReader(line for line in stdout if line):
            for key, column in (("", "value"), ("_low", "low"), ("_high", "high")):
                value = number(row.get(column) or "")
                if value is not None:
                    metrics.setdefault(row["finding"] + key, value)
        metrics["doubtful"] = int(returncode == 4)
        return metrics
