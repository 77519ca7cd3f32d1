interface Address {
  readonly host: string
  readonly port: number
}

/** Every address of the machine → the one that the machine reaches itself by. */
const OWN: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The address of the service with these variables, from the same machine: the operators' port if it has one. */
export function askedAddress(env: Readonly<Record<string, string | undefined>>): Address {
  const host = env.HOST || '127.0.0.1'
  const address = env.ADMIN_PORT
    ? addressOf(env.ADMIN_HOST || host, Number(env.ADMIN_PORT))
    : addressOf(host, Number(env.PORT || 8000))
  return { ...address, host: OWN[address.host] ?? address.host }
}

/** Whether this is an address, and no path of a socket's file. */
export function isHost(given: string): boolean {
  return !given.startsWith('/') && !given.startsWith('unix:')
}

export function addressOf(host: string, port: number): Address {
  // For `localhost` Node takes whichever address comes first, and callers might try the other one.
  return { host: host === 'localhost' ? '127.0.0.1' : host, port }
}
