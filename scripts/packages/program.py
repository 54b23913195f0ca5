"""The package `cliffbench`."""


def build(dist):
    return []
