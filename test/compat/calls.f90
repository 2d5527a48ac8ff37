! SPDX-License-Identifier: MIT
! Makes the calls of the module netcdf and prints what came of them: every
! function, every type and rank, random hyperslabs.  Built twice from this
! source, with the module of netcdf-fortran and with that of nc3z, it must print
! the same.
!
!     calls FILE [SEED [NREQUESTS]]
!     calls none     without a file
!     calls chunks FILE
!
! Chunks are for nc3z alone: libnetcdf 4.9.0 crashes when Fortran asks a classic
! file for them.
!
! Left out is what is not defined: arguments after a failure, integers that
! were floating-point numbers too large or NaN, values that nothing is read to.

module asking
  use netcdf
  use typeSizes
  implicit none

  integer, parameter :: nmax = 4000
  integer(EightByteInt) :: state = 1

  ! Each type has a subroutine get(), which includes what they share.
  interface get
     module procedure get_int1, get_int2, get_int, get_int64, get_real, get_double
  end interface get

  type request
     integer :: varid, ndims, rank
     integer, dimension(64) :: start, count, stride, map
     logical :: has_count, has_stride, has_map, prints_values
  end type request

contains

  ! A random number from 0 to n - 1.
  integer function below(n)
    integer, intent(in) :: n

    state = mod(state * 16807, 2147483647_EightByteInt)
    below = 0
    if (n > 0) below = int(mod(state / 8, int(n, EightByteInt)))
  end function below

  subroutine report(label, status)
    character(len=*), intent(in) :: label
    integer, intent(in) :: status

    write (*, '(a,": ",i0," ",a)') label, status, trim(nf90_strerror(status))
  end subroutine report

  subroutine number(label, status, value)
    character(len=*), intent(in) :: label
    integer, intent(in) :: status, value

    if (status == nf90_noerr) write (*, '(a,2i12)') label, status, value
    if (status /= nf90_noerr) call report(label, status)
  end subroutine number

  subroutine text(label, status, value)
    character(len=*), intent(in) :: label, value
    integer, intent(in) :: status

    if (status == nf90_noerr) write (*, '(5a)') label, ' "', trim(value), '"'
    if (status /= nf90_noerr) call report(label, status)
  end subroutine text

  subroutine values(label, status, bytes)
    character(len=*), intent(in) :: label
    integer, intent(in) :: status
    integer(OneByteInt), intent(in) :: bytes(:)
    integer(EightByteInt) :: sum
    integer :: i

    if (status /= nf90_noerr) then
       call report(label, status)
       return
    end if
    sum = 1
    do i = 1, size(bytes)
       sum = mod(sum * 48271 + bytes(i) + 128, 2147483647_EightByteInt)
    end do
    write (*, '(a,2i12)') label, size(bytes), sum
  end subroutine values

  subroutine ask_file(ncid, path)
    integer, intent(in) :: ncid
    character(len=*), intent(in) :: path
    integer :: status, a, b, c, d, e, ids(8192)
    character(len=1000) :: name

    status = nf90_inquire(ncid, a, b, c, d, e)
    if (status == nf90_noerr) write (*, '(a,5i12)') 'inquire', a, b, c, d, e
    call report('inquire', status)
    status = nf90_inquire(ncid, nVariables=b)
    call number('nvars', status, b)
    status = nf90_inquire(ncid, unlimitedDimId=b)
    call number('unlimdim', status, b)
    status = nf90_inq_format(ncid, a)
    call number('format', status, a)
    status = nf90_inq_path(ncid, a, name)
    if (status == nf90_noerr) write (*, '(a,2l2)') 'path', a == len_trim(path), name == path
    call report('path', status)
    status = nf90_inq_dimid(ncid, 'no such', a)
    call report('dimid', status)
    status = nf90_inq_varid(ncid, 'no such', a)
    call report('varid', status)
    status = nf90_inq_varids(ncid, a, ids)
    if (status == nf90_noerr) write (*, '(a,10i7)') 'varids', ids(:min(a, 100))
    call report('varids', status)
    c = 0
    status = nf90_inq_dimids(ncid, a, ids, c)
    if (status == nf90_noerr) write (*, '(a,10i7)') 'dimids', ids(:min(a, 100))
    call report('dimids', status)
    status = nf90_inq_typeids(ncid, a, ids)
    call number('typeids', status, a)
    do a = -1, 13
       status = nf90_inq_type(ncid, a, name, b)
       call number('type', status, b)
    end do
    status = nf90_inq_user_type(ncid, 32, name, a, b, c, d)
    call report('user_type', status)
    call ask_groups(ncid)
    status = nf90_sync(ncid)
    call report('sync', status)
  end subroutine ask_file

  subroutine ask_groups(ncid)
    integer, intent(in) :: ncid
    integer :: status, n, ids(10)
    character(len=300) :: name

    status = nf90_inq_grps(ncid, n, ids)
    call number('grps', status, n)
    status = nf90_inq_ncid(ncid, '/', n)
    call number('ncid', status, merge(1, 0, n == ncid))
    status = nf90_inq_grp_ncid(ncid, 'no such', n)
    call report('grp_ncid', status)
    status = nf90_inq_grp_full_ncid(ncid, '/no/such', n)
    call report('grp_full_ncid', status)
    status = nf90_inq_grp_parent(ncid, n)
    call report('grp_parent', status)
    status = nf90_inq_grpname(ncid, name)
    call text('grpname', status, name)
    status = nf90_inq_grpname_len(ncid, n)
    call number('grpname_len', status, n)
    status = nf90_inq_grpname_full(ncid, n, name)
    call text('grpname_full', status, name)
    call number('grpname_full', status, n)
  end subroutine ask_groups

  subroutine ask_dim(ncid, dimid)
    integer, intent(in) :: ncid, dimid
    integer :: status, n
    character(len=nf90_max_name) :: name
    character(len=3) :: short

    status = nf90_inquire_dimension(ncid, dimid, name, n)
    call text('dim', status, name)
    call number('dim', status, n)
    if (status /= nf90_noerr) return
    status = nf90_inquire_dimension(ncid, dimid, short)
    call text('short dim', status, short)
    status = nf90_inquire_dimension(ncid, dimid, len=n)
    call number('dim', status, n)
    status = nf90_inq_dimid(ncid, name, n)
    call number('dimid', status, n)
    status = nf90_inq_dimid(ncid, trim(name), n)
    call number('dimid', status, n)
  end subroutine ask_dim

  subroutine ask_var(ncid, varid)
    integer, intent(in) :: ncid, varid
    integer :: status, xtype, ndims, natts, level, dimids(nf90_max_var_dims), n
    character(len=nf90_max_name) :: name
    logical :: shuffle, fletcher32

    status = nf90_inquire_variable(ncid, varid, name, xtype, ndims, dimids, natts)
    call text('var', status, name)
    if (status /= nf90_noerr) return
    write (*, '(10i7)') xtype, ndims, natts, dimids(:ndims)
    status = nf90_inquire_variable(ncid, varid, ndims=n)
    call number('ndims', status, n)
    if (ndims > 0) then
       status = nf90_inquire_variable(ncid, varid, dimids=dimids(:ndims - 1))
       call report('dimids', status)
    end if
    status = nf90_inquire_variable(ncid, varid, deflate_level=level, shuffle=shuffle, &
         fletcher32=fletcher32)
    if (status == nf90_noerr) write (*, '(2l2,i7)') shuffle, fletcher32, level
    call report('storage', status)
    status = nf90_inquire_variable(ncid, varid, endianness=n)
    call report('endian', status)
    status = nf90_inq_varid(ncid, name, n)
    call number('varid', status, n)
    call ask_storage(ncid, varid)
    call ask_fill(ncid, varid, xtype)
  end subroutine ask_var

  subroutine ask_storage(ncid, varid)
    integer, intent(in) :: ncid, varid
    integer :: status, a, b, c

    status = nf90_inq_var_deflate(ncid, varid, a, b, c)
    call number('deflate', status, a + 10 * b + 100 * c)
    status = nf90_inq_var_fletcher32(ncid, varid, a)
    call number('fletcher32', status, a)
    status = nf90_inq_var_endian(ncid, varid, a)
    call number('endian', status, a)
    status = nf90_inq_var_szip(ncid, varid, a, b)
    call report('szip', status)
  end subroutine ask_storage

  ! All there is to say of files that have no chunks.
  subroutine ask_chunks(path)
    character(len=*), intent(in) :: path
    integer :: status, ncid, nvars, i, storage, lengths(10)
    logical :: contiguous

    status = nf90_open(path, nf90_nowrite, ncid)
    status = nf90_inquire(ncid, nVariables=nvars)
    do i = 1, nvars
       contiguous = .false.
       lengths = -1
       status = nf90_inquire_variable(ncid, i, contiguous=contiguous, chunksizes=lengths)
       if (status /= nf90_noerr .or. .not. contiguous .or. any(lengths(3:) /= -1)) stop 1
       status = nf90_inq_var_chunking(ncid, i, storage, lengths)
       if (status /= nf90_noerr .or. storage /= nf90_contiguous) stop 1
       status = nf90_inquire_variable(ncid, i, cache_size=storage)
       if (status /= nf90_enotnc4) stop 1
    end do
    status = nf90_inq_var_chunking(ncid, nvars + 1, storage, lengths)
    if (status /= nf90_enotvar) stop 1
    write (*, '(i0,a)') nvars, ' variables without chunks'
  end subroutine ask_chunks

  subroutine ask_fill(ncid, varid, xtype)
    integer, intent(in) :: ncid, varid, xtype
    integer :: status, no_fill, att_type, length
    integer(OneByteInt) :: int1
    integer(TwoByteInt) :: int2
    integer(FourByteInt) :: int4
    real(FourByteReal) :: real4
    real(EightByteReal) :: real8

    ! one of another type is not defined
    status = nf90_inquire_attribute(ncid, varid, '_FillValue', att_type, length)
    if (status == nf90_noerr .and. (att_type /= xtype .or. length /= 1)) return
    select case (xtype)
    case (nf90_byte)
       status = nf90_inq_var_fill(ncid, varid, no_fill, int1)
       call values('fill', status, transfer(int1, (/ 0_OneByteInt /)))
    case (nf90_short)
       status = nf90_inq_var_fill(ncid, varid, no_fill, int2)
       call values('fill', status, transfer(int2, (/ 0_OneByteInt /)))
    case (nf90_int)
       status = nf90_inq_var_fill(ncid, varid, no_fill, int4)
       call values('fill', status, transfer(int4, (/ 0_OneByteInt /)))
    case (nf90_real)
       status = nf90_inq_var_fill(ncid, varid, no_fill, real4)
       call values('fill', status, transfer(real4, (/ 0_OneByteInt /)))
    case (nf90_double)
       status = nf90_inq_var_fill(ncid, varid, no_fill, real8)
       call values('fill', status, transfer(real8, (/ 0_OneByteInt /)))
    end select
  end subroutine ask_fill

  subroutine ask_att(ncid, varid, attnum)
    integer, intent(in) :: ncid, varid, attnum
    integer :: status, xtype, length, n
    character(len=nf90_max_name) :: name
    character(len=nmax) :: string
    logical :: has_nan

    status = nf90_inq_attname(ncid, varid, attnum, name)
    call text('attname', status, name)
    if (status /= nf90_noerr) name = 'no such'
    status = nf90_inquire_attribute(ncid, varid, name, xtype, length, n)
    if (status == nf90_noerr) write (*, '(a,3i12)') 'att', xtype, length, n
    call report('att', status)
    if (status /= nf90_noerr) then
       status = nf90_get_att(ncid, varid, name, string)
       call report('get_att', status)
       status = nf90_get_att(ncid, varid, name, n)
       call report('get_att', status)
       return
    end if
    if (length > nmax) return
    string = 'not blank'
    status = nf90_get_att(ncid, varid, name, string)
    call values('text', status, transfer(string, (/ 0_OneByteInt /)))
    has_nan = .false.
    call att_double(ncid, varid, name, length, has_nan)
    call att_real(ncid, varid, name, length)
    if (has_nan) return
    call att_int1(ncid, varid, name, length)
    call att_int2(ncid, varid, name, length)
    call att_int(ncid, varid, name, length)
    call att_int64(ncid, varid, name, length)
  end subroutine ask_att

  subroutine att_double(ncid, varid, name, length, has_nan)
    include 'calls_att.inc'
    real(EightByteReal) :: one, many(length)
    logical, intent(inout) :: has_nan

    include 'calls_att_get.inc'
    if (status == nf90_noerr) has_nan = any(many /= many)
  end subroutine att_double

  subroutine att_real(ncid, varid, name, length)
    include 'calls_att.inc'
    real(FourByteReal) :: one, many(length)
    include 'calls_att_get.inc'
  end subroutine att_real

  subroutine att_int1(ncid, varid, name, length)
    include 'calls_att.inc'
    integer(OneByteInt) :: one, many(length)
    include 'calls_att_get.inc'
  end subroutine att_int1

  subroutine att_int2(ncid, varid, name, length)
    include 'calls_att.inc'
    integer(TwoByteInt) :: one, many(length)
    include 'calls_att_get.inc'
  end subroutine att_int2

  subroutine att_int(ncid, varid, name, length)
    include 'calls_att.inc'
    integer(FourByteInt) :: one, many(length)
    include 'calls_att_get.inc'
  end subroutine att_int

  subroutine att_int64(ncid, varid, name, length)
    include 'calls_att.inc'
    integer(EightByteInt) :: one, many(length)
    include 'calls_att_get.inc'
  end subroutine att_int64

  ! Values: 'mold' has the type.

  subroutine get_int1(mold, ncid, r, s)
    integer(OneByteInt), intent(in) :: mold
    integer(OneByteInt), allocatable :: v0, v1(:), v2(:,:), v3(:,:,:), v4(:,:,:,:), &
         v5(:,:,:,:,:), v6(:,:,:,:,:,:), v7(:,:,:,:,:,:,:)
    include 'calls_get.inc'
  end subroutine get_int1

  subroutine get_int2(mold, ncid, r, s)
    integer(TwoByteInt), intent(in) :: mold
    integer(TwoByteInt), allocatable :: v0, v1(:), v2(:,:), v3(:,:,:), v4(:,:,:,:), &
         v5(:,:,:,:,:), v6(:,:,:,:,:,:), v7(:,:,:,:,:,:,:)
    include 'calls_get.inc'
  end subroutine get_int2

  subroutine get_int(mold, ncid, r, s)
    integer(FourByteInt), intent(in) :: mold
    integer(FourByteInt), allocatable :: v0, v1(:), v2(:,:), v3(:,:,:), v4(:,:,:,:), &
         v5(:,:,:,:,:), v6(:,:,:,:,:,:), v7(:,:,:,:,:,:,:)
    include 'calls_get.inc'
  end subroutine get_int

  subroutine get_int64(mold, ncid, r, s)
    integer(EightByteInt), intent(in) :: mold
    integer(EightByteInt), allocatable :: v0, v1(:), v2(:,:), v3(:,:,:), v4(:,:,:,:), &
         v5(:,:,:,:,:), v6(:,:,:,:,:,:), v7(:,:,:,:,:,:,:)
    include 'calls_get.inc'
  end subroutine get_int64

  subroutine get_real(mold, ncid, r, s)
    real(FourByteReal), intent(in) :: mold
    real(FourByteReal), allocatable :: v0, v1(:), v2(:,:), v3(:,:,:), v4(:,:,:,:), &
         v5(:,:,:,:,:), v6(:,:,:,:,:,:), v7(:,:,:,:,:,:,:)
    include 'calls_get.inc'
  end subroutine get_real

  subroutine get_double(mold, ncid, r, s)
    real(EightByteReal), intent(in) :: mold
    real(EightByteReal), allocatable :: v0, v1(:), v2(:,:), v3(:,:,:), v4(:,:,:,:), &
         v5(:,:,:,:,:), v6(:,:,:,:,:,:), v7(:,:,:,:,:,:,:)
    include 'calls_get.inc'
  end subroutine get_double

  ! A string has the length of the first dimension, an array the others.
  subroutine get_text(length, ncid, r, s)
    integer, intent(in) :: length
    character(len=length), allocatable :: mold, v0, v1(:), v2(:,:), v3(:,:,:), v4(:,:,:,:), &
         v5(:,:,:,:,:), v6(:,:,:,:,:,:), v7(:,:,:,:,:,:,:)
    integer, intent(in) :: ncid
    type(request), intent(in) :: r
    integer, intent(in) :: s(7)
    integer :: status, n

    mold = repeat('#', length)
    n = r%ndims
    if (r%rank == 0) then
       allocate(v0, source=mold)
       if (r%has_stride) status = nf90_get_var(ncid, r%varid, v0, r%start(:n), r%count(:n), &
            r%stride(:n))
       if (.not. r%has_stride) status = nf90_get_var(ncid, r%varid, v0, r%start(:n), &
            r%count(:n))
       call tell(r, 'text', status, transfer(v0, (/ 0_OneByteInt /)))
    end if
    include 'calls_ranks.inc'
  end subroutine get_text

  subroutine tell(r, label, status, bytes)
    type(request), intent(in) :: r
    character(len=*), intent(in) :: label
    integer, intent(in) :: status
    integer(OneByteInt), intent(in) :: bytes(:)
    character(len=30) :: full

    write (full, '(a,i2,3l2)') label, r%rank, r%has_count, r%has_stride, r%has_map
    if (r%prints_values) call values(trim(full), status, bytes)
    if (.not. r%prints_values) call report(trim(full), status)
  end subroutine tell

  ! The shape of an array of a rank that holds n values along each dimension.
  function fold(counts, rank) result(s)
    integer, intent(in) :: counts(:), rank
    integer :: s(7), i

    s = 1
    do i = 1, size(counts)
       if (rank > 0) s(min(i, rank)) = s(min(i, rank)) * counts(i)
    end do
  end function fold

  subroutine get_as(itype, ncid, r)
    integer, intent(in) :: itype, ncid
    type(request), intent(in) :: r
    integer :: s(7), n

    n = r%ndims
    s = fold(r%count(:n), r%rank)
    select case (itype)
    case (1)
       if (n == 0) return
       if (r%rank == 0) call get_text(product(r%count(:n)), ncid, r, s)
       if (r%rank > 0) call get_text(r%count(1), ncid, r, fold(r%count(2:n), r%rank))
    case (2)
       call get(0_OneByteInt, ncid, r, s)
    case (3)
       call get(0_TwoByteInt, ncid, r, s)
    case (4)
       call get(0_FourByteInt, ncid, r, s)
    case (5)
       call get(0_EightByteInt, ncid, r, s)
    case (6)
       call get(0._FourByteReal, ncid, r, s)
    case (7)
       call get(0._EightByteReal, ncid, r, s)
    end select
  end subroutine get_as

  ! A random request; of a wrong one only the status is printed.
  subroutine make_request(r, shape)
    type(request), intent(inout) :: r
    integer, intent(in) :: shape(:)
    integer :: i, j, n, step, order(64)
    logical :: is_wrong

    n = size(shape)
    is_wrong = below(4) == 0
    do i = 1, n
       order(i) = i
       r%stride(i) = 1 + below(3)
       r%start(i) = 1 + below(shape(i))
       r%count(i) = (shape(i) - r%start(i)) / r%stride(i) + 1
       if (shape(i) < 1) r%count(i) = 0
       if (r%count(i) > 1 .and. below(2) == 0) r%count(i) = 1 + below(r%count(i))
       if (is_wrong .and. below(3) == 0) r%start(i) = below(shape(i) + 3)
       if (is_wrong .and. below(4) == 0) r%count(i) = r%count(i) + below(3)
       if (is_wrong .and. below(6) == 0) r%stride(i) = below(4) - 1
    end do
    r%has_stride = any(r%stride(:n) /= 1) .or. below(2) == 0
    r%has_map = below(3) == 0
    r%prints_values = .not. is_wrong
    r%rank = below(8)
    r%has_count = r%rank /= n .or. below(2) == 0
    do while (product(real(r%count(:n))) > nmax)
       i = maxloc(r%count(:n), 1)
       r%count(i) = r%count(i) / 2
    end do
    ! columns in another order, which fill the array all the same
    step = 1
    do i = 1, n
       j = i + below(n - i + 1)
       order((/ i, j /)) = order((/ j, i /))
       r%map(order(i)) = step
       step = step * max(r%count(order(i)), 1)
    end do
  end subroutine make_request

  subroutine ask_values(ncid, varid, nrequests)
    integer, intent(in) :: ncid, varid, nrequests
    integer :: status, ndims, dimids(nf90_max_var_dims), xtype, i, itype
    integer, allocatable :: shape(:)
    real(EightByteReal), allocatable :: all_of_it(:)
    type(request) :: r
    logical :: skips_integers

    status = nf90_inquire_variable(ncid, varid, xtype=xtype, ndims=ndims, dimids=dimids)
    if (status /= nf90_noerr) then
       status = nf90_get_var(ncid, varid, i)
       call report('no variable', status)
       return
    end if
    if (ndims > 64) return
    allocate(shape(ndims))
    do i = 1, ndims
       status = nf90_inquire_dimension(ncid, dimids(i), len=shape(i))
       if (shape(i) < 0) return
    end do
    r%varid = varid
    r%ndims = ndims
    ! integers of floating-point numbers may not be defined
    skips_integers = xtype == nf90_real .or. xtype == nf90_double
    if (skips_integers .and. product(real(shape)) <= nmax) then
       allocate(all_of_it(product(shape)))
       status = nf90_get_var(ncid, varid, all_of_it, count=shape)
       skips_integers = any(.not. abs(all_of_it) < 128)
    end if
    if (product(real(shape)) <= nmax .and. ndims <= 7) then
       r%start(:ndims) = 1
       r%count(:ndims) = shape
       r%has_count = .false.
       r%has_stride = .false.
       r%has_map = .false.
       r%prints_values = .true.
       do itype = 1, 7
          r%rank = ndims
          if (itype == 1) r%rank = max(ndims - 1, 0)
          if (itype > 1 .and. itype < 6 .and. skips_integers) cycle
          call get_as(itype, ncid, r)
       end do
    end if
    do i = 1, nrequests
       itype = 1 + below(7)
       if (xtype == nf90_char .and. below(4) > 0) itype = 1
       call make_request(r, shape)
       if (r%rank == 0 .and. itype > 1) r%count = 1
       if (itype == 1) r%has_count = .true.
       if (itype > 1 .and. itype < 6 .and. skips_integers) cycle
       call get_as(itype, ncid, r)
    end do
  end subroutine ask_values

  subroutine ask_all(ncid, path, nrequests)
    integer, intent(in) :: ncid, nrequests
    character(len=*), intent(in) :: path
    integer :: status, ndims, nvars, natts, i, j

    call ask_file(ncid, path)
    ndims = 1
    nvars = 1
    status = nf90_inquire(ncid, ndims, nvars)
    if (status /= nf90_noerr) then
       ndims = 1
       nvars = 1
    end if
    do i = 0, min(ndims, 100) + 1
       call ask_dim(ncid, i)
    end do
    do i = 0, min(nvars, 60) + 1
       call ask_var(ncid, i)
       natts = 0
       if (i == nf90_global) status = nf90_inquire(ncid, nAttributes=natts)
       if (i /= nf90_global) status = nf90_inquire_variable(ncid, i, nAtts=natts)
       if (status /= nf90_noerr) natts = 0
       do j = 0, min(natts, 100) + 1
          call ask_att(ncid, i, j)
       end do
       call ask_values(ncid, i, nrequests)
    end do
  end subroutine ask_all
end module asking

program calls
  use asking
  implicit none
  character(len=1000) :: path, word
  integer :: nrequests = 30, status, ncid, other, i, hint

  call get_command_argument(1, path)
  call get_command_argument(2, word)
  if (path == 'chunks') then
     call ask_chunks(word)
     stop
  end if
  if (word /= ' ') read (word, *) state
  state = mod(state, 100000_EightByteInt) + 1
  call get_command_argument(3, word)
  if (word /= ' ') read (word, *) nrequests
  write (*, '(a,2l2)') 'libvers', nf90_inq_libvers() /= ' ', byteSizesOK()
  if (path == 'none') then
     do i = 5, -150, -1
        call report('strerror', i)
     end do
     status = nf90_open('no/such', nf90_nowrite, ncid)
     call report('missing', status)
     status = nf90_open('.', nf90_nowrite, ncid)
     call report('directory', status)
     status = nf90_open('no/such', nf90_nowrite, ncid, comm=1)
     call report('comm without info', status)
     call ask_all(12345, ' ', 2)
     status = nf90_close(12345)
     call report('close', status)
     stop
  end if
  status = nf90_open(trim(path), nf90_nowrite, ncid)
  call report('open', status)
  if (status /= nf90_noerr) stop
  hint = 8192
  status = nf90_open(path, nf90_share, other, chunksize=hint)
  call report('hint', status)
  status = nf90_abort(other)
  call report('abort', status)
  status = nf90_open(path, nf90_nowrite, other, cache_size=100000, cache_nelems=100, &
       cache_preemption=.5)
  call report('cache', status)
  call ask_all(ncid, path, nrequests)
  status = nf90_close(ncid)
  call report('close', status)
  status = nf90_close(ncid)
  call report('close', status)
  status = nf90_close(other)
  call report('close', status)
end program calls
