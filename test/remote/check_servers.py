#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real servers, and programs that read from them by URL.

For ./dev test servers, which installs them: NC3Z_SERVERS=all says that they
must be there."""

import argparse
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

from far_site import clean_environment, expect, main
from real_servers import RealServers

sys.path.append(str(Path(__file__).resolve().parents[1] / "interop"))
sys.path.append(str(Path(__file__).resolve().parents[1] / "bench"))
import programs as known  # noqa: E402
import remote as bench_remote  # noqa: E402
from run_programs import Files, ProgramRuns  # noqa: E402

NAME = "a.nc"
TESTDATA = Path(__file__).resolve().parents[2] / "testdata" / "classic"
SOURCES = Path(__file__).resolve().parents[2] / "lib" / "python"
# For libnetcdf a URL is a file without a name.
STAND_IN = re.compile(rb"/proc/self/fd/\d+|/dev/fd/\d+")
PROGRAMS = ("ncdump", "NCO: ncks", "CDO", "GDAL: gdalinfo", "ncview",
            "GDAL: gdal_translate", "Python: xarray",
            "Python: xarray through netCDF4", "Python: netCDF4", "R: ncdf4")
# GDAL finds the end of a URL in quotes alone.
SPELLINGS = {"GDAL: gdal_translate": '"{}"'}
# What ncks says of every https name.
WARNING = re.compile(rb"^ncks: WARNING nco_fl_nm_is_nczarr\(\).*\n", re.M)
FILES = ["cdf2-float-records.nc", "cdf1-packed-short.nc",
         "cdf1-all-types.nc", "cdf1-float-grid-with-holes.nc"]


def start(site):
    """The servers, with the first check that needs them."""
    if not hasattr(site, "real"):
        site.make(NAME, (64, 90, 180), "--chunks=v:16,30,60")
        site.make("small.nc", (1, 10, 10))
        site.real = RealServers(site.base, site.directory)
        site.more.push(site.real)  # also those of a start that fails
        site.real.begin()
    for name in "nginx", "apache":
        if (site.real.run / f"{name}.log").exists():
            site.real.log(name)
    return site.real


def restores(site, url, **environment):
    """The original comes out."""
    done = site.run("nc3compress", "-dc", f"{url}/{NAME}.nc3z", **environment)
    expect(done.stdout == (site.directory / NAME).read_bytes(), url)


def reads(site, url, count="64,1,1", first="0,45,100", **environment):
    """Values by URL are those of the file."""
    site.run("remote_reader", "get", f"{url}/{NAME}.nc3z",
             site.directory / f"{NAME}.nc3z", "0", first, count, **environment)


def fails(site, url, why, *command, **environment):
    """A message, and nothing else."""
    done = site.run(*(command or ("nc3dump", "-h")), f"{url}/{NAME}.nc3z",
                    status=1, **environment)
    expect(re.search(why, done.stderr.decode()), url, done.stderr)
    expect(not done.stdout and not list(site.here.iterdir()), "output")


def check_http2(site):
    """Over TLS requests share a connection, and the answers are right."""
    real = start(site)
    ca = {"CURL_CA_BUNDLE": real.ca}
    reads(site, real.https, **ca)
    log = real.expect_log("nginx", "HTTP/2.0")
    expect(len(log) == 6, log)
    expect(len({line[1] for line in log}) == 1, "connections", log)
    expect(all(line[2] == "206" for line in log), log)
    restores(site, real.https, **ca)
    expect(len(real.expect_log("nginx", "HTTP/2.0")) == 1, "restored")
    restores(site, real.https, SSL_CERT_FILE=real.ca)
    fails(site, real.https, "certificate")
    site.run("remote_reader", "threads", f"{real.https}/{NAME}.nc3z",
             site.directory / f"{NAME}.nc3z", **ca)


def check_http1(site):
    """The same without TLS: over at most eight connections."""
    real = start(site)
    reads(site, real.http)
    log = real.expect_log("nginx", "HTTP/1.1")
    expect(len(log) == 6 and len({line[1] for line in log}) <= 8, log)
    restores(site, real.http)
    small = real.www / "small.nc"
    done = site.run("nc3compress", "-dc", f"{real.http}/small.nc.nc3z")
    expect(done.stdout == small.read_bytes(), "small")


def check_deflate(site):
    """What Apache would compress, it sends as it is, as that is asked for."""
    real = start(site)
    restores(site, real.apache)
    reads(site, real.apache)
    log = real.log("apache")
    expect(len(log) == 7, log)
    for status, asked, encoding, _ in log:
        expect(status == "206" and asked.startswith("bytes=") and
               encoding == "-", log)


def check_forced_deflate(site):
    """What it compresses all the same is never taken for bytes."""
    real = start(site)
    for command in (("nc3dump", "-h"), ("nc3compress", "-d"),
                    ("nc3compress", "-t")):
        fails(site, f"{real.apache}/forced", "encodes what it sends|"
              "does not support range requests", *command)
    done = site.run("nc3dump", "-h", f"{real.apache}/forced/small.nc.nc3z",
                    status=1)
    expect(b"small.nc.nc3z: the server" in done.stderr and not done.stdout,
           done.stderr)
    log = real.expect_log("apache", "gzip")
    expect(len(log) >= 3, log)


def check_redirects(site):
    """To https, to another host; never from https to http."""
    real = start(site)
    ca = {"CURL_CA_BUNDLE": real.ca}
    reads(site, f"{real.http}/up", **ca)
    log = real.log("nginx")
    expect(sum(line[2] == "302" for line in log) <= 2, log)
    expect(sum(line[0] == "HTTP/2.0" for line in log) == 6, log)
    reads(site, f"{real.http}/away")
    restores(site, f"{real.http}/away")
    fails(site, f"{real.https}/down", "redirects from https to http", **ca)


def check_login(site):
    """Users and passwords of netrc, for their host alone."""
    real = start(site)
    fails(site, f"{real.http}/login",
          r"access denied, or no such object \(401\)")
    netrc = site.base / ".netrc"
    netrc.write_text('machine 127.0.0.1 login user password "pass word"\n')
    netrc.chmod(0o600)
    try:
        restores(site, f"{real.http}/login")
        real.log("nginx")
        reads(site, f"{real.http}/away")
        expect(all(line[5] == "-" for line in real.log("nginx")
                   if line[4].startswith("/a.nc")), "sent to another host")
    finally:
        netrc.unlink()
    named = real.http.replace("://", "://user:pass%20word@")
    restores(site, f"{named}/login")
    wrong = real.http.replace("://", "://user:SECRET@")
    fails(site, f"{wrong}/login", r"access denied, or no such object \(401\)")


def check_proxy(site):
    """Through a proxy that wants a password: http, and https by CONNECT."""
    real = start(site)
    restores(site, real.http, http_proxy=real.proxy)
    reads(site, real.https, https_proxy=real.proxy, CURL_CA_BUNDLE=real.ca)
    text = (real.run / "tinyproxy.log").read_text()
    expect("CONNECT 127.0.0.1" in text and "GET http://127" in text, text)
    nobody = real.proxy.replace("guest", "nobody")
    fails(site, real.http, "407|access denied|proxy", http_proxy=nobody)
    fails(site, real.https, "407|access denied|proxy|CONNECT",
          https_proxy=nobody, CURL_CA_BUNDLE=real.ca)
    dead = "http://127.0.0.1:9"
    restores(site, real.http, http_proxy=dead, no_proxy="127.0.0.1")


def check_no_ranges(site):
    """Python's server sends all or nothing: restored, but not read in parts."""
    real = start(site)
    restores(site, real.plain)
    fails(site, real.plain, "does not support range requests")


class Url(str):
    """A URL where a path is expected."""

    def __fspath__(self):
        return str(self)


class UrlRuns(ProgramRuns):
    """Programs that get URLs in place of archives."""

    def hide_names(self, text, files):
        for file in files:
            text = text.replace(os.fsencode(file), b"FILE")
        text = WARNING.sub(b"", text)
        # ncks takes one suffix off
        text = re.sub(rb"^(netcdf \S+?)(?:\.nc)? {", rb"\1 {", text)
        return STAND_IN.sub(b"FILE", text)

    def run_words(self, program, words, pairs, is_archive):
        if is_archive and program.runner == "package":
            # "netcdf4" claims all URLs
            words = ["nc3z" if word == "any" else word for word in words]
        return super().run_words(program, words, pairs, is_archive)


class UrlFiles(Files):
    """Archives by URL."""

    def __init__(self, args, directory, site):
        super().__init__(args, directory)
        self.site = site

    def given(self, _, name):
        archive = self.archive(name)
        served = self.site.directory / archive.name
        if not served.exists():
            shutil.copy(archive, served)
        return Url(f"{self.site.real.https}/{archive.name}")


def programs_by_url():
    """Those of the table that are read by URL."""
    found = {p.name: p for p in known.PROGRAMS}
    for name in PROGRAMS:
        program = found[name]
        program.cases = [words for words in program.cases
                         if "{orig}" not in words]
        program.spelling = SPELLINGS.get(name, program.spelling)
        yield program


def check_programs(site):
    """What each prints and writes is as from the local original."""
    real = start(site)
    directory = site.base / "programs"
    (directory / "files").mkdir(parents=True)
    args = argparse.Namespace(bin=site.bin, shown=None, directories=[TESTDATA],
                              **site.install)
    runs = UrlRuns(args, directory)
    runs.files = UrlFiles(args, directory / "files", site)
    os.environ.update(clean_environment(site.base,
                                        {"CURL_CA_BUNDLE": real.ca}))
    known.FILES["all"] = FILES
    wrong = []
    for program in programs_by_url():
        version = program.find_version()
        if version is None:
            wrong.append(f"{program.name} is not installed")
            continue
        real.log("nginx")
        found, ncases = runs.run_cases(program)
        wrong += found
        if not real.log("nginx"):
            wrong.append(f"{program.name}: nobody was asked")
        print(f"{program.name} {version}: {ncases} commands, "
              f"{len(found)} differ")
    expect(not wrong, "\n".join(wrong))


def check_ten_gigabytes(site):
    """An original of 10 GB: two requests for its header, four for a map or to
    open it with xarray."""
    os.environ["PATH"] = f"{site.bin}:{os.environ['PATH']}"
    bench_remote.make_large(site.directory, 10 ** 10)
    peer = Path(bench_remote.__file__).with_name("remote_peer.py")
    for task, most in ("open", 2), ("map", 4), ("xarray", 4):
        site.forget()
        done = subprocess.run(
            ["/usr/bin/python3", "-B", peer, "nc3z", task,
             f"{site.plain}/ok/large.nc3z"], check=False, timeout=120,
            capture_output=True, env=clean_environment(
                site.base, {"PYTHONPATH": str(SOURCES)}))
        expect(done.returncode == 0, task, done.stderr)
        expect(0 < len(site.notes) <= most, task, site.ranges())


def missing():
    """What is not installed."""
    path = os.environ["PATH"] + ":/usr/sbin"
    return [name for name in ("nginx", "apache2", "tinyproxy", "openssl",
                              "/usr/bin/python3")
            if not shutil.which(name, path=path)]


if __name__ == "__main__":
    if os.environ.get("NC3Z_SERVERS") != "all":
        print("skipped: runs in ./dev test servers")
        sys.exit(77)
    if missing():
        sys.exit(f"not installed: {' '.join(missing())}")
    import far_site
    parser = argparse.ArgumentParser(description=__doc__)
    for option in "cmake", "build", "package":
        parser.add_argument("--" + option, required=True)
    options, sys.argv[1:] = parser.parse_known_args()
    far_site.Site.install = vars(options)
    main(__doc__, [check_http2, check_http1, check_deflate,
                   check_forced_deflate, check_redirects, check_login,
                   check_proxy, check_no_ranges, check_ten_gigabytes,
                   check_programs])
