import type { Readable } from 'node:stream'
import { CommandError } from './exit.js'

/** A service that cannot be reached is known soon. */
const CONNECT_SECONDS = 10

/**
 * How long a service may be silent. The clock runs only while the service is waited for: a slow text, or a slow
 * disk, is not its fault.
 */
export class Patience {
  /**
   * @param service as messages name it
   * @param seconds undefined: for ever
   */
  constructor(
    private readonly service: string,
    private readonly seconds: number | undefined,
  ) {}

  /** @throws CommandError where the connection is not there in time */
  connecting<T>(connected: Promise<T>): Promise<T> {
    if (this.seconds === undefined) return connected
    const seconds = Math.min(this.seconds, CONNECT_SECONDS)
    return within(seconds, connected, `${this.service} could not be reached within ${seconds} s.`)
  }

  /** @throws CommandError where what is waited for does not come in time */
  waiting<T>(awaited: Promise<T>): Promise<T> {
    if (this.seconds === undefined) return awaited
    return within(this.seconds, awaited, `${this.service} was silent for ${this.seconds} s.`)
  }

  /** Chunks of an answer, each waited for. @throws CommandError where one does not come in time */
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
    timer.unref() // what is waited for keeps the process going
  })
  try {
    return await Promise.race([awaited, over])
  } finally {
    clearTimeout(timer)
  }
}
