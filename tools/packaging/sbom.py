#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the list of what a release consists of and needs, as SPDX 2.3 in JSON.

usage: sbom.py VERSION DATE TARBALL [PARTS]

DATE is that of the release, in seconds since 1970.  Of packages that nc3z is
linked with, versions are those of the distribution and not listed.  PARTS lists
those of the page of nc3view, which is built and in the tarball.
"""

import datetime
import hashlib
import json
import pathlib
import re
import sys

# Name, licence, and whether nc3z is built without it.
DEPENDENCIES = (
    ("libdeflate", "MIT", False),
    ("libzstd", "BSD-3-Clause", False),
    ("libbz2", "bzip2-1.0.6", False),
    ("zlib", "Zlib", False),
    ("liblzma", "LicenseRef-Public-Domain", False),
    ("libcrypto", "Apache-2.0", False),
    ("libcurl", "curl", True),
    ("libhdf5", "BSD-3-Clause", True),
    ("libfuse3", "LGPL-2.1-only", True),
)


def package(name, licence, **more):
    """A package."""
    return {"SPDXID": f"SPDXRef-{name}", "name": name,
            "downloadLocation": "NOASSERTION", "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION",
            "filesAnalyzed": False, **more}


def parts_of_page(file):
    """Packages that the page is built from, and that nc3z contains them."""
    for part in json.loads(file.read_text(encoding="utf-8")):
        name = re.sub("[^A-Za-z0-9.]+", "-", part["name"]).strip("-")
        licence = part["licence"]
        if licence == "public domain":
            licence = "LicenseRef-Public-Domain"
        made = package(f"page-{name}", licence)
        made["name"] = part["name"]
        if "version" in part:
            made["versionInfo"] = part["version"]
        if name != "nc3z":
            yield made, {"spdxElementId": "SPDXRef-nc3z",
                         "relatedSpdxElement": made["SPDXID"],
                         "relationshipType": "CONTAINS"}


def document(version, date, tarball, parts):
    """The whole."""
    digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
    packages = [package(
        "nc3z", "MIT", versionInfo=version, packageFileName=tarball.name,
        checksums=[{"algorithm": "SHA256", "checksumValue": digest}])]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT",
                  "relatedSpdxElement": "SPDXRef-nc3z",
                  "relationshipType": "DESCRIBES"}]
    for name, licence, is_optional in DEPENDENCIES:
        packages.append(package(name, licence))
        if is_optional:
            relations.append({"spdxElementId": f"SPDXRef-{name}",
                              "relatedSpdxElement": "SPDXRef-nc3z",
                              "relationshipType": "OPTIONAL_DEPENDENCY_OF"})
        else:
            relations.append({"spdxElementId": "SPDXRef-nc3z",
                              "relatedSpdxElement": f"SPDXRef-{name}",
                              "relationshipType": "DEPENDS_ON"})
    for part, relation in (pair for file in parts
                           for pair in parts_of_page(file)):
        packages.append(part)
        relations.append(relation)
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT", "name": f"nc3z-{version}",
        "documentNamespace": f"urn:nc3z:spdx:{version}:{digest}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(
                date, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Organization: nc3z authors", "Tool: sbom.py"]},
        "hasExtractedLicensingInfos": [{
            "licenseId": "LicenseRef-Public-Domain",
            "extractedText": "liblzma is in the public domain."}],
        "packages": packages, "relationships": relations}


def main():
    """Prints it."""
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    tarball, *parts = map(pathlib.Path, sys.argv[3:])
    print(json.dumps(document(sys.argv[1], int(sys.argv[2]), tarball, parts),
                     indent=1))


if __name__ == "__main__":
    main()
