"""For tests that start servers on this machine."""

import os
import socket
import time


def free_ports(count):
    """Neighbouring ports that nobody listens on."""
    for first in range(20000 + os.getpid() % 10000, 60000, count):
        held = []
        try:
            for port in range(first, first + count):
                held.append(socket.create_server(("127.0.0.1", port)))
            return list(range(first, first + count))
        except OSError:
            continue
        finally:
            for one in held:
                one.close()
    raise AssertionError("no free ports")


def wait_for(reached, seconds, what):
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.1)
