"""Flask-Limiter in a Flask application: python3 flask_limiter_server.py NAME SETTINGS."""

from flask import Flask, jsonify, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

from wsgi_ports import serve, things


def application(name, settings):
    app = Flask(name)
    strategy = name.split("/")[1]
    Limiter(
        get_remote_address,
        app=app,
        default_limits=[f"{settings['limit']} per {settings['window']} second"],
        storage_uri="memory://",
        strategy="fixed-window" if strategy == "no-headers" else strategy,
        headers_enabled=strategy != "no-headers",
    )

    @app.get("/things")
    @app.get("/things/<thing>")
    def read(thing=None):
        body, link = things(request.path, request.args.get("page"), settings["pages"])
        response = jsonify(body)
        if link:
            response.headers["Link"] = link
        return response

    return app


serve(application)
