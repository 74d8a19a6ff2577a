import sys
import fathom
import polars
points = polars.DataFrame(fathom.read(sys.argv[1]).points(), infer_schema_length=None)
print(points)
