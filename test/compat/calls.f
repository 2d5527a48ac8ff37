! Makes the calls of netCDF-3 in Fortran 77 and prints what came of
! them: every function, good and bad arguments, every type, random
! hyperslabs.  Built twice from this source, with the netcdf.inc of
! netcdf-fortran and with that of nc3z, it must print the same.
!
!     calls FILE [SEED [NREQUESTS]]
!     calls none     without a file
!
! Values are printed as sums over the memory they were read into, so
! also what must not be written is compared.  Left out is what is
! undefined: NaN as an integer, values after a failure.

      program calls
      implicit none
      include 'netcdf.inc'
      character*1000 path, word
      integer nreq, seed
      integer*8 state
      common /random/ state

      call getarg(1, path)
      seed = 1
      nreq = 30
      call getarg(2, word)
      if (word .ne. ' ') read (word, '(bn,i12)') state
      if (word .ne. ' ') seed = int(mod(state, 100000))
      call getarg(3, word)
      if (word .ne. ' ') read (word, '(bn,i12)') nreq
      state = seed + 1
      write (*, '(a,l2)') 'libvers', nf_inq_libvers() .ne. ' '
      if (path .eq. 'none') then
         call nofile()
      else
         call afile(path, nreq)
      end if
      end

! Messages, paths and IDs of no file.
      subroutine nofile()
      implicit none
      include 'netcdf.inc'
      integer i, ncid, ids(5)
      data ids /0, -1, 1, 12345, 5046272/

      do 10 i = 5, -64, -1
         call report('strerror', i)
         write (*, '(l2)') nf_issyserr(i)
 10   continue
      call report('strerror', -1000)
      ncid = -9
      call report('open nothing', nf_open(' ', nf_nowrite, ncid))
      call report('open directory', nf_open('.', nf_nowrite, ncid))
      call report('open missing', nf_open('no/such  ', 0, ncid))
      call report('write missing', nf_open('no/such', nf_write, ncid))
      call report('open null', nf_open('/dev/null', 0, ncid))
      call report('hint missing', nf__open('no/such', 0, 4096, ncid))
      write (*, '(i12)') ncid
      do 20 i = 1, 5
         call askfil(ids(i), ' ')
         call askall(ids(i), 2)
         call report('sync', nf_sync(ids(i)))
         call report('abort', nf_abort(ids(i)))
         call report('close', nf_close(ids(i)))
 20   continue
      end

! One file: opened in ways, asked everything, closed twice.
      subroutine afile(path, nreq)
      implicit none
      include 'netcdf.inc'
      character*(*) path
      integer nreq, ncid, other, n, hint, length

      length = len_trim(path)
      call report('open', nf_open(path(1:length), nf_nowrite, ncid))
      if (nf_open(path, nf_share, other) .ne. nf_noerr) return
      call report('close', nf_close(other))
      hint = 8192
      call report('hint', nf__open(path, nf_lock, hint, other))
      call report('abort', nf_abort(other))
      n = nf_open(path(1:length)//char(0)//'/no/such', 0, other)
      call report('NUL', n)
      call askfil(ncid, path)
      call askall(ncid, nreq)
      call report('sync', nf_sync(ncid))
      call report('close', nf_close(ncid))
      call report('close', nf_close(ncid))
      call report('of the closed', nf_inq_nvars(ncid, n))
      call report('of the other', nf_inq_nvars(other, n))
      call report('close', nf_close(other))
      end

      subroutine askall(ncid, nreq)
      implicit none
      include 'netcdf.inc'
      integer ncid, nreq, nvars, ndims, i, status

      ndims = 1
      nvars = 1
      status = nf_inq_ndims(ncid, ndims)
      status = nf_inq_nvars(ncid, nvars)
      do 10 i = 0, min(ndims, 100) + 1
         call askdim(ncid, i)
 10   continue
      do 20 i = 0, min(nvars, 60) + 1
         call askvar(ncid, i)
         call askatt(ncid, i)
         call askval(ncid, i, nreq)
 20   continue
      end

! The file as a whole.
      subroutine askfil(ncid, path)
      implicit none
      include 'netcdf.inc'
      integer ncid, status, a, b, c, d
      character*(*) path
      character*1000 name
      character*3 short

      a = -9
      b = -9
      c = -9
      d = -9
      status = nf_inq(ncid, a, b, c, d)
      write (*, '(a,5i12)') 'inq', status, a, b, c, d
      call number('ndims', nf_inq_ndims(ncid, a), a)
      call number('nvars', nf_inq_nvars(ncid, a), a)
      call number('natts', nf_inq_natts(ncid, a), a)
      call number('unlimdim', nf_inq_unlimdim(ncid, a), a)
      call number('format', nf_inq_format(ncid, a), a)
      name = 'not blank'
      status = nf_inq_path(ncid, a, name)
      write (*, '(a,i12,3l2)') 'path', status, name .eq. path,
     +     a .eq. len_trim(path), name .eq. ' '
      call groups(ncid)
      call number('dimid', nf_inq_dimid(ncid, 'no such', a), a)
      call number('dimid', nf_inq_dimid(ncid, ' ', a), a)
      call number('varid', nf_inq_varid(ncid, 'no such', a), a)
      short = char(0)//'no'
      call number('varid', nf_inq_varid(ncid, short, a), a)
      end

! What netCDF-4 has more of.  What is asked for in vain is not defined.
      subroutine groups(ncid)
      implicit none
      include 'netcdf.inc'
      integer ncid, a, b, c, d, i, ids(nf_max_vars)
      character*300 name

      call number('grps', nf_inq_grps(ncid, a, ids), a)
      call number('varids', nf_inq_varids(ncid, a, ids), ids(1))
      call number('dimids', nf_inq_dimids(ncid, a, ids, 0), ids(1))
      call number('typeids', nf_inq_typeids(ncid, a, ids), ids(1))
      call number('typeid', nf_inq_typeid(ncid, 'int', a), 0)
      call number('typeid', nf_inq_typeid(ncid, 'no such', a), 0)
      call number('user', nf_inq_user_type(ncid, 32, name, a, b, c, d),
     +     0)
      do 10 i = -1, 13
         b = -9
         call number('type', nf_inq_type(ncid, i, name, b), b)
 10   continue
      call number('ncid', nf_inq_ncid(ncid, '/', a), 0)
      call number('grp', nf_inq_grp_ncid(ncid, 'no such', a), 0)
      call number('grp', nf_inq_grp_full_ncid(ncid, '/no/such', a), 0)
      call number('parent', nf_inq_grp_parent(ncid, a), 0)
      name = 'not blank'
      a = nf_inq_grpname(ncid, name)
      call text('grpname', a, name)
      b = -9
      call number('grpname', nf_inq_grpname_len(ncid, b), b)
      a = nf_inq_grpname_full(ncid, b, name)
      call text('grpname', a, name)
      end

! How a variable is stored.  libnetcdf crashes when Fortran asks for the
! chunks of a classic file.
      subroutine stored(ncid, varid)
      implicit none
      include 'netcdf.inc'
      integer ncid, varid, a, b, c, status, ids(nf_max_dims)
      character*2 fill(32)

      status = nf_inq_var_deflate(ncid, varid, a, b, c)
      if (status .eq. nf_noerr) call number('deflate', a, b + c)
      call number('deflate', status, 0)
      call number('szip', nf_inq_var_szip(ncid, varid, a, b), 0)
      a = -9
      status = nf_inq_var_fletcher32(ncid, varid, a)
      call number('fletcher32', status, 0)
      call number('endian', nf_inq_var_endian(ncid, varid, a), 0)
      if (nf_inq_attid(ncid, varid, '_FillValue', a) .ne. nf_noerr) then
         call number('fill', nf_inq_var_fill(ncid, varid, a, fill), 0)
      end if
      if (ncid .eq. -12345)
     +     status = nf_inq_var_chunking(ncid, varid, a, ids)
      end

      subroutine askdim(ncid, dimid)
      implicit none
      include 'netcdf.inc'
      integer ncid, dimid, status, length, id, n
      character*300 name
      character*2 short

      length = -9
      name = 'not blank'
      status = nf_inq_dim(ncid, dimid, name, length)
      call text('dim', status, name)
      write (*, '(2i12)') length, len_trim(name)
      call number('dimlen', nf_inq_dimlen(ncid, dimid, length), length)
      short = '??'
      status = nf_inq_dimname(ncid, dimid, short)
      call text('dimname', status, short)
      status = nf_inq_dimname(ncid, dimid, name)
      call text('dimname', status, name)
      id = -9
      call number('dimid', nf_inq_dimid(ncid, name, id), id)
      n = max(len_trim(name), 1)
      call number('dimid', nf_inq_dimid(ncid, name(1:n), id), id)
      call number('of NUL', nf_inq_dimid(ncid,
     +     name(1:n)//char(0)//'more', id), id)
      call number('of more', nf_inq_dimid(ncid, name(1:n)//'~', id), id)
      call number('of blank', nf_inq_dimid(ncid, ' '//name, id), id)
      end

      subroutine askvar(ncid, varid)
      implicit none
      include 'netcdf.inc'
      integer ncid, varid, status, xtype, ndims, natts, id, i, n
      integer dimids(nf_max_var_dims + 1)
      character*300 name
      character*4 short

      do 10 i = 1, nf_max_var_dims + 1
         dimids(i) = -9
 10   continue
      ndims = -9
      status = nf_inq_varndims(ncid, varid, ndims)
      call number('varndims', status, ndims)
! Of other variables netcdf-fortran gets memory, as large as it happens.
      if (status .ne. nf_noerr) go to 30
      xtype = -9
      natts = -9
      name = 'not blank'
      status = nf_inq_var(ncid, varid, name, xtype, ndims, dimids,
     +     natts)
      call text('var', status, name)
      write (*, '(10i12)') xtype, ndims, natts,
     +     (dimids(i), i = 1, min(max(ndims, 0), 64) + 1)
      do 20 i = 1, max(ndims, 0) + 1
         dimids(i) = -9
 20   continue
      status = nf_inq_vardimid(ncid, varid, dimids)
      write (*, '(a,10i12)') 'vardimid', status,
     +     (dimids(i), i = 1, min(max(ndims, 0), 64) + 1)
      short = '????'
      status = nf_inq_var(ncid, varid, short, xtype, ndims, dimids,
     +     natts)
      call text('var', status, short)
 30   continue
      id = -9
      call stored(ncid, varid)
      call number('vartype', nf_inq_vartype(ncid, varid, id), id)
      call number('varnatts', nf_inq_varnatts(ncid, varid, id), id)
      short = '????'
      call text('varname', nf_inq_varname(ncid, varid, short), short)
      status = nf_inq_varname(ncid, varid, name)
      call text('varname', status, name)
      n = max(len_trim(name), 1)
      call number('varid', nf_inq_varid(ncid, name, id), id)
      call number('varid', nf_inq_varid(ncid, name(1:n), id), id)
      call number('of NUL', nf_inq_varid(ncid,
     +     name(1:n)//char(0)//'more', id), id)
      call number('of more', nf_inq_varid(ncid, name(1:n)//'~', id), id)
      call number('of blank', nf_inq_varid(ncid, ' '//name, id), id)
      end

! The attributes of a variable, 0 for those of the file.
      subroutine askatt(ncid, varid)
      implicit none
      include 'netcdf.inc'
      integer ncid, varid, natts, i, n, status, xtype, length, id
      character*300 name

      natts = 1
      n = nf_inq_varnatts(ncid, varid, natts)
      if (varid .eq. nf_global) n = nf_inq_natts(ncid, natts)
      do 10 i = 0, min(natts, 100) + 1
         name = 'not blank'
         status = nf_inq_attname(ncid, varid, i, name)
         call text('attname', status, name)
         if (status .ne. nf_noerr) name = 'no such'
         xtype = -9
         length = -9
         status = nf_inq_att(ncid, varid, name, xtype, length)
         write (*, '(a,3i12)') 'att', status, xtype, length
         n = max(len_trim(name), 1)
         id = -9
         call number('atttype',
     +        nf_inq_atttype(ncid, varid, name(1:n), id), id)
         call number('attlen',
     +        nf_inq_attlen(ncid, varid, name, id), id)
         call number('attid',
     +        nf_inq_attid(ncid, varid, name(1:n)//char(0)//'x', id),
     +        id)
         call number('of more',
     +        nf_inq_attid(ncid, varid, name(1:n)//'~', id), id)
         if (length .le. 2000) call getatt(ncid, varid, name, xtype)
 10   continue
      end

! An attribute as each of the types.
      subroutine getatt(ncid, varid, name, xtype)
      implicit none
      include 'netcdf.inc'
      include 'buffer.inc'
      integer ncid, varid, xtype, status, itype, m, below
      character*(*) name
      logical nan, hasnan
      external below, hasnan

      call clear()
      status = nf_get_att_double(ncid, varid, name, doubls(first))
      nan = hasnan()
      do 10 itype = 1, 7
         call clear()
         m = 1 + below(nmax)
         if (itype .eq. 1) then
            status = nf_get_att_text(ncid, varid, name,
     +           chars(first:first + m - 1))
         else if (itype .eq. 2) then
            status = nf_get_att_int1(ncid, varid, name, int1s(first))
         else if (itype .eq. 3) then
            status = nf_get_att_int2(ncid, varid, name, int2s(first))
         else if (itype .eq. 4) then
            status = nf_get_att_int(ncid, varid, name, ints(first))
         else if (itype .eq. 5) then
            status = nf_get_att_int64(ncid, varid, name, int8s(first))
         else if (itype .eq. 6) then
            status = nf_get_att_real(ncid, varid, name, reals(first))
         else
            status = nf_get_att_double(ncid, varid, name,
     +           doubls(first))
         end if
         call values('get_att', status, itype, xtype, nan)
 10   continue
      end

! A variable as each of the types, whole and in random parts.
      subroutine askval(ncid, varid, nreq)
      implicit none
      include 'netcdf.inc'
      include 'buffer.inc'
      integer ncid, varid, nreq, xtype, ndims, i, form, itype, status
      integer below, getvar, shape(64), dimids(nf_max_var_dims)
      integer start(64), count(64), stride(64), imap(64)
      integer*8 nelems
      logical nan, hasnan
      character*20 label
      external below, getvar, hasnan

      xtype = nf_double
      ndims = 0
      status = nf_inq_vartype(ncid, varid, xtype)
      status = nf_inq_varndims(ncid, varid, ndims)
      if (ndims .gt. 64) return
      if (status .eq. nf_noerr)
     +     status = nf_inq_vardimid(ncid, varid, dimids)
      nelems = 1
      do 10 i = 1, ndims
         shape(i) = 0
         status = nf_inq_dimlen(ncid, dimids(i), shape(i))
         nelems = min(nelems, 1000000) * max(shape(i), 0)
         start(i) = 1
 10   continue
! A length may be 0 or less for being too large for an integer.
      if (nelems .eq. 0) then
         call clear()
         status = nf_get_var1_double(ncid, varid, start, doubls(first))
         if (status .ne. nf_einvalcoords) nelems = 1000000
      end if
      nan = .true.
      if (nelems .le. nmax) then
         call clear()
         status = nf_get_var_double(ncid, varid, doubls(first))
         nan = hasnan()
         do 20 itype = 1, 7
            call clear()
            status = getvar(1, itype, ncid, varid, start, count, stride,
     +           imap)
            call values('get_var', status, itype, xtype, nan)
 20      continue
      end if
      do 30 i = 1, nreq
         call slab(ndims, shape, start, count, stride, imap)
         form = 2 + below(4)
         itype = 1 + below(7)
         call clear()
         write (label, '(a,2i3)') 'get', form, itype
         status = getvar(form, itype, ncid, varid, start, count, stride,
     +        imap)
! What is not written is the memory of netcdf-fortran here.
         if (form .eq. 2 .and. status .eq. nf_erange) then
            call report(label, status)
         else
            call values(label, status, itype, xtype, nan)
         end if
 30   continue
      end

! A random hyperslab; sometimes a wrong one.
      subroutine slab(ndims, shape, start, count, stride, imap)
      implicit none
      include 'buffer.inc'
      integer ndims, shape(*), start(*), count(*), stride(*), imap(*)
      integer i, j, large, step, order(64), below, around, length
      integer*8 nelems
      logical mild
      external below, around

      mild = below(3) .ne. 0
      do 10 i = 1, ndims
         length = max(shape(i), 0)
         stride(i) = 1 + below(3)
         if (mild) then
            start(i) = 1 + below(length)
            count(i) = (length - start(i)) / stride(i) + 1
            if (length .eq. 0) count(i) = 0
            if (count(i) .gt. 1 .and. below(3) .ne. 0)
     +           count(i) = 1 + below(count(i))
         else
            start(i) = 1 + around(length)
! libnetcdf goes through more values than there are if it is negative.
            count(i) = max(around(length), 0)
            if (below(4) .eq. 0) stride(i) = around(length)
         end if
         order(i) = i
 10   continue

! Counts are cut down until all values fit into a third of the buffer.
 20   nelems = 1
      large = 1
      do 30 i = 1, ndims
         nelems = min(nelems, 1000000) * max(count(i), 0)
         if (count(i) .gt. count(large)) large = i
 30   continue
      if (nelems .gt. nmax) then
         count(large) = count(large) / 2
         go to 20
      end if

! Packed, in another order, some backwards or all on one place.
      step = 1
      do 40 i = 1, ndims
         j = i + below(ndims - i + 1)
         large = order(j)
         order(j) = order(i)
         order(i) = large
         imap(large) = step
         if (count(large) .gt. 1) step = step * count(large)
         if (below(8) .eq. 0) imap(large) = -imap(large)
         if (below(12) .eq. 0) imap(large) = 0
 40   continue
      end

! Reads a variable: the form is var, var1, vara, vars or varm.
      integer function getvar(form, itype, ncid, varid, start, count,
     +     stride, imap)
      implicit none
      include 'netcdf.inc'
      include 'buffer.inc'
      integer form, itype, ncid, varid
      integer start(*), count(*), stride(*), imap(*)
      integer last, below, get
      external below, get

      last = first + below(nmax)
      go to (10, 20, 30, 40, 50, 60, 70), itype
 10   getvar = nf_noerr
      if (form .eq. 1) getvar = nf_get_var_text(ncid, varid,
     +     chars(first:last))
      if (form .eq. 2) getvar = nf_get_var1_text(ncid, varid, start,
     +     chars(first:last))
      if (form .eq. 3) getvar = nf_get_vara_text(ncid, varid, start,
     +     count, chars(first:last))
      if (form .eq. 4) getvar = nf_get_vars_text(ncid, varid, start,
     +     count, stride, chars(first:last))
      if (form .eq. 5) getvar = nf_get_varm_text(ncid, varid, start,
     +     count, stride, imap, chars(first:last))
      return
 20   getvar = get(form, nf_get_var_int1, nf_get_var1_int1,
     +     nf_get_vara_int1, nf_get_vars_int1, nf_get_varm_int1,
     +     ncid, varid, start, count, stride, imap, int8s(first))
      return
 30   getvar = get(form, nf_get_var_int2, nf_get_var1_int2,
     +     nf_get_vara_int2, nf_get_vars_int2, nf_get_varm_int2,
     +     ncid, varid, start, count, stride, imap, int8s(first))
      return
 40   getvar = get(form, nf_get_var_int, nf_get_var1_int,
     +     nf_get_vara_int, nf_get_vars_int, nf_get_varm_int,
     +     ncid, varid, start, count, stride, imap, int8s(first))
      return
 50   getvar = get(form, nf_get_var_int64, nf_get_var1_int64,
     +     nf_get_vara_int64, nf_get_vars_int64, nf_get_varm_int64,
     +     ncid, varid, start, count, stride, imap, int8s(first))
      return
 60   getvar = get(form, nf_get_var_real, nf_get_var1_real,
     +     nf_get_vara_real, nf_get_vars_real, nf_get_varm_real,
     +     ncid, varid, start, count, stride, imap, int8s(first))
      return
 70   getvar = get(form, nf_get_var_double, nf_get_var1_double,
     +     nf_get_vara_double, nf_get_vars_double, nf_get_varm_double,
     +     ncid, varid, start, count, stride, imap, int8s(first))
      end

! The same for the functions of one type of numbers.
      integer function get(form, var, var1, vara, vars, varm, ncid,
     +     varid, start, count, stride, imap, values)
      implicit none
      integer form, var, var1, vara, vars, varm, ncid, varid
      integer start(*), count(*), stride(*), imap(*)
      integer*8 values(*)
      external var, var1, vara, vars, varm

      get = 0
      if (form .eq. 1) get = var(ncid, varid, values)
      if (form .eq. 2) get = var1(ncid, varid, start, values)
      if (form .eq. 3) get = vara(ncid, varid, start, count, values)
      if (form .eq. 4) get = vars(ncid, varid, start, count, stride,
     +     values)
      if (form .eq. 5) get = varm(ncid, varid, start, count, stride,
     +     imap, values)
      end

! Prints a status, and the sum of the buffers where they are defined.
      subroutine values(label, status, itype, xtype, nan)
      implicit none
      include 'netcdf.inc'
      integer status, itype, xtype
      character*(*) label
      logical nan
      integer*8 sum

      if (status .ne. nf_noerr .and. status .ne. nf_erange) then
         call report(label, status)
         return
      end if
      if (nan .and. itype .gt. 1 .and. itype .lt. 6 .and.
     +     (xtype .eq. nf_real .or. xtype .eq. nf_double)) return
      call addup(sum)
      write (*, '(a,i4,2i12)') label, itype, status, sum
      end

      subroutine report(label, status)
      implicit none
      include 'netcdf.inc'
      character*(*) label
      integer status

      write (*, '(a,a,i0,a,a,a)') label, ': ', status, ' ',
     +     nf_strerror(status), '|'
      end

      subroutine number(label, status, value)
      implicit none
      character*(*) label
      integer status, value

      write (*, '(a,2i12)') label, status, value
      end

      subroutine text(label, status, value)
      implicit none
      character*(*) label, value
      integer status

      write (*, '(a,i12,a,a,a)') label, status, ' "',
     +     value(1:len_trim(value)), '"'
      end

! A random number from 0 to n - 1.
      integer function below(n)
      implicit none
      integer n
      integer*8 state
      common /random/ state

      state = mod(state * 16807, 2147483647)
      below = 0
      if (n .gt. 0) below = int(mod(state / 8, n))
      end

! An index or count around a length.
      integer function around(length)
      implicit none
      integer length, below
      external below

      around = below(length + 1)
      go to (10, 20, 30, 40, 50), 1 + below(10)
      return
 10   around = length
      return
 20   around = length + 1
      return
 30   around = 0
      return
 40   around = -1
      return
 50   around = 2147483646
      end
