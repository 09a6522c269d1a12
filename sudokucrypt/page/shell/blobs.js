// Addresses of results in the memory of the browser, which are all revoked when they are closed.

const alive = new Set();

/** An address of a blob. A blob of another type would be shown or run as what it claims to be. */
export function addressOf(blob, type = "application/octet-stream") {
  const url = URL.createObjectURL(blob.slice(0, blob.size, type));
  alive.add(url);
  return url;
}

/** Revoke all addresses: nothing of the results can be read any more. */
export function revokeAddresses() {
  for (const url of alive) URL.revokeObjectURL(url);
  alive.clear();
}
