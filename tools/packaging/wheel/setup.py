# SPDX-License-Identifier: MIT
"""A wheel with the library inside: for one platform, and for every Python."""

import os

from setuptools import setup
from wheel.bdist_wheel import bdist_wheel


class PlatformWheel(bdist_wheel):
    """Nothing in it is compiled for one version of Python."""

    def finalize_options(self):
        """Has a platform."""
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        """The platform is that which the files inside need."""
        return "py3", "none", os.environ["NC3Z_WHEEL_PLATFORM"]


setup(cmdclass={"bdist_wheel": PlatformWheel})
