#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Objects of S3, from a server that computes signatures itself."""

import threading

from far_site import KEYS, REGION, expect, Handler, main

NAME = "a b+c=d \u00e9.nc"
OBJECT = f"s3://bucket/{NAME}.nc3z"
ID = "AKIDEXAMPLE"


def fault(handler, number, *_):
    """An error of S3, with more in it than is anybody's business."""
    code = handler.path.rsplit("/", 1)[1].partition(".")[0]
    handler.reply(number, f"<?xml version='1.0'?>\n<Error><Code>{code}</Code>"
                  f"<Message>SECRET</Message><AWSAccessKeyId>{ID}"
                  f"</AWSAccessKeyId></Error>".encode(),
                  Content_Type="application/xml")


Handler.more = {"fault": fault}


def settings(site, **more):
    """Keys and place in the environment."""
    return {"AWS_ENDPOINT_URL": site.plain + "/s3", "AWS_REGION": REGION,
            "AWS_ACCESS_KEY_ID": ID, "AWS_SECRET_ACCESS_KEY": KEYS[ID], **more}


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


def check_expired_pieces(site):
    """So they are for all requests that were on their way."""
    aws = site.base / "keys"
    text = "[default]\naws_access_key_id = {}\naws_secret_access_key = {}\n"
    aws.write_text(text.format(ID, KEYS[ID]))
    site.expired.add(ID)
    # Not before the second request is here.
    both = threading.Barrier(2, lambda: aws.write_text(
        text.format("AKIDNEW", KEYS["AKIDNEW"])))
    site.on_expired = lambda: both.wait(20)
    site.run("nc3dump", "-h", OBJECT, AWS_SHARED_CREDENTIALS_FILE=str(aws),
             AWS_ENDPOINT_URL=site.plain + "/s3", AWS_REGION=REGION)
    site.on_expired = lambda: None
    site.expired.clear()
    expect([n["status"] for n in site.notes] == [403, 403, 206, 206],
           site.notes)


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


def check_faults(site):
    """The code and the meaning of errors, with any status; nothing else of
    what the server says."""
    (site.directory / "bucket").mkdir()
    for status, code, meaning in (
            (400, "ExpiredToken", "the keys have expired: get new ones"),
            (400, "InvalidToken", "the session token is wrong"),
            (400, "AuthorizationHeaderMalformed", "set AWS_REGION"),
            (301, "PermanentRedirect", "set AWS_REGION"),
            (403, "InvalidAccessKeyId", "does not know the access key"),
            (403, "SignatureDoesNotMatch", "the secret key is wrong"),
            (403, "RequestTimeTooSkewed", "the clock of this computer"),
            (403, "InvalidObjectState", "cold storage"),
            (404, "NoSuchKey", "there is no such object"),
            (404, "NoSuchBucket", "there is no such bucket"),
            (503, "SlowDown", "too many requests (tried 5 times)"),
            (400, "RequestTimeout", "took too long (tried 5 times)"),
            (400, "AKIDsecret", "answers 400, and")):
        name = f"bucket/{code}.nc3z"
        (site.directory / name).write_bytes(b"")
        for command in ["nc3compress", "-t"], ["nc3dump", "-h"]:
            done = site.run(*command, f"s3://{name}", status=1, **dict(
                settings(site), AWS_ENDPOINT_URL=f"{site.plain}/"
                f"fault={status}"))
            text = done.stderr.decode()
            expect(meaning in text and str(status) in text and ID not in text,
                   code, text)
            expect((f"{status} {code}" in text) == (code != "AKIDsecret"),
                   code, text)
            expect("AKIDsecret" not in text.split(": ", 2)[2], text)


def check_unsigned(site):
    """A request that is denied because it was not signed says why that is;
    a profile that is not there, and settings that mean nothing, are errors
    before anything is asked."""
    aws = site.base / "config"
    aws.write_text(
        "[profile sso]\nsso_start_url = https://x\n"
        "[profile process]\ncredential_process = /bin/x\n"
        "[profile role]\nrole_arn = x\nsource_profile = y\n"
        "[profile none]\nregion = x\n"
        "[profile half]\naws_access_key_id = x\n[profile b@d]\n"
        "endpoint_url = h:1\n[profile place]\nregion = Far Away\n")
    place = {"AWS_CONFIG_FILE": str(aws),
             "AWS_ENDPOINT_URL": site.plain + "/s3"}
    for more, why in (
            ({"AWS_PROFILE": "sso"}, "sso_start_url is for AWS's tools"),
            ({"AWS_PROFILE": "process"}, "credential_process is for"),
            ({"AWS_PROFILE": "role"}, "role_arn is for"),
            ({"AWS_PROFILE": "none"}, "neither profile 'none' nor"),
            ({"AWS_DEFAULT_PROFILE": "none"}, "neither profile 'none' nor"),
            ({"AWS_PROFILE": "half"}, "but not its secret"),
            ({"AWS_ACCESS_KEY_ID": "x"}, "but not its secret"),
            ({"AWS_WEB_IDENTITY_TOKEN_FILE": "x"}, "AWS_WEB_IDENTITY_TOKEN"),
            ({"AWS_NO_SIGN_REQUEST": "yes"}, "AWS_NO_SIGN_REQUEST is set"),
            ({}, "neither profile 'default' nor")):
        done = read(site, {**place, **more}, status=1).stderr.decode()
        expect("(403 AccessDenied); the request was not signed: " in done and
               why in done, more, done)
    site.forget()
    for more, why in (
            ({"AWS_PROFILE": "nosuch"}, "no profile 'nosuch' (AWS_PROFILE)"),
            ({"AWS_DEFAULT_PROFILE": "nosuch"}, "no profile 'nosuch'"),
            ({"AWS_PROFILE": "place"}, "region of the profile"),
            ({"AWS_PROFILE": "b@d", "AWS_ENDPOINT_URL": ""},
             "endpoint_url of the profile has to begin with http://"),
            ({"AWS_REGION": "x/y"}, "AWS_REGION: not the name"),
            ({"AWS_ENDPOINT_URL": "h:1"}, "AWS_ENDPOINT_URL has to"),
            ({"AWS_ENDPOINT_URL_S3": "h:1"}, "AWS_ENDPOINT_URL_S3 has to"),
            ({"AWS_REQUEST_PAYER": "true"}, "AWS_REQUEST_PAYER has to"),
            ({"AWS_VIRTUAL_HOSTING": "on"}, "AWS_VIRTUAL_HOSTING has to"),
            ({"AWS_NO_SIGN_REQUEST": "on"}, "AWS_NO_SIGN_REQUEST has to")):
        done = read(site, {**place, **more}, status=1).stderr.decode()
        expect(why in done and not site.notes, more, done)
    done = read(site, dict(settings(site), AWS_PROFILE="nosuch"))
    expect(not done.stderr, done.stderr)


def check_payer(site):
    """Who pays."""
    name = "bucket/AccessDenied.nc3z"
    (site.directory / name).write_bytes(b"")
    wanted = dict(settings(site), AWS_ENDPOINT_URL=f"{site.plain}/fault=403")
    done = read(site, wanted, f"s3://{name}", 1)
    expect(b"AWS_REQUEST_PAYER=requester" in done.stderr, done.stderr)
    wanted["AWS_REQUEST_PAYER"] = "requester"
    done = read(site, wanted, f"s3://{name}", 1)
    expect(b"AWS_REQUEST_PAYER" not in done.stderr, done.stderr)
    site.forget()
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
                   check_token, check_expired, check_expired_pieces,
                   check_public, check_faults, check_unsigned, check_payer,
                   check_host_style, check_bad_names])
