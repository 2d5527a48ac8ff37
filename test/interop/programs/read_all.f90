! SPDX-License-Identifier: MIT
! Prints what a file has; writes all its values.
! usage: read_all FILE VALUES
program read_all
  use netcdf
  implicit none
  character(len=1000) :: path, values
  character(len=nf90_max_name) :: name
  integer :: ncid, ndims, nvars, natts, unlimdimid, format, i, j, length
  integer :: type, rank, dimids(nf90_max_var_dims), nelems

  call get_command_argument(1, path)
  call get_command_argument(2, values)
  open (10, file=values, access='stream', form='unformatted')
  call check(nf90_open(trim(path), nf90_nowrite, ncid))
  call check(nf90_inquire(ncid, ndims, nvars, natts, unlimdimid, format))
  print *, ndims, nvars, natts, unlimdimid, format
  do i = 1, ndims
    call check(nf90_inquire_dimension(ncid, i, name, length))
    print *, trim(name), length
  end do
  do i = 1, nvars
    call check(nf90_inquire_variable(ncid, i, name, type, rank, dimids, natts))
    print *, trim(name), type, rank, dimids(:rank), natts
    nelems = 1
    do j = 1, rank
      call check(nf90_inquire_dimension(ncid, dimids(j), len=length))
      nelems = nelems * length
    end do
    do j = 1, natts
      call check(nf90_inq_attname(ncid, i, j, name))
      call check(nf90_inquire_attribute(ncid, i, name, type, length))
      print *, trim(name), type, length
    end do
    if (nelems > 0) call read_variable(i, rank, dimids(:rank), nelems)
  end do
  call check(nf90_close(ncid))

contains

  ! Stops at an error.
  subroutine check(status)
    integer, intent(in) :: status

    if (status == nf90_noerr) return
    print *, trim(nf90_strerror(status))
    stop 1
  end subroutine check

  ! All values, and every second one where there are three dimensions.
  subroutine read_variable(varid, rank, dimids, nelems)
    integer, intent(in) :: varid, rank, dimids(:), nelems
    double precision, allocatable :: numbers(:), part(:,:,:)
    character, allocatable :: text(:)
    integer :: type, j, shape(rank), half(rank)

    do j = 1, rank
      call check(nf90_inquire_dimension(ncid, dimids(j), len=shape(j)))
    end do
    call check(nf90_inquire_variable(ncid, varid, xtype=type))
    if (type == nf90_char) then
      allocate (text(nelems))
      if (rank > 0) then
        call check(nf90_get_var(ncid, varid, text, count=shape))
      else
        call check(nf90_get_var(ncid, varid, text(1)))
      end if
      write (10) text
      return
    end if
    allocate (numbers(nelems))
    if (rank > 0) then
      call check(nf90_get_var(ncid, varid, numbers, count=shape))
    else
      call check(nf90_get_var(ncid, varid, numbers(1)))
    end if
    write (10) numbers
    if (rank /= 3) return
    half = (shape + 1) / 2
    allocate (part(half(1), half(2), half(3)))
    call check(nf90_get_var(ncid, varid, part, stride=(/2, 2, 2/)))
    write (10) part
  end subroutine read_variable

end program read_all
