#!/usr/bin/env python3
"""A file whose every read and write takes a known time: slow_file.py FILE BYTES MILLISECONDS

Mounts a FUSE filesystem whose root is a regular file over FILE (the kernel's protocol by hand, so
nothing has to be installed), says "ready" on stdout, and serves it until it is unmounted. The bytes
are kept in memory. For root.
"""

import ctypes
import errno
import os
import stat
import struct
import sys
import time

# linux/fuse.h: the operations that are answered, and what the kernel has to know of the file.
FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE = 2, 3, 4, 14, 15, 16, 17, 18
FSYNC, FLUSH, INIT, ACCESS, INTERRUPT, BATCH_FORGET = 20, 25, 26, 34, 36, 42
SILENT = (FORGET, INTERRUPT, BATCH_FORGET)
VERSION = (7, 31)
MAX_WRITE = 128 << 10
OPEN_DIRECT_IO = 1  # past this machine's page cache
BIG_WRITES = 1 << 5
HEADER = struct.Struct("=IIQQIIII")
IO = struct.Struct("=QQII")  # handle, offset, size, flags


class SlowFile:
    def __init__(self, size, seconds):
        self.bytes, self.seconds = bytearray(size), seconds

    def attributes(self):
        size = len(self.bytes)
        return struct.pack("=QII6Q10I", 1, 0, 0, 1, size, size // 512, 0, 0, 0, 0, 0, 0,
                           stat.S_IFREG | 0o600, 1, 0, 0, 0, 4096, 0)

    def answer(self, operation, body):
        """The payload of the answer; an errno as OSError."""
        if operation == INIT:
            limits = struct.pack("=HHII", 16, 12, MAX_WRITE, 1)
            return struct.pack("=IIII", *VERSION, 0, BIG_WRITES) + limits + bytes(36)
        if operation in (GETATTR, SETATTR):
            return self.attributes()
        if operation == OPEN:
            return struct.pack("=QII", 1, OPEN_DIRECT_IO, 0)
        if operation in (READ, WRITE):
            _, offset, size, _ = IO.unpack_from(body)
            time.sleep(self.seconds)
            if operation == READ:
                return bytes(self.bytes[offset:offset + size])
            self.bytes[offset:offset + size] = body[40:40 + size]
            return struct.pack("=II", size, 0)
        if operation == STATFS:
            return bytes(80)
        if operation in (RELEASE, FSYNC, FLUSH, ACCESS):
            return b""
        raise OSError(errno.ENOSYS, "")

    def serve(self, device):
        while True:
            try:
                request = os.read(device, MAX_WRITE + 8192)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.EAGAIN, errno.ENOENT):  # taken back
                    continue
                return  # ENODEV: unmounted
            _, operation, unique, *_ = HEADER.unpack_from(request)
            if operation in SILENT:
                continue
            try:
                payload, fault = self.answer(operation, request[HEADER.size:]), 0
            except OSError as error:
                payload, fault = b"", -error.errno
            try:
                os.write(device, struct.pack("=IiQ", 16 + len(payload), fault, unique) + payload)
            except OSError:
                pass  # nobody waits for it any more


def main():
    path, size, milliseconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    device = os.open("/dev/fuse", os.O_RDWR)
    libc = ctypes.CDLL(None, use_errno=True)
    options = f"fd={device},rootmode={stat.S_IFREG | 0o600:o},user_id=0,group_id=0"
    if libc.mount(b"slow", path.encode(), b"fuse.slow", 0, options.encode()) != 0:
        sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
    print("ready", flush=True)
    SlowFile(size, milliseconds / 1e3).serve(device)


if __name__ == "__main__":
    main()
