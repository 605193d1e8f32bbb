"""fleet_proxy.py OWN_PORT PORT SECONDS: forwards connections to a port of loopback; after SIGUSR1 with a delay in each
direction. Prints "ready" when it accepts connections."""
import asyncio
import signal
import sys

own_port, port = int(sys.argv[1]), int(sys.argv[2])
delay = 0.0


def slow_down(*_):
    global delay
    delay = float(sys.argv[3])


async def forward(reader, writer):
    while data := await reader.read(65536):
        asyncio.get_running_loop().call_later(delay, writer.write, data)
    asyncio.get_running_loop().call_later(delay, writer.close)


async def serve(reader, writer):
    from_server, to_server = await asyncio.open_connection('127.0.0.1', port)
    await asyncio.gather(forward(reader, to_server), forward(from_server, writer), return_exceptions=True)


async def main():
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, slow_down)
    server = await asyncio.start_server(serve, '127.0.0.1', own_port)
    print('ready', flush=True)
    await server.serve_forever()


asyncio.run(main())
