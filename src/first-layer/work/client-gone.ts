/** The client closed the connection: no answer can be sent, and the service has not failed. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** Whether this error, or its cause, is that the client has gone. */
export function isClientGone(error: unknown): boolean {
  return error instanceof ClientGone || (error as { cause?: unknown } | null)?.cause instanceof ClientGone
}
