#!/usr/bin/env python3
"""cache_server: responds to any GET with 1 KB of JSON that is fresh for an hour and has an ETag, and with 304 to that ETag.
Prints its port. Ends with its standard input."""
import http.server, sys, threading

body = b'{"text": "' + b"a" * 1010 + b'"}\n'


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        known = self.headers.get("If-None-Match") == '"1"'
        self.send_response(304 if known else 200)
        self.send_header("ETag", '"1"')
        self.send_header("Cache-Control", "max-age=3600")
        self.send_header("Content-Type", "application/json")
        if not known:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if not known:
            self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
