import { packageFile } from '../../first-layer/package-file.js'
import { type Remote, type Rooms, remote, startThread } from './channel.js'

export interface WorkOptions {
  readonly rooms?: Rooms
  /** Called with the reason when it has ended. What it had not answered is rejected; a later call starts another one. */
  ended?(cause: Error): void
}

/**
 * A thread for long work, which the first call starts: its room `work` has the methods. While it is idle, it
 * does not keep the process alive.
 */
export class WorkThread<Work extends object> {
  readonly work: Remote<Work> = remote((method, args) => this.#call(method, args))
  #running: ReturnType<typeof startThread> | undefined

  /** @param script in dist */
  constructor(
    private readonly script: string,
    private readonly options: WorkOptions = {},
  ) {}

  /** Starts the thread before its first call. */
  start(): void {
    this.#running ??= this.#started()
    this.#running.worker.unref()
  }

  async #call(method: string, args: readonly unknown[]): Promise<unknown> {
    this.#running ??= this.#started()
    const { worker, channel } = this.#running
    worker.ref()
    try {
      return await channel.call('work', method, args)
    } finally {
      if (channel.waiting === 0) worker.unref()
    }
  }

  #started(): ReturnType<typeof startThread> {
    const { rooms, ended } = this.options
    const running = startThread(packageFile(`dist/${this.script}`), {
      rooms,
      ended: (cause) => {
        this.#running = undefined
        running.channel.end(cause)
        ended?.(cause)
      },
    })
    return running
  }
}
