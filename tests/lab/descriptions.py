"""The machines: each is a file of machines/, named after it, that ends with MACHINE."""
import importlib.util
from pathlib import Path


def read():
    """{name: Machine}, the shortest first."""
    found = {}
    for path in sorted((Path(__file__).parent / "machines").glob("*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found[path.stem.replace("_", "-")] = module.MACHINE
    return dict(sorted(found.items(), key=lambda pair: not pair[1].shortest))
