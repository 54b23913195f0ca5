"""Other programs that keep the machine busy while the gate decides: processor, memory bandwidth and disk, begun and ended at
random, seeded. As a script: one such program, which works until it is ended."""

import contextlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

KINDS = ("processor", "memory", "disk")


def work(kind):
    if kind == "processor":
        number = 1
        while True:
            number = number * 6364136223846793005 % 2**64
    if kind == "memory":
        import numpy
        here, there = numpy.zeros(32_000_000 // 8), numpy.ones(32_000_000 // 8)
        while True:
            here[:] = there
    with tempfile.TemporaryFile() as file:
        block = os.urandom(1 << 20)
        while True:
            file.seek(0)
            for _ in range(16):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())


@contextlib.contextmanager
def busy(seed):
    """Up to one and a half programs a processor, each for 0.1 to 3 s, with pauses; yields a function that gives the part of the
    processors' time that was busy so far, in all programs together."""
    random_ = random.Random(seed)
    ended = threading.Event()
    most = max(1, round(1.5 * os.cpu_count()))
    running = []

    def mix():
        while not ended.is_set():
            for child in running:
                child.kill()
                child.wait()
            running[:] = [subprocess.Popen([sys.executable, pathlib.Path(__file__), random_.choice(KINDS)])
                          for _ in range(random_.randint(0, most))]
            ended.wait(random_.choice((0.1, 0.3, 1, 3)))

    thread = threading.Thread(target=mix)
    before, start = cpu_busy_s(), time.monotonic()
    thread.start()
    try:
        yield lambda: (cpu_busy_s() - before) / ((time.monotonic() - start) * os.cpu_count())
    finally:
        ended.set()
        thread.join()
        for child in running:
            child.kill()
            child.wait()


def cpu_busy_s():
    """Busy seconds of all processors since the system started; 0 where it does not say."""
    stat = pathlib.Path("/proc/stat")
    if not stat.exists():
        return 0.0
    user, nice, system, _, _, irq, softirq, *_ = map(int, stat.read_text().split("\n", 1)[0].split()[1:])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    work(sys.argv[1])
