"""A program that uses a card through the driver alone: no toolkit, no framework.

    python cuda.py            reads one command per line, and answers each with one line of JSON

    hold MIB                  take that much memory and fill it
    hold_managed MIB          the same in managed memory
    crc                       the checksum of all that it holds
    memory                    free and total memory as CUDA shows them, in MiB
    multiprocessors           how many of them this process may use
    spin SECONDS              keep the card busy; answers at once
    wait                      wait for the card
    fault                     write where there is no memory, and wait

Every answer is `{"ok": VALUE}` or `{"error": NAME}` with CUDA's name of the error.
"""

import ctypes
import json
import os
import sys
import zlib

MIB = 1024 * 1024
MULTIPROCESSORS = 16
ATTACH_GLOBAL = 1
NOISE_MIB = 16
PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 nanoseconds)
{
  .reg .u64 %now, %end, %length;
  .reg .pred %again;
  ld.param.u64 %length, [nanoseconds];
  mov.u64 %now, %globaltimer;
  add.u64 %end, %now, %length;
turn:
  mov.u64 %now, %globaltimer;
  setp.lt.u64 %again, %now, %end;
  @%again bra turn;
  ret;
}
.visible .entry fault()
{
  .reg .u64 %address;
  .reg .u32 %value;
  mov.u64 %address, 64;
  mov.u32 %value, 1;
  st.global.u32 [%address], %value;
  ret;
}
"""


class CudaFailedError(Exception):
    """CUDA returned an error, whose name is the message."""


class Cuda:
    """The first card that this process may see."""

    def __init__(self) -> None:
        """Take the card's primary context."""
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._held: list[tuple[int, int]] = []
        self._kernels: dict[str, ctypes.c_void_p] = {}
        context = ctypes.c_void_p()
        self._call("Init", 0)
        self._call("DevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self._call("CtxSetCurrent", context)

    def hold(self, mib: int) -> int:
        """Take memory and fill it; return how much this process holds in MiB."""
        return self._fill("MemAlloc_v2", mib)

    def hold_managed(self, mib: int) -> int:
        """Take managed memory."""
        return self._fill("MemAllocManaged", mib, ATTACH_GLOBAL)

    def crc(self) -> int:
        """Return the checksum of all memory it holds."""
        found, part = 0, ctypes.create_string_buffer(64 * MIB)
        for address, size in self._held:
            for start in range(0, size, len(part)):
                count = min(len(part), size - start)
                whence = ctypes.c_uint64(address + start)
                self._call("MemcpyDtoH_v2", part, whence, ctypes.c_size_t(count))
                found = zlib.crc32(memoryview(part)[:count], found)
        return found

    def memory(self) -> tuple[int, int]:
        """Return free and total memory in MiB."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self._call("MemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value // MIB, total.value // MIB

    def multiprocessors(self) -> int:
        """Return how many multiprocessors this process may use."""
        found = ctypes.c_int()
        self._call("DeviceGetAttribute", ctypes.byref(found), MULTIPROCESSORS, 0)
        return found.value

    def spin(self, seconds: float) -> None:
        """Keep the card busy; returns at once."""
        length = ctypes.c_uint64(int(seconds * 1e9))
        self._launch("spin", (ctypes.c_void_p * 1)(ctypes.addressof(length)))

    def wait(self) -> None:
        """Wait for the card."""
        self._call("CtxSynchronize")

    def fault(self) -> None:
        """Write where there is no memory, and wait."""
        self._launch("fault", None)
        self.wait()

    def _fill(self, function: str, mib: int, *options: int) -> int:
        address, size = ctypes.c_uint64(), mib * MIB
        self._call(function, ctypes.byref(address), ctypes.c_size_t(size), *options)
        self._held.append((address.value, size))
        count = ctypes.c_size_t(size // 4)
        self._call("MemsetD32_v2", address, 0xB37A0000 + len(self._held), count)
        noise = os.urandom(min(NOISE_MIB * MIB, size))
        for start in (0, size - len(noise)):
            to, length = ctypes.c_uint64(address.value + start), ctypes.c_size_t(len(noise))
            self._call("MemcpyHtoD_v2", to, noise, length)
        return sum(size for _, size in self._held) // MIB

    def _launch(self, name: str, arguments: object) -> None:
        if name not in self._kernels:
            module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
            self._call("ModuleLoadData", ctypes.byref(module), PTX)
            self._call("ModuleGetFunction", ctypes.byref(kernel), module, name.encode())
            self._kernels[name] = kernel
        one = (1,) * 6
        self._call("LaunchKernel", self._kernels[name], *one, 0, None, arguments, None)

    def _call(self, name: str, *arguments: object) -> None:
        if code := getattr(self._driver, f"cu{name}")(*arguments):
            found = ctypes.c_char_p()
            self._driver.cuGetErrorName(code, ctypes.byref(found))
            raise CudaFailedError((found.value or b"?").decode())


def main() -> None:
    """Obey the lines of the standard input."""
    cuda = None
    for line in sys.stdin:
        name, *words = line.split()
        try:
            cuda = cuda or Cuda()
            numbers = [float(word) if "." in word else int(word) for word in words]
            answer: dict[str, object] = {"ok": getattr(cuda, name)(*numbers)}
        except CudaFailedError as error:
            answer = {"error": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
