// SHAKE-256 (FIPS 202), the public stream of header rows.

const LANES = 25;
const RATE = 136; // bytes of a block of SHAKE-256
const MASK = 2n ** 64n - 1n;

/** Round constants and rotations by the definition in FIPS 202, sections 3.2.2 and 3.2.5. */
function tables() {
  const constants = [];
  let lfsr = 1;
  for (let round = 0; round < 24; round++) {
    let constant = 0n;
    for (let j = 0; j < 7; j++) {
      if (lfsr & 1) constant |= 1n << BigInt(2 ** j - 1);
      lfsr = lfsr & 128 ? ((lfsr << 1) ^ 0x171) & 255 : lfsr << 1;
    }
    constants.push(constant);
  }
  const rotations = new Array(LANES).fill(0);
  for (let t = 0, x = 1, y = 0; t < 24; t++, [x, y] = [y, (2 * x + 3 * y) % 5]) {
    rotations[x + 5 * y] = (((t + 1) * (t + 2)) / 2) % 64;
  }
  return { constants, rotations: rotations.map(BigInt) };
}

const rotated = (lane, by) => ((lane << by) | (lane >> (64n - by))) & MASK;

function keccak(state, { constants, rotations }) {
  for (const constant of constants) {
    const sums = [0, 1, 2, 3, 4].map((x) => [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ state[x + y], 0n));
    for (let i = 0; i < LANES; i++) state[i] ^= sums[(i + 4) % 5] ^ rotated(sums[(i + 1) % 5], 1n);
    const moved = new Array(LANES);
    for (let x = 0; x < 5; x++) {
      for (let y = 0; y < 5; y++) {
        moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotated(state[x + 5 * y], rotations[x + 5 * y]);
      }
    }
    for (let i = 0; i < LANES; i++) {
      const row = i - (i % 5);
      state[i] = moved[i] ^ (~moved[row + ((i + 1) % 5)] & MASK & moved[row + ((i + 2) % 5)]);
    }
    state[0] ^= constant;
  }
}

/** SHAKE-256 of at most 135 bytes. @returns {Uint8Array} */
export function shake256(message, length) {
  const known = tables();
  const block = new Uint8Array(RATE);
  block.set(message);
  block[message.length] = 0x1f;
  block[RATE - 1] |= 0x80;
  const view = new DataView(block.buffer);
  const state = Array.from({ length: LANES }, (_, i) => (8 * i < RATE ? view.getBigUint64(8 * i, true) : 0n));
  const output = new Uint8Array(Math.ceil(length / RATE) * RATE);
  const target = new DataView(output.buffer);
  for (let offset = 0; offset < length; offset += RATE) {
    keccak(state, known);
    for (let i = 0; 8 * i < RATE; i++) target.setBigUint64(offset + 8 * i, state[i], true);
  }
  return output.subarray(0, length);
}
