/** The client closed the connection: there is nobody left to answer, and nothing is wrong with the service. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** Whether this error only says that the client has gone, wherever the work was. */
export function isClientGone(error: unknown): boolean {
  return error instanceof ClientGone || (error as { cause?: unknown } | null)?.cause instanceof ClientGone
}
