# SPDX-License-Identifier: MIT
"""Files that tools write: there whole or not at all, and a message that says what to do where they cannot be. In C:
look_file.h."""
import errno
import os
import stat
import sys
from contextlib import suppress

HINTS = {errno.ENOSPC: "; make room there, or name another file"}


class CannotWrite(OSError):
    """With the message."""

    def __init__(self, path, why):
        super().__init__(None, why, str(path))

    def __str__(self):
        return f"cannot write {self.filename}: {self.strerror}"


def reason(error):
    """An OSError in words."""
    return f"{error.strerror}{HINTS.get(error.errno, '')}"


def check_writable(path):
    """Finds out before the work is done whether a file can be written. Raises CannotWrite. `-`: it can."""
    folder = os.path.dirname(path) or "."
    if path == "-" or is_device(path):
        return
    if os.path.isdir(path):
        raise CannotWrite(path, "it is a folder")
    if not os.path.isdir(folder):
        raise CannotWrite(path, f"there is no folder {folder}")
    if not os.access(folder, os.W_OK):
        raise CannotWrite(path, f"{folder} is not writable")


def is_device(path):
    """Whether something is there that is not replaced, but written itself."""
    try:
        return not (stat.S_ISREG(mode := os.stat(path).st_mode) or stat.S_ISDIR(mode))
    except OSError:
        return False


def write(path, data):
    """Writes bytes to a file, a device, or for `-` to the standard output. Raises CannotWrite."""
    try:
        if path == "-":
            _write_stream(data)
        elif is_device(path):
            with open(path, "wb", buffering=0) as file:
                _write_all(file.fileno(), data)
        else:
            _replace(path, data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWrite("the answer" if path == "-" else path, reason(error)) from error


def _write_all(descriptor, data):
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest):]


def _write_stream(data):
    """Past Python's buffer, which would complain once more at the exit."""
    sys.stdout.flush()
    _write_all(sys.stdout.fileno(), data)


def _replace(path, data):
    part = f"{path}.{os.getpid()}.part"
    try:
        with open(part, "wb", buffering=0) as file:
            _write_all(file.fileno(), data)
        os.replace(part, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)


def write_folder(folder, contents):
    """Writes files {name: bytes} to a folder, which is made if it is not there. Raises CannotWrite; then what was not
    there before is not there. Returns what it made, for remove()."""
    made = []
    try:
        if not os.path.isdir(folder):
            os.makedirs(folder)
            made.append(folder)
        for name, data in contents.items():
            path = os.path.join(folder, name)
            made += [] if os.path.exists(path) else [path]
            write(path, data)
    except (OSError, CannotWrite) as error:
        remove(made)
        if isinstance(error, CannotWrite):
            raise
        raise CannotWrite(folder, reason(error)) from error
    return made


def remove(paths):
    """Removes files and empty folders that write_folder made."""
    for path in reversed(paths):
        with suppress(OSError):
            (os.rmdir if os.path.isdir(path) else os.unlink)(path)


def finish(tool, status, failure=1):
    """The exit status of a tool that has printed: `failure`, with a message, where the standard output is full."""
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())   # Python flushes once more at the exit
        if not isinstance(error, BrokenPipeError):
            print(f"clipfree {tool}: cannot write the answer: {reason(error)}", file=sys.stderr)
        return failure
    return status
