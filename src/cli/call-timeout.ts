import type { Readable } from 'node:stream'
import { CommandError } from './exit.js'

/** The most time for a connection: a service that can be reached answers much sooner. */
const CONNECT_SECONDS = 10

/**
 * Limits how long a service may be silent. The time counts only while the command waits for the service, not
 * while it waits for a slow input or a slow disk.
 */
export class CallTimeout {
  /**
   * @param service its name in messages
   */
  constructor(
    private readonly service: string,
    private readonly seconds: number,
  ) {}

  /** @throws CommandError (the promise rejects) where there is no connection in time */
  connecting<T>(connected: Promise<T>): Promise<T> {
    const seconds = Math.min(this.seconds, CONNECT_SECONDS)
    return within(seconds, connected, `${this.service} could not be reached within ${seconds} s.`)
  }

  /** @throws CommandError (the promise rejects) where `awaited` does not settle in time */
  waiting<T>(awaited: Promise<T>): Promise<T> {
    return within(this.seconds, awaited, `${this.service} was silent for ${this.seconds} s.`)
  }

  /** The chunks of an answer. @throws CommandError where one does not come in time */
  async *reading(answer: Readable): AsyncGenerator<Buffer, void, void> {
    const chunks: AsyncIterator<Buffer> = answer[Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.waiting(chunks.next())
        if (next.done) return
        yield next.value
      }
    } finally {
      answer.destroy()
    }
  }
}

async function within<T>(seconds: number, awaited: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CommandError(message)), seconds * 1000)
    timer.unref() // the connection keeps the process alive, not this timer
  })
  try {
    return await Promise.race([awaited, over])
  } finally {
    clearTimeout(timer)
  }
}
