#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the notebook lib/python/tour.ipynb in the working directory.

usage: run_notebook.py NOTEBOOK

By nbclient, as Jupyter would; where that is not installed, its cells as one
script.  A cell that fails ends it.  Then the files are there that it makes, and
map.png is a picture with many colours.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

# What it needs, with what reads classic files for xarray, and fsspec its URL.
MODULES = ("xarray", "matplotlib", "scipy", "fsspec", "aiohttp", "zarr")
SKIPPED = 77


def run_as_script(path):
    """The cells that are code, one after the other."""
    with open(path, encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells
                     if cell["cell_type"] == "code")
    return subprocess.run([sys.executable, "-c", text], check=True,
                          env=dict(os.environ, MPLBACKEND="Agg"),
                          capture_output=True, text=True).stdout


def run_by_nbclient(path):
    """The text that its cells print; the kernel is this Python."""
    import nbclient
    import nbformat
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(
        "import sys; print(sys.prefix, nc3z.library_path())"))
    # Debian's kernel is that of the system, not this Python.
    kernel = pathlib.Path("jupyter/kernels/tour")
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({
        "display_name": "tour", "language": "python",
        "argv": [sys.executable, "-Xfrozen_modules=off", "-m",
                 "ipykernel_launcher", "-f", "{connection_file}"]}), "utf-8")
    os.environ["JUPYTER_PATH"] = os.path.abspath("jupyter")
    nbclient.NotebookClient(notebook, timeout=300,
                            kernel_name="tour").execute()
    outputs = [output for cell in notebook.cells
               for output in cell.get("outputs", ())]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert any("text/html" in output.get("data", {}) for output in outputs)
    text = "".join(output.get("text", "") for output in outputs
                   if output.get("name") == "stdout")
    import nc3z
    place = f"{sys.prefix} {nc3z.library_path()}\n"
    assert text.endswith(place), (text, place)
    return text[:-len(place)]


def check_picture(path):
    """A map has many colours."""
    import matplotlib.image
    picture = matplotlib.image.imread(path)
    colours = {tuple(pixel) for pixel in
               picture[::3, ::3].reshape(-1, picture.shape[-1]).tolist()}
    assert picture.shape[1] > 800 and len(colours) > 100, picture.shape


def main():
    """As it says above."""
    everything = os.environ.get("NC3Z_INTEROP") == "all"
    missing = [name for name in MODULES if not importlib.util.find_spec(name)]
    if missing:
        print("skipped: not installed:", *missing)
        sys.exit(1 if everything else SKIPPED)
    has_nbclient = all(map(importlib.util.find_spec,
                           ("nbclient", "nbformat", "ipykernel")))
    if everything and not has_nbclient:
        sys.exit("nbclient, nbformat or ipykernel is not installed")
    run = run_by_nbclient if has_nbclient else run_as_script
    text = run(sys.argv[1])
    print(text, end="")
    for words in "ratio ", "bytes fetched", "references,", "the same bytes":
        assert words in text, words
    check_picture("map.png")


if __name__ == "__main__":
    main()
