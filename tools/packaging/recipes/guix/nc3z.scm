;; For Guix: guix build -f nc3z.scm
(use-modules (guix packages)
             (guix download)
             (guix gexp)
             (guix build-system cmake)
             ((guix licenses) #:prefix license:)
             (gnu packages compression)
             (gnu packages curl)
             (gnu packages linux)
             (gnu packages pkg-config)
             (gnu packages python)
             (gnu packages tls))

(package
  (name "nc3z")
  (version "1.0.0")
  (source
   (origin
     (method url-fetch)
     ;; the address and sum of the tarball of a release
     (uri (string-append "https://example.org/nc3z-" version ".tar.xz"))
     (sha256
      (base32 "0000000000000000000000000000000000000000000000000000"))))
  (build-system cmake-build-system)
  (arguments
   (list #:tests? #f                    ;needs strace, netCDF and others
         #:configure-flags
         #~(list "-DNC3Z_REMOTE=ON" "-DNC3Z_HDF5=OFF" "-DNC3Z_MOUNT=ON" "-DNC3Z_FORTRAN=OFF"
                 "-DNC3Z_PYTHON=OFF")))
  (native-inputs (list pkg-config python))
  (inputs (list bzip2 curl fuse libdeflate openssl xz zlib
                (list zstd "lib")))
  (home-page "https://example.org/nc3z")
  (synopsis "Compressed, directly readable archives of netCDF classic files")
  (description
   "nc3z compresses netCDF classic files losslessly, bit for bit; programs can
still read any part of them without decompressing the rest.")
  (license license:expat))
