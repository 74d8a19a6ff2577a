import sys
import fathom
import pandas
points = pandas.DataFrame(fathom.read(sys.argv[1]).points())
print(points)
