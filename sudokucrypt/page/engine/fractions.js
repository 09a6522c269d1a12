// Fractions as texts, such as "72" and "5/2".

/** Numerator and denominator of a fraction. @returns {bigint[]} */
export const splitFraction = (text) => `${text}/1`.split("/", 2).map(BigInt);

/** The greatest common divisor of two integers. */
export const findDivisor = (one, other) => (other ? findDivisor(other, one % other) : one);
