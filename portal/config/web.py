"""Configuration of gunicorn, the server of the web process: `-c python:portal.config.web`.

Only the live process connects to it. Heads may be larger than those that the live process lets
through, so that its refusals are the only ones. Idle connections are closed by the live process:
if the server did it, it could close one that has just got a request.
"""

wsgi_app = "portal.config.wsgi:application"
preload_app = True
worker_class = "gthread"
workers = 2
threads = 8
keepalive = 75
limit_request_line = 8190
limit_request_fields = 300
limit_request_field_size = 72 * 1024
control_socket_disable = True
