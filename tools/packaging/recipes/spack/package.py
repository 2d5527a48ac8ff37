# SPDX-License-Identifier: MIT
"""The package nc3z, for Spack."""

from spack.package import *


class Nc3z(CMakePackage):
    """Compressed, checked archives of netCDF classic files; any part is
    read without decompressing the rest."""

    homepage = "https://example.org/nc3z"
    # the address and sum of the tarball of a release
    url = "https://example.org/nc3z-1.0.0.tar.xz"

    license("MIT")

    version("1.0.0", sha256="0" * 64)

    variant("mount", default=False, description="Build nc3mount")
    variant("remote", default=True, description="Read URLs")
    variant("fortran", default=True, description="Build libnc3zf")
    variant("python", default=False, description="Install the Python package")

    depends_on("c", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.18:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("bzip2")
    depends_on("libdeflate@1.9:")
    depends_on("openssl")
    depends_on("xz")
    depends_on("zlib-api")
    depends_on("zstd@1.4:")
    depends_on("curl@7.85:", when="+remote")
    depends_on("libfuse@3.12:", when="+mount")
    depends_on("python@3.8:", type=("build", "run"), when="+python")
    depends_on("py-numpy", type="run", when="+python")

    def cmake_args(self):
        """The options."""
        args = [self.define_from_variant("NC3Z_" + name.upper(), name)
                for name in ("mount", "remote", "fortran", "python")]
        if self.spec.satisfies("+python"):
            args.append(self.define(
                "NC3Z_PYTHON_DIR", self.spec["python"].package.platlib))
        return args
