! The loops over the buffers of calls.f and calls2.f, apart from the calls so
! that they alone are optimised: the calls would take five times as long to
! compile.

! Fills the buffers with what no call writes.
      subroutine clear()
      implicit none
      include 'buffer.inc'
      integer i

      do 10 i = 1, 6 * nmax
         ints(i) = 1515870810
 10   continue
      do 20 i = 1, 3 * nmax
         chars(i:i) = '#'
 20   continue
      end

! A sum of both buffers, which depends on where a value is.  Overflow wraps.
      subroutine addup(sum)
      implicit none
      include 'buffer.inc'
      integer i
      integer*8 sum

      sum = 1
      do 10 i = 1, 6 * nmax
         sum = sum * 48271 + ints(i)
 10   continue
      do 20 i = 1, 3 * nmax
         sum = sum * 48271 + ichar(chars(i:i))
 20   continue
      sum = iand(ieor(sum, ishft(sum, -32)), 2147483647_8)
      end

      logical function hasnan()
      implicit none
      include 'buffer.inc'
      integer i

      hasnan = .false.
      do 10 i = first, first + nmax - 1
         if (doubls(i) .ne. doubls(i)) hasnan = .true.
 10   continue
      end
