#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Objects of S3, from a server that computes signatures itself."""

import threading

from far_site import KEYS, REGION, expect, main

NAME = "a b+c=d \u00e9.nc"
OBJECT = f"s3://bucket/{NAME}.nc3z"
ID = "AKIDEXAMPLE"


def settings(site, **more):
    """Keys and place in the environment."""
    return dict(AWS_ENDPOINT_URL=site.plain + "/s3", AWS_REGION=REGION,
                AWS_ACCESS_KEY_ID=ID, AWS_SECRET_ACCESS_KEY=KEYS[ID],
                **more)


def read(site, environment, name=OBJECT, status=0):
    """Reads all of it."""
    return site.run("nc3compress", "-t", name, status=status, **environment)


def check_keys(site):
    """In the environment."""
    site.make(NAME, (8, 90, 180))
    read(site, settings(site))
    site.run("remote_reader", "get", OBJECT, site.directory / f"{NAME}.nc3z",
             "0", "0,0,0", "8,90,180", **settings(site))
    expect(all(n["headers"]["Authorization"] for n in site.notes), "signed")


def check_files(site):
    """In the files of AWS's tools, for a profile."""
    aws = site.base / ".aws"
    aws.mkdir()
    (aws / "credentials").write_text(
        f"[default]\naws_access_key_id = no\naws_secret_access_key = no\n"
        f"[x]\naws_access_key_id = {ID}\n"
        f"aws_secret_access_key = {KEYS[ID]}\n")
    (aws / "config").write_text(
        f"[default]\nregion = nowhere\n[profile x]\nregion = {REGION}\n"
        f"endpoint_url = {site.plain}/s3\n")
    read(site, {"AWS_PROFILE": "x"})
    done = read(site, {"AWS_ENDPOINT_URL": site.plain + "/s3"}, status=1)
    expect(b"InvalidAccessKeyId" in done.stderr, done.stderr)
    read(site, {"AWS_PROFILE": "x",
                "AWS_CONFIG_FILE": str(aws / "config"),
                "AWS_SHARED_CREDENTIALS_FILE": str(aws / "credentials")})
    for path in aws.iterdir():
        path.unlink()
    aws.rmdir()


def check_wrong(site):
    """Keys that are wrong."""
    wrong = settings(site)
    wrong["AWS_SECRET_ACCESS_KEY"] = "SECRET"
    done = read(site, wrong, status=1)
    expect(b"(403 SignatureDoesNotMatch)" in done.stderr, done.stderr)
    done = read(site, {"AWS_ENDPOINT_URL": site.plain + "/s3"}, status=1)
    expect(b"(403 AccessDenied)" in done.stderr, done.stderr)


def check_region(site):
    """The bucket is elsewhere: one more request."""
    read(site, dict(settings(site), AWS_REGION="us-west-2"))
    expect([n["status"] for n in site.notes] == [400, 206], site.notes)
    site.forget()
    site.run("remote_reader", "get", OBJECT, site.directory / f"{NAME}.nc3z",
             "0", "0,0,0", "8,90,180",
             **dict(settings(site), AWS_REGION="us-west-2"))


def check_token(site):
    """Keys for a time."""
    token = dict(settings(site), AWS_ACCESS_KEY_ID="AKIDTOKEN",
                 AWS_SECRET_ACCESS_KEY=KEYS["AKIDTOKEN"])
    done = read(site, token, status=1)
    expect(b"InvalidToken" in done.stderr, done.stderr)
    read(site, dict(token, AWS_SESSION_TOKEN="TOKEN"))


def check_expired(site):
    """Keys of a file are read anew when they have expired."""
    aws = site.base / "keys"
    text = "[default]\naws_access_key_id = {}\naws_secret_access_key = {}\n"
    aws.write_text(text.format(ID, KEYS[ID]))
    site.expired.add(ID)
    environment = {"AWS_SHARED_CREDENTIALS_FILE": str(aws),
                   "AWS_ENDPOINT_URL": site.plain + "/s3",
                   "AWS_REGION": REGION}
    done = read(site, environment, status=1)
    expect(b"ExpiredToken" in done.stderr, done.stderr)
    expect(len(site.notes) == 2, len(site.notes), "requests")
    timer = threading.Thread(target=renew, args=(site, aws, text))
    timer.start()
    read(site, environment)
    timer.join()
    site.expired.clear()


def renew(site, path, text):
    """Writes new keys once the old ones were refused; holds the lock."""
    with site.lock:
        path.write_text(text.format("AKIDNEW", KEYS["AKIDNEW"]))


def check_public(site):
    """Without keys nothing is signed, nor if that is not wanted."""
    name = f"s3://public/{NAME}.nc3z"
    read(site, {"AWS_ENDPOINT_URL": site.plain + "/s3"}, name)
    read(site, dict(settings(site), AWS_NO_SIGN_REQUEST="YES"), name)
    done = read(site, settings(site), name, status=1)
    expect(b"400" in done.stderr, done.stderr)


def check_payer(site):
    """Who pays."""
    read(site, settings(site, AWS_REQUEST_PAYER="requester"))
    expect(site.notes[0]["headers"]["x-amz-request-payer"] == "requester",
           site.notes)


def check_host_style(site):
    """The bucket in the name of the host."""
    port = site.plain.rsplit(":", 1)[1]
    read(site, dict(settings(site), AWS_VIRTUAL_HOSTING="TRUE",
                    AWS_ENDPOINT_URL_S3=f"http://localhost:{port}"))
    expect(site.notes[0]["headers"]["Host"] == f"bucket.localhost:{port}",
           site.notes)


def check_bad_names(site):
    """What is no name of an object."""
    for name in "s3://", "s3://bucket", "s3://bucket/", "s3://b@d/x":
        done = read(site, settings(site), name, status=1)
        expect(b"s3://bucket/key" in done.stderr, done.stderr)
    done = read(site, settings(site), "s3://bucket/missing", status=1)
    expect(b"there is no such object" in done.stderr, done.stderr)


if __name__ == "__main__":
    main(__doc__, [check_keys, check_files, check_wrong, check_region,
                   check_token, check_expired, check_public, check_payer,
                   check_host_style, check_bad_names])
