/* SPDX-License-Identifier: MIT */
/*
 * A finite binary number is m * 2^e.  What "%.Pg" prints are P digits of it:
 * with x = floor(log10 |value|), the integer N nearest to value * 10^(P-1-x),
 * ties to even, as glibc does it.  Here N is computed exactly, in integers of
 * 128 bits: multiplying by 10^k is multiplying by 5^k and shifting by k, and
 * what a shift or a division leaves over decides the rounding.  Where that does
 * not fit into 128 bits, far from 1, printf() itself is asked; where compilers
 * have no such integers (on processors of 32 bits), where it does not fit into
 * 64.
 *
 * The estimate of x may be off by one; the size of N shows that, so that the
 * result does not depend on the estimate.
 */
#include "dump/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* 10^18 is the largest power of ten for which N and 10 N fit into 64 bits. */
#define NDIGITS_EXACT_MAX 17

struct decimal {
	uint64_t digits; /* N: exactly P decimal digits */
	int exponent;    /* x */
};

static const char digit_pairs[] = "00010203040506070809101112131415161718192021"
				  "22232425262728293031323334353637383940414243"
				  "44454647484950515253545556575859606162636465"
				  "66676869707172737475767778798081828384858687"
				  "888990919293949596979899";

static const uint64_t powers_of_10[] = {
	1u,
	10u,
	100u,
	1000u,
	10000u,
	100000u,
	1000000u,
	10000000u,
	100000000u,
	1000000000u,
	UINT64_C(10000000000),
	UINT64_C(100000000000),
	UINT64_C(1000000000000),
	UINT64_C(10000000000000),
	UINT64_C(100000000000000),
	UINT64_C(1000000000000000),
	UINT64_C(10000000000000000),
	UINT64_C(100000000000000000),
	UINT64_C(1000000000000000000),
};

/* Powers of 5 up to the largest that fits into 64 bits. */
#define NPOWERS_OF_5_SMALL 28
static const uint64_t small_powers_of_5[NPOWERS_OF_5_SMALL] = {
	1u,
	5u,
	25u,
	125u,
	625u,
	3125u,
	15625u,
	78125u,
	390625u,
	1953125u,
	9765625u,
	48828125u,
	244140625u,
	1220703125u,
	UINT64_C(6103515625),
	UINT64_C(30517578125),
	UINT64_C(152587890625),
	UINT64_C(762939453125),
	UINT64_C(3814697265625),
	UINT64_C(19073486328125),
	UINT64_C(95367431640625),
	UINT64_C(476837158203125),
	UINT64_C(2384185791015625),
	UINT64_C(11920928955078125),
	UINT64_C(59604644775390625),
	UINT64_C(298023223876953125),
	UINT64_C(1490116119384765625),
	UINT64_C(7450580596923828125),
};

static int nbits64(uint64_t n)
{
	return 64 - __builtin_clzll(n);
}

/* Writes exactly 'ndigits' digits of 'n', with leading zeros. */
static void put_digits(char *to, uint64_t n, size_t ndigits)
{
	while (ndigits >= 2) {
		ndigits -= 2;
		memcpy(to + ndigits, digit_pairs + 2 * (n % 100), 2);
		n /= 100;
	}
	if (ndigits == 1)
		to[0] = (char)('0' + n % 10);
}

static size_t count_digits(uint64_t n)
{
	size_t count = 1;

	while (count < 19 && n >= powers_of_10[count])
		count++;
	return count < 19 || n < UINT64_C(10000000000000000000) ? count : 20;
}

size_t number_put_uint(char *to, uint64_t value)
{
	size_t ndigits = count_digits(value);

	put_digits(to, value, ndigits);
	return ndigits;
}

size_t number_put_int(char *to, int64_t value)
{
	if (value >= 0)
		return number_put_uint(to, (uint64_t)value);
	*to = '-';
	return 1 + number_put_uint(to + 1, 0 - (uint64_t)value);
}

/*
 * m * 2^e * 10^k, rounded, for k >= 0; '*floor_ret' is it rounded down.  False
 * if that does not fit, for large m and k.
 */
static bool scale_up_small(uint64_t m, int e, int k, uint64_t *floor_ret,
			   uint64_t *rounded_ret)
{
	uint64_t product, floor, rest, half;
	int shift = -(e + k);

	if (k > 16 || m >> 24 || shift <= 0 || shift >= 64)
		return false;
	product = m * small_powers_of_5[k];
	floor = product >> shift;
	rest = product - (floor << shift);
	half = UINT64_C(1) << (shift - 1);
	*floor_ret = floor;
	*rounded_ret = floor + (rest > half || (rest == half && (floor & 1)));
	return true;
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 uint128;

#define NPOWERS_OF_5 55

static uint128 power_of_5(int n)
{
	if (n < NPOWERS_OF_5_SMALL)
		return small_powers_of_5[n];
	return (uint128)small_powers_of_5[27] * small_powers_of_5[n - 27];
}

static int nbits128(uint128 n)
{
	uint64_t high = (uint64_t)(n >> 64);

	return high ? 64 + nbits64(high) : nbits64((uint64_t)n);
}

static uint64_t round_half_even(uint64_t n, uint128 rest, uint128 half)
{
	return n + (rest > half || (rest == half && (n & 1)));
}

/* The same for larger ones. */
static bool scale_up(uint64_t m, int e, int k, uint64_t *floor_ret,
		     uint64_t *rounded_ret)
{
	uint128 product, floor;
	int shift = e + k;

	if (k >= NPOWERS_OF_5 || nbits64(m) + nbits128(power_of_5(k)) > 128 ||
	    shift <= -128)
		return false;
	product = m * power_of_5(k);
	if (shift >= 0) {
		if (nbits128(product) + shift > 63)
			return false;
		*floor_ret = *rounded_ret = (uint64_t)(product << shift);
		return true;
	}
	floor = product >> -shift;
	if (floor >> 63)
		return false;
	*floor_ret = (uint64_t)floor;
	*rounded_ret = round_half_even(*floor_ret, product - (floor << -shift),
				       (uint128)1 << (-shift - 1));
	return true;
}

/* m * 2^e / 10^j, for j > 0. */
static bool scale_down(uint64_t m, int e, int j, uint64_t *floor_ret,
		       uint64_t *rounded_ret)
{
	uint128 over = m, under, floor;
	int shift = e - j;

	if (j >= NPOWERS_OF_5)
		return false;
	under = power_of_5(j);
	if (shift >= 0 ? nbits128(over) + shift > 127 :
			 nbits128(under) - shift > 127)
		return false;
	if (shift >= 0)
		over <<= shift;
	else
		under <<= -shift;
	floor = over / under;
	if (floor >> 63)
		return false;
	*floor_ret = (uint64_t)floor;
	/* Twice the rest against the divisor, for divisors that are odd. */
	*rounded_ret =
		round_half_even(*floor_ret, 2 * (over - floor * under), under);
	return true;
}

static bool scale(uint64_t m, int e, int k, uint64_t *floor_ret,
		  uint64_t *rounded_ret)
{
	if (k < 0)
		return scale_down(m, e, -k, floor_ret, rounded_ret);
	return scale_up_small(m, e, k, floor_ret, rounded_ret) ||
	       scale_up(m, e, k, floor_ret, rounded_ret);
}

#else

static bool scale(uint64_t m, int e, int k, uint64_t *floor_ret,
		  uint64_t *rounded_ret)
{
	return k >= 0 && scale_up_small(m, e, k, floor_ret, rounded_ret);
}

#endif

/* The digits of m * 2^e, m > 0; false if they are not to be had here. */
static bool find_digits(uint64_t m, int e, int ndigits, struct decimal *d_ret)
{
	/* log10(2) is 78913 / 2^18, nearly. */
	int x = (nbits64(m) - 1 + e) * 78913 >> 18;
	uint64_t limit = powers_of_10[ndigits], floor, rounded;

	for (int tries = 0; tries < 3; tries++) {
		if (!scale(m, e, ndigits - 1 - x, &floor, &rounded))
			return false;
		if (floor >= limit) {
			x++;
		} else if (floor < powers_of_10[ndigits - 1]) {
			x--;
		} else {
			bool carries = rounded == limit;

			d_ret->digits = carries ? limit / 10 : rounded;
			d_ret->exponent = x + carries;
			return true;
		}
	}
	return false;
}

static size_t put_exponent(char *to, int exponent)
{
	unsigned n = (unsigned)(exponent < 0 ? -exponent : exponent);
	size_t ndigits = n < 100 ? 2 : 3;

	to[0] = 'e';
	to[1] = exponent < 0 ? '-' : '+';
	put_digits(to + 2, n, ndigits);
	return 2 + ndigits;
}

/* The digits as %g shows them, without trailing zeros. */
static size_t put_decimal(char *to, const struct decimal *d, size_t ndigits)
{
	char digits[24];
	size_t n = ndigits, whole, nzeros;
	int x = d->exponent;

	put_digits(digits, d->digits, ndigits);
	while (n > 1 && digits[n - 1] == '0')
		n--;
	if (x >= -4 && x < 0) {
		nzeros = (size_t)(-x - 1);
		memcpy(to, "0.000", 5);
		memcpy(to + 2 + nzeros, digits, n);
		return 2 + nzeros + n;
	}
	whole = x < 0 || x >= (int)ndigits ? 1 : (size_t)x + 1;
	memcpy(to, digits, whole);
	if (n > whole) {
		to[whole] = '.';
		memcpy(to + whole + 1, digits + whole, n - whole);
		whole = n + 1;
	}
	if (x >= -4 && x < (int)ndigits)
		return whole;
	return whole + put_exponent(to + whole, x);
}

static size_t put_by_printf(char *to, double value, int ndigits)
{
	char text[NUMBER_NBYTES_MAX];
	int n = snprintf(text, sizeof(text), "%.*g", ndigits, value);

	memcpy(to, text, (size_t)n);
	return (size_t)n;
}

size_t number_put_double(char *to, double value, int ndigits)
{
	size_t is_negative = signbit(value) != 0;
	struct decimal d;
	uint64_t bits, m;
	int e;

	memcpy(&bits, &value, sizeof(bits));
	m = bits & ((UINT64_C(1) << 52) - 1);
	e = (int)(bits >> 52 & 0x7ff);
	to[0] = '-';
	if (e == 0 && m == 0) {
		to[is_negative] = '0';
		return is_negative + 1;
	}
	if (e > 0)
		m |= UINT64_C(1) << 52;
	e = (e > 0 ? e : 1) - 1075;
	e += __builtin_ctzll(m);
	m >>= __builtin_ctzll(m);
	if (ndigits > NDIGITS_EXACT_MAX || !find_digits(m, e, ndigits, &d))
		return put_by_printf(to, value, ndigits);
	return is_negative + put_decimal(to + is_negative, &d, (size_t)ndigits);
}
