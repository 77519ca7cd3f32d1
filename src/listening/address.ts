/** Where a server listens: a TCP port, or a Unix socket's file. */
export type Address = { readonly host: string; readonly port: number } | { readonly path: string }

/** Bytes that a path of a Unix socket may have on Linux. */
export const MAX_SOCKET_PATH_BYTES = 107

const UNIX = 'unix:'

/** `unix:/run/inlet.sock` and `/run/inlet.sock` → `/run/inlet.sock`; an address → undefined. */
export function socketPath(host: string): string | undefined {
  if (host.startsWith(UNIX)) return host.slice(UNIX.length)
  return host.startsWith('/') ? host : undefined
}

/** Whether this can be a `HOST`: a path of a Unix socket must not be empty nor longer than the system takes. */
export function isHost(given: string): boolean {
  const path = socketPath(given)
  return path === undefined || (path !== '' && Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES)
}

export function addressOf(host: string, port: number): Address {
  const path = socketPath(host)
  if (path !== undefined) return { path }
  // For `localhost` Node takes whichever address comes first, and callers might try the other one.
  return { host: host === 'localhost' ? '127.0.0.1' : host, port }
}
