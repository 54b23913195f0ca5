"""The program cliffbench, as a Python package: see __main__.py."""
