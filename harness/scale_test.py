"""Memory of plan, merge and judge grows with the rows, by less than 1 kB each. (Times: scripts/python harness/scale.py.)"""

from built import limited_memory_only
from scale import costs


@limited_memory_only
def test_a_row_takes_less_than_a_kilobyte():
    few, small = costs(20_000)
    many, large = costs(100_000)
    for verb, (_, size) in large.items():
        grown = (size * many - small[verb][1] * few) / (many - few)
        assert grown < 1000, (verb, grown)
