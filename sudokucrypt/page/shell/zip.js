// A zip archive of stored files, with their names and times.

import { crc32 } from "../engine/checksums.js";
import { addUp, concat, makeView, readBlob, require, utf8, zeros } from "../engine/bytes.js";

const MOST_BYTES = 2 ** 32 - 2 ** 24; // what 32 bits address, less the records themselves
const MOST_ENTRIES = 65535;
const AT_A_TIME = 2 ** 23; // bytes that are read
const UTF8_NAME = 0x800;
const FIRST_DAY = 0x21; // 1 January 1980; the true time is in the field after it

/** Little-endian numbers, from pairs of a number of bytes and a value. */
function pack(...pairs) {
  const parts = pairs.map(([size, value]) => {
    const data = zeros(4);
    makeView(data).setUint32(0, value, true);
    return data.subarray(0, size);
  });
  return concat(parts);
}

/** The field of extended timestamps: seconds since 1970, where 31 bits can tell. */
function packTime(time) {
  const seconds = time === null ? -1 : Number(time / 1000000000n);
  if (seconds < 0 || seconds >= 2 ** 31) return zeros(0);
  return pack([2, 0x5455], [2, 5], [1, 1], [4, seconds]);
}

/**
 * Make an archive.
 * @param {{name: string, time: ?bigint, blob: Blob}[]} entries names are different
 * @returns {Promise<Blob>}
 */
export async function makeZip(entries) {
  const total = addUp(entries.map(({ blob }) => blob.size));
  const fits = total <= MOST_BYTES && entries.length <= MOST_ENTRIES;
  require(fits, "these files are too many for one archive; save them one by one");
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, time, blob } of entries) {
    const title = utf8(name);
    const extra = packTime(time);
    let crc = 0;
    for (let at = 0; at < blob.size; at += AT_A_TIME) {
      crc = crc32(await readBlob(blob.slice(at, at + AT_A_TIME)), crc);
    }
    const common = pack(
      [2, 20], [2, UTF8_NAME], [2, 0], [2, 0], [2, FIRST_DAY], [4, crc],
      [4, blob.size], [4, blob.size], [2, title.length], [2, extra.length],
    );
    const local = concat([pack([4, 0x04034b50]), common, title, extra]);
    const last = pack([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]);
    directory.push(concat([pack([4, 0x02014b50], [2, 20]), common, last, title, extra]));
    parts.push(local, blob);
    offset += local.length + blob.size;
  }
  const size = addUp(directory.map((record) => record.length));
  const count = entries.length;
  const end = pack(
    [4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0],
  );
  return new Blob([...parts, ...directory, end]);
}
