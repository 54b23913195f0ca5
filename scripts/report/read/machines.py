"""The name of a machine where it is one of several. A hosted Mac is a virtual one, so it fills no Apple M1's column."""

import re


def is_apple(machine: dict) -> bool:
    return machine["cpu"].startswith("Apple")


def is_m1(machine: dict) -> bool:
    return machine["cpu"].startswith("Apple M1") and not machine.get("virtualised")


def name(machine: dict) -> str:
    """x86-64, arm64, Apple M1 Pro; of a virtual Mac "M1, virtual"."""
    if not is_apple(machine):
        return machine["arch"].replace("x86_64", "x86-64").replace("aarch64", "arm64")
    if not machine.get("virtualised"):
        return machine["cpu"]
    return re.sub(r"^Apple | \(Virtual\)", "", machine["cpu"]) + ", virtual"
