! SPDX-License-Identifier: MIT
! A program that reads a value of an archive: program FILE VARIABLE
program main
  use netcdf
  implicit none
  character(1000) :: path, name
  integer :: ncid, varid, status
  real(8) :: value
  call get_command_argument(1, path)
  call get_command_argument(2, name)
  status = nf90_open(path, nf90_nowrite, ncid)
  if (status == nf90_noerr) status = nf90_inq_varid(ncid, trim(name), varid)
  if (status == nf90_noerr) status = nf90_get_var(ncid, varid, value)
  if (status /= nf90_noerr) stop 1
  print '(f0.1)', value
end program
