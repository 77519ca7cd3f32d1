import { fork } from 'node:child_process'
import type { Server } from 'node:net'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../first-layer/package-file.js'

/** The most time for the child process, which usually needs a tenth of a second. */
const MAX_MS = 10_000

/** Node's internal handle of a listening socket; only it has the descriptor. */
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
 * Makes more descriptors of a listening socket. When a thread ends, Node closes the descriptors that it listens
 * on: if threads shared one descriptor, all would lose their listener when the first of them dies.
 *
 * Node has no `dup`, but the kernel copies a descriptor that one process sends to another. So a child process
 * gets the socket, sends it back `copies` times, and ends.
 *
 * @throws Error (the promise rejects) where no process can be started
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
