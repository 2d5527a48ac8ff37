# For Homebrew on Linux.
class Nc3z < Formula
  desc "Compressed, directly readable archives of netCDF classic files"
  homepage "https://example.org/nc3z"
  # the address and sum of the tarball of a release
  url "https://example.org/nc3z-1.0.0.tar.xz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "bzip2"
  depends_on "curl"
  depends_on "libdeflate"
  depends_on :linux
  depends_on "openssl@3"
  depends_on "xz"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DNC3Z_REMOTE=ON",
           "-DNC3Z_HDF5=OFF", "-DNC3Z_MOUNT=OFF", "-DNC3Z_FORTRAN=OFF", "-DNC3Z_PYTHON=OFF",
           *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"x.nc").binwrite("CDF\x01" + "\x00" * 28)
    system bin/"nc3compress", "-k", "x.nc"
    system bin/"nc3compress", "-t", "x.nc.nc3z"
  end
end
