import { lstatSync, rmSync, statSync } from 'node:fs'
import { createConnection } from 'node:net'
import { dirname } from 'node:path'

/** The mode of a socket's file: its owner and group may connect. The folder's mode may narrow this. */
export const SOCKET_MODE = 0o660

/**
 * Removes the file of a socket without a listener: a killed process leaves its own behind.
 *
 * @throws Error where the file is no socket, or a process listens on it; where its folder is not there, which the
 *   system would report as a missing permission
 */
export async function removeStale(path: string): Promise<void> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) {
    const folder = dirname(path)
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`there is no folder ${folder}`)
    return
  }
  if (!stat.isSocket()) throw new Error('a file is there that is no socket')
  if (await isListened(path)) throw new Error('another process listens on it')
  rmSync(path, { force: true }) // its process may have just removed it
}

function isListened(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path)
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      end(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
    )
  })
}
