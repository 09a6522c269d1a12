"""Metrics of images, of pairs of images, of permutations and of keyed schemes."""

# Reports list the metrics of a group in the order in which these modules register them.
from sudokucrypt.analysis.metrics import permutations as permutations
from sudokucrypt.analysis.metrics import quality as quality
from sudokucrypt.analysis.metrics import texture as texture
