! Makes the calls of netCDF-2 in Fortran 77 and prints what came of
! them.  Built twice from this source, with netcdf-fortran and with nc3z,
! it must print the same.
!
!     calls2 FILE [SEED [NREQUESTS]]
!     calls2 none     without a file
!     calls2 text FILE
!
! The last one compares ncvggc with ncvgtc, for nc3z alone: that of
! netcdf-fortran 4.5 assigns to memory that it has not got.
!
! Values are printed as sums over the memory they were read into.  Left
! out is what is not defined: arguments after a failure, and types that
! netCDF-2 does not know.

      program calls2
      implicit none
      include 'netcdf.inc'
      character*1000 path, word
      integer nreq, ncid, rcode, options
      integer*8 state
      common /random/ state

      call getarg(1, path)
      call getarg(2, word)
      if (path .eq. 'text') then
         call mapped(word)
         stop
      end if
      state = 1
      nreq = 30
      if (word .ne. ' ') read (word, '(bn,i12)') state
      state = mod(state, 100000) + 1
      call getarg(3, word)
      if (word .ne. ' ') read (word, '(bn,i12)') nreq
      call ncgopt(options)
      call number('options', 0, options)
      if (path .eq. 'none') then
         call nofile()
         stop
      end if
      call ncpopt(0)
      ncid = ncopn(path(1:len_trim(path)), ncnowrit, rcode)
      write (*, '(a,i0,a)') 'open: ', rcode, ' '
      if (rcode .ne. 0) stop
      call askall(ncid, nreq)
      call ncsnc(ncid, rcode)
      call number('ncsnc', rcode, 0)
      call ncclos(ncid, rcode)
      call number('ncclos', rcode, 0)
      call ncclos(ncid, rcode)
      call number('ncclos', rcode, 0)
      ncid = ncopn(path, ncnowrit, rcode)
      call ncabor(ncid, rcode)
      call number('ncabor', rcode, 0)
      end

! What is printed for missing files, and IDs of no file.
      subroutine nofile()
      implicit none
      include 'netcdf.inc'
      integer ncid, rcode, i, n

      call ncpopt(ncverbos)
      ncid = ncopn('no/such', ncnowrit, rcode)
      call number('missing', rcode, ncid)
      ncid = ncopn('no/such', -1, rcode)
      call number('mode', rcode, ncid)
      ncid = ncopn('no/such', 99999, rcode)
      call number('mode', rcode, ncid)
      ncid = ncopn('.', ncwrite, rcode)
      call number('directory', rcode, ncid)
      call ncpopt(0)
      do 10 i = 1, 6
         n = nctlen(i, rcode)
         call number('nctlen', rcode, n)
 10   continue
      call askall(12345, 3)
      call ncclos(12345, rcode)
      call number('ncclos', rcode, 0)
      end

      subroutine askall(ncid, nreq)
      implicit none
      include 'netcdf.inc'
      integer ncid, nreq, ndims, nvars, natts, recdim, rcode, i, n
      character*300 name
      character*3 short

      call ncinq(ncid, ndims, nvars, natts, recdim, rcode)
      call number('ncinq', rcode, 0)
      if (rcode .eq. 0) then
         write (*, '(4i12)') ndims, nvars, natts, recdim
      else
         ndims = 1
         nvars = 1
         natts = 1
      end if
      do 10 i = 0, min(ndims, 100) + 1
         call ncdinq(ncid, i, name, n, rcode)
         call text('ncdinq', rcode, name)
         call number('ncdinq', rcode, n)
         call ncdinq(ncid, i, short, n, rcode)
         call text('ncdinq', rcode, short)
         n = ncdid(ncid, name, rcode)
         call number('ncdid', rcode, n)
 10   continue
      n = ncdid(ncid, 'no such', rcode)
      call number('ncdid', rcode, n)
      n = ncvid(ncid, 'no such', rcode)
      call number('ncvid', rcode, n)
      call askatt(ncid, ncglobal, natts)
      do 20 i = 0, min(nvars, 60) + 1
         call askvar(ncid, i, nreq)
 20   continue
      end

      subroutine askvar(ncid, varid, nreq)
      implicit none
      include 'netcdf.inc'
      integer ncid, varid, nreq, xtype, ndims, natts, rcode, i, n
      integer dimids(nf_max_var_dims), shape(64), start(64)
      character*300 name

      do 10 i = 1, 64
         dimids(i) = -9
         start(i) = 1
 10   continue
      call ncvinq(ncid, varid, name, xtype, ndims, dimids, natts,
     +     rcode)
      call text('ncvinq', rcode, name)
      if (rcode .ne. 0) then
         call askatt(ncid, varid, 1)
         call getone(ncid, varid, start, ncdouble)
         return
      end if
      write (*, '(10i7)') xtype, ndims, natts,
     +     (dimids(i), i = 1, min(ndims, 60) + 1)
      n = ncvid(ncid, name, rcode)
      call number('ncvid', rcode, n)
      call askatt(ncid, varid, natts)
      if (xtype .gt. ncdouble .or. ndims .gt. 60) return
      do 20 i = 1, ndims
         call ncdinq(ncid, dimids(i), name, shape(i), rcode)
         if (shape(i) .lt. 0) return
 20   continue
      do 30 i = 1, nreq
         call getvar(ncid, varid, xtype, ndims, shape)
 30   continue
      end

! Text of two dimensions, transposed, is the text.
      subroutine mapped(path)
      implicit none
      include 'netcdf.inc'
      character*(*) path
      integer ncid, rcode, ndims, nvars, natts, recdim, varid, xtype
      integer dimids(nf_max_var_dims), start(2), count(2), stride(2)
      integer imap(2), i, j, n
      character*300 name
      character*1000 whole, turned
      data start /1, 1/, stride /1, 1/

      ncid = ncopn(path, ncnowrit, rcode)
      call ncinq(ncid, ndims, nvars, natts, recdim, rcode)
      n = 0
      do 30 varid = 1, nvars
         call ncvinq(ncid, varid, name, xtype, ndims, dimids, natts,
     +        rcode)
         if (xtype .ne. ncchar .or. ndims .ne. 2) go to 30
         call ncdinq(ncid, dimids(1), name, count(1), rcode)
         call ncdinq(ncid, dimids(2), name, count(2), rcode)
         call ncvgtc(ncid, varid, start, count, whole,
     +        count(1) * count(2), rcode)
         imap(1) = count(2)
         imap(2) = 1
         call ncvggc(ncid, varid, start, count, stride, imap, turned,
     +        rcode)
         if (rcode .ne. 0) stop 1
         do 20 j = 1, count(2)
            do 10 i = 1, count(1)
               if (whole(i + (j - 1) * count(1):
     +              i + (j - 1) * count(1)) .ne.
     +              turned(j + (i - 1) * count(2):
     +              j + (i - 1) * count(2))) stop 1
 10         continue
 20      continue
         n = n + 1
 30   continue
      write (*, '(i0,a)') n, ' texts read with a map'
      end

! The attributes of a variable.
      subroutine askatt(ncid, varid, natts)
      implicit none
      include 'netcdf.inc'
      include 'buffer.inc'
      integer ncid, varid, natts, i, xtype, length, rcode
      character*300 name

      do 10 i = 0, min(natts, 100) + 1
         call ncanam(ncid, varid, i, name, rcode)
         call text('ncanam', rcode, name)
         if (rcode .ne. 0) name = 'no such'
         xtype = 0
         length = 0
         call ncainq(ncid, varid, name, xtype, length, rcode)
         call number('ncainq', rcode, xtype)
         call number('ncainq', rcode, length)
         if (length .gt. nmax .or. xtype .gt. ncdouble) go to 10
         call clear()
         call ncagt(ncid, varid, name, int8s(first), rcode)
         call values('ncagt', rcode)
         call clear()
         call ncagtc(ncid, varid, name, chars(first:2 * nmax),
     +        length, rcode)
         call values('ncagtc', rcode)
         call clear()
         call ncagtc(ncid, varid, name, chars(first:2 * nmax),
     +        max(length - 1, 0), rcode)
         call values('ncagtc', rcode)
 10   continue
      end

      subroutine getone(ncid, varid, start, xtype)
      implicit none
      include 'netcdf.inc'
      include 'buffer.inc'
      integer ncid, varid, start(*), xtype, rcode

      call clear()
      call ncvgt1(ncid, varid, start, int8s(first), rcode)
      call values('ncvgt1', rcode)
      call clear()
      call ncvg1c(ncid, varid, start, chars(first:first), rcode)
      call values('ncvg1c', rcode)
      end

! One request: random, sometimes wrong.
      subroutine getvar(ncid, varid, xtype, ndims, shape)
      implicit none
      include 'netcdf.inc'
      include 'buffer.inc'
      integer ncid, varid, xtype, ndims, shape(*), rcode, i, j, n
      integer start(64), count(64), stride(64), imap(64), order(64)
      integer step, below, width
      logical wrong
      external below

      wrong = below(4) .eq. 0
      start(1) = 1
      count(1) = 1
      do 10 i = 1, ndims
         stride(i) = 1 + below(3)
         start(i) = 1 + below(shape(i))
         count(i) = (shape(i) - start(i)) / stride(i) + 1
         if (shape(i) .eq. 0) count(i) = 0
         if (count(i) .gt. 1) count(i) = 1 + below(count(i))
         if (wrong .and. below(3) .eq. 0) start(i) = below(shape(i) + 3)
         if (wrong .and. below(3) .eq. 0) count(i) = count(i) + below(3)
         if (wrong .and. below(5) .eq. 0) stride(i) = below(3) - 1
         order(i) = i
 10   continue
      call getone(ncid, varid, start, xtype)
 20   n = 1
      j = 1
      do 30 i = 1, ndims
         n = min(n, 100000) * count(i)
         if (count(i) .gt. count(j)) j = i
 30   continue
      if (n .gt. nmax) then
         count(j) = count(j) / 2
         go to 20
      end if
      call clear()
      call ncvgt(ncid, varid, start, count, int8s(first), rcode)
      call values('ncvgt', rcode)
      call clear()
      call ncvgtc(ncid, varid, start, count, chars(first:2 * nmax),
     +     n + below(3), rcode)
      call values('ncvgtc', rcode)

! A scalar has no imap there.
      if (ndims .eq. 0) return
      width = nctlen(xtype, rcode)
      step = width
      do 40 i = 1, ndims
         j = i + below(ndims - i + 1)
         n = order(j)
         order(j) = order(i)
         order(i) = n
         imap(n) = step
         step = step * max(count(n), 1)
 40   continue
! The whole variable in memory, if there is room.
      n = 1
      do 50 i = 1, ndims
         n = min(n, 100000) * shape(i)
 50   continue
      if (n .le. nmax .and. below(4) .eq. 0) imap(1) = 0
      call clear()
      call ncvgtg(ncid, varid, start, count, stride, imap,
     +     int8s(first), rcode)
      call values('ncvgtg', rcode)
      end

! Prints a status, and the sum of the buffers if it is good.
      subroutine values(label, rcode)
      implicit none
      integer rcode
      character*(*) label
      integer*8 sum

      if (rcode .ne. 0) then
         call number(label, rcode, 0)
         return
      end if
      call addup(sum)
      write (*, '(a,i12)') label, sum
      end

      subroutine number(label, rcode, value)
      implicit none
      character*(*) label
      integer rcode, value

      if (rcode .eq. 0) write (*, '(a,i12)') label, value
      if (rcode .ne. 0) write (*, '(2a,i12)') label, ' rcode', rcode
      end

      subroutine text(label, rcode, value)
      implicit none
      character*(*) label, value
      integer rcode

      if (rcode .eq. 0) write (*, '(a,a,a,a)') label, ' "',
     +     value(1:len_trim(value)), '"'
      if (rcode .ne. 0) write (*, '(2a,i12)') label, ' rcode', rcode
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
