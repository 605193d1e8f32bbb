#!/usr/bin/env python3
"""stream_server: responds to a GET of /COUNT with COUNT server-sent events, about 100 bytes each, as fast as they are read.
Prints its port. Ends with its standard input."""
import socket, sys, threading

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
EVENT = b'id: %07d\ndata: {"seq": %d, "name": "language-%04d", "text": "a change of a language"}\n\n'
PER_CHUNK = 100
chunk = b"".join(EVENT % (n, n, n) for n in range(PER_CHUNK))
framed = b"%x\r\n%s\r\n" % (len(chunk), chunk)


def serve(peer):
    with peer:
        head = b""
        while b"\r\n\r\n" not in head:
            received = peer.recv(4096)
            if not received:
                return
            head += received
        count = int(head.split(b" ")[1].strip(b"/"))
        try:
            peer.sendall(HEAD)
            for _ in range(count // PER_CHUNK):
                peer.sendall(framed)
            peer.sendall(b"0\r\n\r\n")
        except OSError:
            pass


def accept(server):
    while True:
        threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()


server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=accept, args=(server,), daemon=True).start()
print(server.getsockname()[1], flush=True)
sys.stdin.read()
