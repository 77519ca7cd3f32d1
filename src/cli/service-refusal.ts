import type { IncomingMessage } from 'node:http'
import { CommandError } from './exit.js'

/** The service has answered with an error; its own message is the message. */
export class ServiceRefusal extends CommandError {
  constructor(
    message: string,
    /** The error's name, as `dataset_indexing`; undefined where another server has answered. */
    readonly code: string | undefined,
    /** Seconds of `Retry-After`. */
    readonly retryAfter: number | undefined,
  ) {
    super(message)
  }
}

const MAX_ERROR_BYTES = 1 << 16
const SHOWN_CHARACTERS = 2000

/** The service's error; where another server answered, one with its status. */
export async function refusal(
  body: AsyncIterable<Buffer>,
  response: IncomingMessage,
): Promise<ServiceRefusal> {
  const seconds = Number(response.headers['retry-after'])
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_ERROR_BYTES) break
    }
    const { error } = JSON.parse(Buffer.concat(chunks).toString())
    if (typeof error.message === 'string')
      return new ServiceRefusal(error.message.slice(0, SHOWN_CHARACTERS), error.code, retryAfter)
  } catch {
    // not one of the service's own errors
  }
  const message = `The answer was ${response.statusCode} ${response.statusMessage}.`
  return new ServiceRefusal(message, undefined, retryAfter)
}
