/* Functions that find the lowest and the highest set bit and count set bits, for any compiler. */

#ifndef SUDOKUCRYPT_BITS_H
#define SUDOKUCRYPT_BITS_H

#ifdef _MSC_VER
#include <intrin.h>
static inline int lowest_bit(unsigned long long bits) {
    unsigned long place;
    if (_BitScanForward(&place, (unsigned long) bits)) return (int) place;
    _BitScanForward(&place, (unsigned long) (bits >> 32));
    return (int) place + 32;
}
#else
#define lowest_bit __builtin_ctzll
#endif

static inline int highest_bit(unsigned long long bits) {
    int place = 0;
    for (int half = 32; half; half >>= 1)
        if (bits >> half) bits >>= half, place += half;
    return place;
}

static inline int count_bits(unsigned long long bits) {
    bits -= bits >> 1 & 0x5555555555555555ull;
    bits = (bits & 0x3333333333333333ull) + (bits >> 2 & 0x3333333333333333ull);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Full;
    return (int) (bits * 0x0101010101010101ull >> 56);
}

#endif
