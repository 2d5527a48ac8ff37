#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the syntax of the recipes for package managers that are not here, as
far as that can be done without them; see tools/packaging/recipes/README.md."""

import pathlib
import re
import shutil
import subprocess
import sys

RECIPES = (pathlib.Path(__file__).resolve().parents[2]
           / "tools/packaging/recipes")


def check_options():
    """Each option of the build that a recipe names is one."""
    cmake = (RECIPES.parents[2] / "CMakeLists.txt").read_text(encoding="utf-8")
    known = set(re.findall(r"option\((NC3Z_\w+)", cmake)) | {"NC3Z_PYTHON_DIR"}
    for recipe in RECIPES.glob("*/*"):
        text = recipe.read_text(encoding="utf-8")
        for name in re.findall(r"(NC3Z_[A-Z_]*[A-Z])\b", text):
            if name not in known:
                yield f"{recipe}: {name} is no option"


def main():
    """Checks all that can be checked here."""
    wrong = list(check_options())
    text = (RECIPES / "spack/package.py").read_text(encoding="utf-8")
    compile(text, "spack/package.py", "exec")
    scheme = re.sub(r'"(\\.|[^"\\])*"|;.*', "",
                    (RECIPES / "guix/nc3z.scm").read_text(encoding="utf-8"))
    if scheme.count("(") != scheme.count(")"):
        wrong.append("guix/nc3z.scm: parentheses do not match")
    if shutil.which("ruby"):
        done = subprocess.run(["ruby", "-c", RECIPES / "homebrew/nc3z.rb"],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            wrong.append(done.stderr)
    else:
        print("skipped: ruby is not installed")
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("skipped: python3-yaml is not installed")
    else:
        for path in (RECIPES / "conda-forge/recipe.yaml",
                     RECIPES.parents[2] / "CITATION.cff"):
            yaml.safe_load(path.read_text(encoding="utf-8"))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
