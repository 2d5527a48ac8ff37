# SPDX-License-Identifier: MIT
"""Servers as data centres run them, on loopback, each with settings of its own
in a temporary directory; they end with the test, or with its time."""

import contextlib
import ctypes
import os
from pathlib import Path
import signal
import socket
import subprocess
import time

from far_site import expect

SECONDS_MAX = 1500
START_SECONDS = 30
APACHE_MODULES = Path("/usr/lib/apache2/modules")
PR_SET_PDEATHSIG = 1

NGINX = """\
daemon off; master_process off; pid {run}/nginx.pid; {user}
error_log {run}/nginx.error;
events {{ worker_connections 256; }}
http {{
  log_format requests '$server_protocol|$connection|$status|$http_range|'
                      '$request_uri|$http_authorization';
  access_log {run}/nginx.log requests;
  client_body_temp_path {run}/body; proxy_temp_path {run}/proxy;
  fastcgi_temp_path {run}/fast; uwsgi_temp_path {run}/uwsgi;
  scgi_temp_path {run}/scgi;
  gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;
  keepalive_requests 100000;
  root {www};
  server {{
    listen 127.0.0.1:{http};
    location /up/ {{
      rewrite ^/up/(.*) https://127.0.0.1:{https}/$1 redirect;
    }}
    location /away/ {{
      rewrite ^/away/(.*) http://localhost:{http}/$1 redirect;
    }}
    location /login/ {{
      alias {www}/; auth_basic closed; auth_basic_user_file {run}/users;
    }}
  }}
  server {{
    listen 127.0.0.1:{https} ssl http2;
    ssl_certificate {run}/server.pem; ssl_certificate_key {run}/server.key;
    location /down/ {{
      rewrite ^/down/(.*) http://127.0.0.1:{http}/$1 redirect;
    }}
  }}
}}
"""

APACHE = """\
ServerRoot {run}
ServerName localhost
PidFile {run}/apache.pid
ErrorLog {run}/apache.error
Mutex posixsem
Listen 127.0.0.1:{apache}
{modules}
{user}
DocumentRoot {www}
<Directory {www}>
  Require all granted
</Directory>
SetOutputFilter DEFLATE
Alias /forced {www}
SetEnvIf Request_URI ^/forced/ force-gzip
LogFormat "%>s|%{{Range}}i|%{{Content-Encoding}}o|%U" requests
CustomLog {run}/apache.log requests
"""

TINYPROXY = """\
Port {proxy}
Listen 127.0.0.1
Allow 127.0.0.1
LogFile "{run}/tinyproxy.log"
LogLevel Connect
Timeout 60
MaxClients 50
BasicAuth guest SECRET
ConnectPort {https}
"""


def free_port():
    """One that nobody has; somebody may take it before it is used."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def end_with_parent():
    """For the child: it does not outlive the test, nor its time."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.alarm(SECONDS_MAX)


def make_certificates(run):
    """An authority of the test's own, and what it says of loopback."""
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, cwd=run,
                       capture_output=True)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
            "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Test CA")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key",
            "-out", "server.csr", "-subj", "/CN=localhost")
    (run / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey",
            "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names",
            "-out", "server.pem")


class RealServers(contextlib.ExitStack):
    """nginx, Apache, tinyproxy and Python's server of a directory."""

    def __init__(self, base, www):
        super().__init__()
        self.run, self.www = base / "run", www
        self.run.mkdir()
        # Apache does not run as root.
        for path in base, www, self.run:
            path.chmod(0o755)
        self.ports = {name: free_port() for name in
                      ("http", "https", "apache", "proxy", "plain")}
        make_certificates(self.run)
        self.ca = str(self.run / "ca.pem")
        self.http = f"http://127.0.0.1:{self.ports['http']}"
        self.https = f"https://127.0.0.1:{self.ports['https']}"
        self.apache = f"http://127.0.0.1:{self.ports['apache']}"
        self.plain = f"http://127.0.0.1:{self.ports['plain']}"
        self.proxy = f"http://guest:SECRET@127.0.0.1:{self.ports['proxy']}"

    def begin(self):
        """Starts all of them."""
        is_root = os.getuid() == 0
        (self.run / "users").write_text("user:{PLAIN}pass word\n")
        self.write("nginx.conf", NGINX, user="user root;" if is_root else "")
        modules = "\n".join(
            f"LoadModule {name}_module {APACHE_MODULES}/mod_{name}.so"
            for name in ("mpm_event", "authz_core", "alias", "deflate",
                         "filter", "setenvif"))
        self.write("apache.conf", APACHE, modules=modules,
                   user="User www-data\nGroup www-data" if is_root else "")
        self.write("tinyproxy.conf", TINYPROXY)
        self.start("http", "nginx", "-p", self.run, "-e",
                   self.run / "nginx.error", "-c", self.run / "nginx.conf")
        self.start("apache", "apache2", "-X", "-f",
                   self.run / "apache.conf")
        self.start("proxy", "tinyproxy", "-d", "-c",
                   self.run / "tinyproxy.conf")
        self.start("plain", "/usr/bin/python3", "-m", "http.server",
                   "--bind", "127.0.0.1", "--directory", self.www,
                   self.ports["plain"])

    def write(self, name, text, **more):
        """Settings with the ports and directories of this run."""
        (self.run / name).write_text(text.format(
            run=self.run, www=self.www, **self.ports, **more))

    def start(self, port, *command):
        """Starts one and waits until it answers."""
        path = os.environ["PATH"] + ":/usr/sbin"
        # No thread runs yet.  pylint: disable-next=W1509
        server = self.enter_context(subprocess.Popen(
            [str(word) for word in command], cwd=self.run,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(self.run / f"{port}.err", "wb"),
            preexec_fn=end_with_parent, env={**os.environ, "PATH": path}))
        self.callback(server.terminate)
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and server.poll() is None:
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.ports[port])) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError(f"{command[0]} does not start: " +
                             (self.run / f"{port}.err").read_text())

    def log(self, name):
        """Lines of a log as lists, which is emptied."""
        time.sleep(0.2)  # some write them after the answer
        path = self.run / f"{name}.log"
        lines = path.read_text().splitlines() if path.exists() else []
        os.truncate(path, 0)
        return [line.split("|") for line in lines]

    def expect_log(self, name, what, *condition):
        """Lines that hold a text, at least one."""
        found = [line for line in self.log(name) if what in line]
        expect(found, name, "has no line with", what, *condition)
        return found
