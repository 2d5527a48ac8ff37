#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a server on loopback as slow to answer as one that is far away.

  relay.py TARGET_PORT ROUND_TRIP_MS

Prints the port that it listens on.  A connection takes one round trip, and
every byte is held back for half of one each way.
"""

import asyncio
import sys


async def hold_back(reader, writer, seconds):
    """Passes bytes on in their order, each so much later."""
    loop, queue = asyncio.get_running_loop(), asyncio.Queue(4096)

    async def send():
        while True:
            due, data = await queue.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not data:
                writer.close()
                return
            writer.write(data)
            await writer.drain()
    sender = asyncio.create_task(send())
    data = b"-"
    while data:
        data = await reader.read(1 << 16)
        await queue.put((loop.time() + seconds, data))
    await sender


async def main():
    """Relays until it is ended."""
    target, seconds = int(sys.argv[1]), float(sys.argv[2]) / 1000

    async def relay(reader, writer):
        await asyncio.sleep(seconds)
        far = await asyncio.open_connection("127.0.0.1", target)
        await asyncio.gather(hold_back(reader, far[1], seconds / 2),
                             hold_back(far[0], writer, seconds / 2),
                             return_exceptions=True)
    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
