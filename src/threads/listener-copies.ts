import { fork } from 'node:child_process'
import type { Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../package-file.js'

/** A process that starts takes a tenth of a second. */
const MAX_MS = 10_000

/** What Node shows of a listening socket on its handle only. */
interface Handle {
  readonly fd: number
}

/** The socket's own descriptor. */
export function descriptorOf(server: Server): number {
  return handleOf(server).fd
}

function handleOf(server: Server): Handle {
  return (server as Server & { _handle: Handle })._handle
}

/**
 * Makes more descriptors of a listening socket. When a thread ends, Node closes the descriptors that it listens on:
 * threads that share one number would all lose their listener with the first that dies.
 *
 * Node has no `dup`, but the kernel copies what processes send each other: a child process gets the socket and sends it
 * back as often as it is asked. It lives for a tenth of a second.
 *
 * @throws Error where no process can be started
 */
export function copyListener(server: Server, copies: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const descriptors: number[] = []
    const child = fork(fileURLToPath(packageFile('dist/send-back.js')), [String(copies)], {
      env: {},
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      timeout: MAX_MS,
    })
    child.on('message', (_, handle) => {
      descriptors.push((handle as unknown as Handle).fd)
      if (descriptors.length === copies) child.disconnect()
    })
    child.on('error', reject)
    child.once('exit', (code, signal) => {
      if (descriptors.length === copies) resolve(descriptors)
      else reject(new Error(`The process that copies the listener ended with ${code ?? signal}.`))
    })
    child.send({}, handleOf(server) as never, { keepOpen: true }, (error) => error && reject(error))
  })
}
