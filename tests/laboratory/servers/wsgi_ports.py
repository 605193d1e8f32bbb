"""Serves a WSGI application on several ports of loopback with threads, and counts around its rate limiter."""

import json
import sys
import threading
import time

from werkzeug.serving import WSGIRequestHandler, make_server


class KeepAlive(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log(self, *_):
        pass


def things(path, page, pages):
    """The resource and, unless the page is the last, the Link header."""
    time.sleep(0.005)
    if path.startswith("/things/"):
        return {"id": path.split("/")[-1]}, None
    page = int(page or 1)
    link = f'</things?page={page + 1}&per_page=1>; rel="next"' if page < pages else None
    return [{"id": f"thing-{page}"}], link


def counted(application):
    counts = {"requests": 0, "rejected": 0, "first": 0}
    lock = threading.Lock()

    def respond(environ, start_response):
        if environ["PATH_INFO"] == "/__counts":
            body = json.dumps(counts).encode()
            start_response("200 OK", [("Content-Length", str(len(body)))])
            return [body]
        with lock:
            counts["requests"] += 1
            counts["first"] = counts["first"] or time.time()

        def start(status, *rest):
            with lock:
                counts["rejected"] += status[:3] in ("429", "503")
            return start_response(status, *rest)

        return application(environ, start)

    return respond


def serve(application_of):
    """`application_of` takes the name of the configuration and the settings; see node_server.js for the arguments."""
    name, settings = sys.argv[1], json.loads(sys.argv[2])
    servers = [
        make_server("127.0.0.1", 0, counted(application_of(name, settings)), threaded=True, request_handler=KeepAlive)
        for _ in range(settings["count"])
    ]
    for server in servers:
        threading.Thread(target=server.serve_forever).start()
    print(json.dumps({"ports": [server.server_port for server in servers]}), flush=True)
