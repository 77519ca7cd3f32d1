export type Address = { readonly host: string; readonly port: number } | { readonly path: string }

/** Bytes that a path of a Unix socket may have on Linux. */
export const MAX_SOCKET_PATH_BYTES = 107

const UNIX = 'unix:'

/** `unix:/run/inlet.sock` and `/run/inlet.sock` → `/run/inlet.sock`; an address → undefined. */
export function socketPath(host: string): string | undefined {
  if (host.startsWith(UNIX)) return host.slice(UNIX.length)
  return host.startsWith('/') ? host : undefined
}

/** Address of the operators' port: `ADMIN_HOST`, else that of callers, else loopback beside a Unix socket. */
export function operatorsHost(host: string, adminHost: string | undefined): string {
  return adminHost ?? (socketPath(host) === undefined ? host : '127.0.0.1')
}

/** Every address of the machine → the one that the machine reaches itself by. */
const OWN: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The address of the service with these variables, from the same machine: the operators' port if it has one. */
export function askedAddress(env: Readonly<Record<string, string | undefined>>): Address {
  const host = env.HOST || '127.0.0.1'
  const address = env.ADMIN_PORT
    ? addressOf(operatorsHost(host, env.ADMIN_HOST || undefined), Number(env.ADMIN_PORT))
    : addressOf(host, Number(env.PORT || 8000))
  return 'path' in address ? address : { ...address, host: OWN[address.host] ?? address.host }
}

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
